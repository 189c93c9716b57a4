// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// What holds for every format of blocks: the published rule bit for bit, exact dequantisation, codes
// that can be set one by one, errors within half a step, documented answers at the ends of ranges.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "tessera/formats/q4_0.hpp"
#include "tessera/formats/q8_0.hpp"
#include "tests/formats/block_rules.hpp"
#include "tests/support/guarded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using namespace tessera_test;
using tessera::to_float16;

/// What the common tests need to know of a format.
struct Q8_0 {
  using Format = tessera::format::q8_0;
  static constexpr int lowest = -128;
  static constexpr int top = 127;        // largest code of a quantised block
  static constexpr int magnitude = 127;  // the largest magnitude of a block is this many steps
  static Quantised rule(const Floats& x) { return q8_0_rule(x); }
};
struct Q4_0 {
  using Format = tessera::format::q4_0;
  static constexpr int lowest = -8;
  static constexpr int top = 7;
  static constexpr int magnitude = 8;
  static Quantised rule(const Floats& x) { return q4_0_rule(x); }
};

template <class Q>
class BlockFormat : public testing::Test {
 protected:
  using F = typename Q::Format;
  using Block = typename F::Block;

  /// Both work in guarded memory, which every test's end inspects.
  Block quantised(const Floats& x) {
    for (std::size_t i = 0; i < 32; ++i) in_[i] = x[i];
    out_.poison();
    F::quantize_block(in_.data(), out_[0]);
    return out_[0];
  }
  Floats dequantised(const Block& b) {
    back_.poison();
    F::dequantize_block(b, back_.data());
    Floats x;
    for (std::size_t i = 0; i < 32; ++i) x[i] = back_[i];
    return x;
  }
  void TearDown() override {
    EXPECT_TRUE(in_.untouched_outside());
    EXPECT_TRUE(out_.untouched_outside());
    EXPECT_TRUE(back_.untouched_outside());
  }

 private:
  GuardedBuffer<float> in_{32};
  GuardedBuffer<Block> out_{1};
  GuardedBuffer<float> back_{32};
};
using BlockFormats = testing::Types<Q8_0, Q4_0>;
TYPED_TEST_SUITE(BlockFormat, BlockFormats);

TYPED_TEST(BlockFormat, FollowsThePublishedRule) {
  using F = typename TypeParam::Format;
  Random r(1);
  const std::size_t times = repetitions(10000);
  std::size_t compared = 0;
  for (const BlockKind kind : all_block_kinds)
    for (std::size_t t = 0; t < times; ++t) {
      const Floats x = make_block(kind, r, TypeParam::magnitude);
      const auto block = this->quantised(x);
      const Quantised want = TypeParam::rule(x);
      ASSERT_EQ(block.d.bits, to_float16(want.d).bits) << static_cast<int>(kind) << ' ' << t;
      if (!std::isfinite(want.reciprocal)) continue;  // the rule is silent there: tested below
      for (std::size_t i = 0; i < 32; ++i)
        ASSERT_EQ(F::code(block, i), want.codes[i])
            << "kind " << static_cast<int>(kind) << " element " << i << " of value "
            << std::hexfloat << x[i] << " d " << want.d;
      ++compared;
    }
  EXPECT_GT(compared, times * std::size(all_block_kinds) * 7 / 10);
}

TYPED_TEST(BlockFormat, DequantisesExactly) {
  using F = typename TypeParam::Format;
  Random r(2);
  for (std::uint32_t d = 0; d < 65536; d += r.below(64) < 1 ? 1 : 13) {
    typename F::Block block = {};
    block.d.bits = static_cast<std::uint16_t>(d);
    int codes[32];
    for (std::size_t i = 0; i < 32; ++i) {
      codes[i] = r.between(TypeParam::lowest, TypeParam::top);
      F::set_code(block, i, codes[i]);
    }
    const Floats x = this->dequantised(block);
    const double scale = static_cast<double>(to_float(block.d));
    for (std::size_t i = 0; i < 32; ++i) {
      const double want = codes[i] * scale;
      ASSERT_EQ(difference(x[i], want), 0.0) << std::hex << d << ' ' << i;
      ASSERT_TRUE(std::isnan(want) || std::signbit(x[i]) == std::signbit(want));
    }
  }
}

TYPED_TEST(BlockFormat, EveryCodeAtEveryPlaceLeavesTheOthersAlone) {
  using F = typename TypeParam::Format;
  Random r(3);
  for (std::size_t i = 0; i < 32; ++i)
    for (int code = TypeParam::lowest; code <= TypeParam::top; ++code) {
      typename F::Block block;
      fill_bytes({reinterpret_cast<std::byte*>(&block), sizeof block}, r);
      const auto before = block;
      F::set_code(block, i, code);
      ASSERT_EQ(F::code(block, i), code) << i;
      ASSERT_EQ(block.d, before.d);
      for (std::size_t j = 0; j < 32; ++j)
        ASSERT_TRUE(j == i || F::code(block, j) == F::code(before, j))
            << i << ' ' << code << ' ' << j;
    }
}

TYPED_TEST(BlockFormat, CodesAndScaleAreTheWholeBlock) {
  // A block made anew from its codes and scale is the block, byte for byte.
  using F = typename TypeParam::Format;
  Random r(4);
  for (int t = 0; t < 200; ++t) {
    typename F::Block block;
    fill_bytes({reinterpret_cast<std::byte*>(&block), sizeof block}, r);
    typename F::Block again = {};
    again.d = block.d;
    for (std::size_t i = 0; i < 32; ++i) {
      ASSERT_GE(F::code(block, i), TypeParam::lowest);
      ASSERT_LE(F::code(block, i), TypeParam::top);
      F::set_code(again, i, F::code(block, i));
    }
    ASSERT_EQ(std::memcmp(&block, &again, sizeof block), 0);
  }
}

