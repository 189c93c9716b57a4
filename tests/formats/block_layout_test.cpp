// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Golden bytes of q8_0 and q4_0 blocks, and single values where two plausible rules differ.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/formats/q4_0.hpp"
#include "tessera/formats/q8_0.hpp"
#include "tests/formats/block_rules.hpp"
#include "tests/support/norms.hpp"

namespace {

using tessera::format::q4_0;
using tessera::format::q8_0;
using tessera_test::Floats;
using tessera_test::same_bytes;

template <std::size_t N, class Block>
testing::AssertionResult bytes_are(const Block& b, const std::array<std::uint8_t, N>& want) {
  static_assert(N == sizeof b);
  return same_bytes(std::as_bytes(std::span(&b, 1)), std::as_bytes(std::span(want)));
}

TEST(BlockLayout, Q8_0) {
  static_assert(offsetof(q8_0::Block, d) == 0 && offsetof(q8_0::Block, qs) == 2);
  Floats x;
  for (std::size_t i = 0; i < 32; ++i) x[i] = static_cast<float>(static_cast<int>(i) * 4 - 64);
  x[0] = 127.0f;  // d = 1
  q8_0::Block b;
  q8_0::quantize_block(x.data(), b);
  std::array<std::uint8_t, 34> want = {0x00, 0x3c, 127};
  for (std::size_t i = 1; i < 32; ++i) want[2 + i] = static_cast<std::uint8_t>(i * 4 - 64);
  EXPECT_TRUE(bytes_are(b, want));
}

TEST(BlockLayout, Q4_0) {
  static_assert(offsetof(q4_0::Block, d) == 0 && offsetof(q4_0::Block, qs) == 2);
  // Elements 0..15 are codes -8..7, elements 16..31 the same backwards; -8 comes first: d = 1.
  Floats x;
  for (std::size_t i = 0; i < 16; ++i) {
    x[i] = static_cast<float>(static_cast<int>(i) - 8);
    x[i + 16] = static_cast<float>(7 - static_cast<int>(i));
  }
  q4_0::Block b;
  q4_0::quantize_block(x.data(), b);
  std::array<std::uint8_t, 18> want = {0x00, 0x3c};
  for (std::size_t j = 0; j < 16; ++j) want[2 + j] = static_cast<std::uint8_t>(j | (15 - j) << 4);
  EXPECT_TRUE(bytes_are(b, want));
}

TEST(BlockLayout, Q4_0DequantisesHalfSplitNibbles) {
  q4_0::Block b;
  b.d.bits = 0xc000;  // -2
  for (std::size_t j = 0; j < 16; ++j)
    b.qs[j] = static_cast<std::uint8_t>((j + 3) % 16 | (j * 5 % 16) << 4);
  Floats x;
  q4_0::dequantize_block(b, x.data());
  for (std::size_t j = 0; j < 16; ++j) {
    EXPECT_EQ(x[j], -2.0f * (static_cast<float>((j + 3) % 16) - 8));
    EXPECT_EQ(x[j + 16], -2.0f * (static_cast<float>(j * 5 % 16) - 8));
  }
}

TEST(BlockLayout, ZeroBlocks) {
  Floats x = {};
  q8_0::Block a;
  q8_0::quantize_block(x.data(), a);
  EXPECT_TRUE(bytes_are(a, std::array<std::uint8_t, 34>{}));
  q4_0::Block b;
  q4_0::quantize_block(x.data(), b);
  std::array<std::uint8_t, 18> want;
  want.fill(0x88);
  want[0] = 0x00;
  want[1] = 0x80;  // 0 / -8
  EXPECT_TRUE(bytes_are(b, want));
}

TEST(BlockRules, Q8_0RoundsHalfAwayFromZero) {
  Floats x = {127.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 0.49999997f, -0.49999997f};
  q8_0::Block b;
  q8_0::quantize_block(x.data(), b);
  const int want[] = {127, 1, 2, 3, -1, -2, -3, 0, 0};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(q8_0::code(b, i), want[i]) << x[i];
}

TEST(BlockRules, Q8_0UsesTheUnroundedScale) {
  // amax 100: d = 0.78740156 is stored as 0.78759766; codes follow the former.
  Floats x = {100.0f};
  x[1] = static_cast<float>(60.5 * 0.78740157);
  x[2] = static_cast<float>(-60.5 * 0.78740157);
  q8_0::Block b;
  q8_0::quantize_block(x.data(), b);
  EXPECT_EQ(b.d.bits, tessera::to_float16(100.0f / 127.0f).bits);
  EXPECT_EQ(q8_0::code(b, 0), 127);
  const auto want = tessera_test::q8_0_rule(x);
  EXPECT_EQ(q8_0::code(b, 1), want.codes[1]);
  EXPECT_EQ(q8_0::code(b, 1), 61);
  EXPECT_EQ(q8_0::code(b, 2), -61);
  // Against the stored scale it would be 60: 47.63779 / 0.78759766 = 60.485.
  EXPECT_LT(static_cast<double>(x[1]) / static_cast<double>(to_float(b.d)), 60.5);
}

TEST(BlockRules, Q4_0ScaleHasTheSignOfTheFirstLargest) {
  for (const float first : {1.0f, -1.0f}) {
    Floats x = {0.5f, first, -first, 1.0f};
    q4_0::Block b;
    q4_0::quantize_block(x.data(), b);
    EXPECT_EQ(to_float(b.d), -first / 8);
    EXPECT_EQ(q4_0::code(b, 1), -8);
    EXPECT_EQ(q4_0::code(b, 2), 7);  // 8 is out of reach
  }
}

TEST(BlockRules, Q4_0CutsOffAfterAddingEightAndAHalf) {
  Floats x = {-8.0f, 0.5f, -0.5f, 1.5f, -1.5f, 6.5f, 7.49f, -7.5f, -7.51f};
  q4_0::Block b;
  q4_0::quantize_block(x.data(), b);
  const int want[] = {-8, 1, 0, 2, -1, 7, 7, -7, -8};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(q4_0::code(b, i), want[i]) << x[i];
}

TEST(BlockRules, Q4_0ProductIsRoundedBeforeTheSum) {
  // With a fused multiply and add the code would be one less or more.
  Floats x = {-0x1.14b6dp+0f, 0x1.59e48p-2f};
  q4_0::Block b;
  q4_0::quantize_block(x.data(), b);
  const auto want = tessera_test::q4_0_rule(x);
  EXPECT_EQ(q4_0::code(b, 1), want.codes[1]);
  const float fused = std::fma(x[1], want.reciprocal, 8.5f);
  EXPECT_NE(static_cast<int>(fused) - 8, want.codes[1]);
}

}  // namespace