TYPED_TEST(BlockFormat, ErrorsStayWithinHalfAStep) {
  Random r(5);
  for (const BlockKind kind : {BlockKind::ties, BlockKind::near_ties})
    for (std::size_t t = repetitions(2000); t > 0; --t) {
      const Floats x = make_block(kind, r, TypeParam::magnitude);
      const auto block = this->quantised(x);
      const double d = static_cast<double>(TypeParam::rule(x).d);
      const Floats y = this->dequantised(block);
      for (std::size_t i = 0; i < 32; ++i) {
        const double steps = static_cast<double>(x[i]) / d;
        // Half a step, or what lies beyond the largest code; and the scale's own rounding to f16.
        const double limit = std::fmax(0.5, steps - TypeParam::top) + std::fabs(steps) * 0x1p-10;
        ASSERT_TRUE(
            within(std::fabs(difference(y[i], static_cast<double>(x[i]))) / std::fabs(d), limit))
            << i << " value " << x[i] << " d " << d;
      }
    }
}

TYPED_TEST(BlockFormat, ZeroAndTinyBlocks) {
  // Scale 0 gives zeros, never 0/0. Blocks whose scale vanishes in 16 bits become zeros too.
  for (const float value : {0.0f, -0.0f, 1e-20f, -1e-20f, 1e-45f, -1e-45f, 1e-38f, 1e-10f})
    for (const bool alone : {false, true}) {
      Floats x = {};
      for (std::size_t i = 0; i < 32; ++i) x[i] = alone && i != 7 ? 0.0f : value;
      const auto block = this->quantised(x);
      EXPECT_EQ(block.d.bits & 0x7fffu, 0u) << value;
      for (const float y : this->dequantised(block)) ASSERT_EQ(y, 0.0f) << value << ' ' << alone;
    }
}

TYPED_TEST(BlockFormat, AllZerosHaveZeroCodes) {
  using F = typename TypeParam::Format;
  for (const float zero : {0.0f, -0.0f}) {
    Floats x;
    x.fill(zero);
    const auto block = this->quantised(x);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(F::code(block, i), 0);
  }
}

TYPED_TEST(BlockFormat, ScalesAroundTheSmallestHalf) {
  // amax 1e-6: the step is below the smallest f16 for q8_0, a subnormal f16 for q4_0. The error is
  // then at most half a step plus |code| times half the smallest f16.
  Random r(6);
  for (std::size_t t = repetitions(500); t > 0; --t) {
    const Floats x = make_block(BlockKind::half_range, r, TypeParam::magnitude);
    const auto block = this->quantised(x);
    const double d = std::fabs(static_cast<double>(TypeParam::rule(x).d));
    const double stored = std::fabs(static_cast<double>(to_float(block.d)));
    ASSERT_TRUE(within(std::fabs(stored - d), std::fmax(0x1p-25, d * 0x1p-11)));
    const Floats y = this->dequantised(block);
    for (std::size_t i = 0; i < 32; ++i) {
      const double steps = std::fabs(static_cast<double>(x[i])) / d;
      const double limit = (1.0 + 0x1p-10) * d + steps * std::fabs(stored - d);
      ASSERT_TRUE(within(std::fabs(difference(y[i], static_cast<double>(x[i]))), limit)) << i;
    }
  }
}

TYPED_TEST(BlockFormat, ScalesBeyondTheLargestHalfAreInfinite) {
  const auto block_of = [](double d) {
    Floats x = {};
    x[3] = static_cast<float>(d * TypeParam::magnitude);
    return x;
  };
  EXPECT_EQ(this->quantised(block_of(65504.0)).d.bits & 0x7fffu, 0x7bffu);
  EXPECT_EQ(this->quantised(block_of(65520.0)).d.bits & 0x7fffu, 0x7c00u);
  EXPECT_EQ(this->quantised(block_of(1e30)).d.bits & 0x7fffu, 0x7c00u);
  const Floats y = this->dequantised(this->quantised(block_of(1e30)));
  EXPECT_TRUE(std::isinf(y[3]));
  EXPECT_GT(y[3], 0.0f);
  EXPECT_TRUE(std::isnan(y[4]));  // 0 * infinity: seen, not hidden
}

TYPED_TEST(BlockFormat, ANanOrInfinityMakesTheBlockNan) {
  using F = typename TypeParam::Format;
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  Random r(7);
  for (const float bad : {nan, -nan, inf, -inf, tessera::from_bits(0x7f800001u)})
    for (std::size_t at = 0; at < 32; ++at) {
      Floats x = make_block(BlockKind::gaussian, r, TypeParam::magnitude);
      x[at] = bad;
      const auto block = this->quantised(x);
      EXPECT_EQ(block.d.bits & 0x7fffu, 0x7e00u) << bad << ' ' << at;
      for (std::size_t i = 0; i < 32; ++i) ASSERT_EQ(F::code(block, i), 0) << bad << ' ' << at;
      for (const float y : this->dequantised(block)) ASSERT_TRUE(std::isnan(y));
    }
}

TYPED_TEST(BlockFormat, TheLargestFloatsAreFinite) {
  // Sums and differences inside the rule must not overflow to a NaN block.
  constexpr float max = std::numeric_limits<float>::max();
  Floats x;
  for (std::size_t i = 0; i < 32; ++i) x[i] = i % 2 == 0 ? max : -max;
  const auto block = this->quantised(x);
  EXPECT_EQ(block.d.bits & 0x7fffu, 0x7c00u);
  using F = typename TypeParam::Format;
  const Quantised want = TypeParam::rule(x);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(F::code(block, i), want.codes[i]);
}

}  // namespace
