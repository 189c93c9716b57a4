// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The policy's arithmetic: against the witness over all scales, by hand, and another policy.
#include "tests/isa/model.hpp"
#include "tests/isa/witness.hpp"

#include <gtest/gtest.h>

namespace {

using namespace isa_tests;
using ime::DefaultNumerics;
using ime::HalfFormat;

int scaled(HalfFormat half, int c, int sum, int scale) {
  return DefaultNumerics::accumulate_scaled(half, static_cast<std::uint16_t>(c), sum,
                                            static_cast<std::uint16_t>(scale));
}

class EveryScale : public ::testing::TestWithParam<HalfFormat> {};
INSTANTIATE_TEST_SUITE_P(Formats, EveryScale, ::testing::Values(HalfFormat::fp16, HalfFormat::bf16),
                         [](const auto& info) {
                           return info.param == HalfFormat::fp16 ? "fp16" : "bf16";
                         });

// Sums: the ends of the int8 forms' range, small ones, ties; accumulators: zeros, subnormals, around
// one, the largest, infinity, NaN.
TEST_P(EveryScale, rounds_once_like_the_witness) {
  const witness::Half& half = GetParam() == HalfFormat::fp16 ? witness::fp16 : witness::bf16;
  const struct {
    int c;
    int sum;
  } cases[] = {
      {0x0000, 1},       {0x8000, 0},     {0x3c01, 1040400}, {0x0001, -3}, {half.infinity() - 1, 7},
      {0xbc00, -522240}, {0x8001, 524288}};
  for (const auto& [c, sum] : cases) {
    for (int scale = 0; scale < 65536; ++scale) {
      ASSERT_EQ(scaled(GetParam(), c, sum, scale), witness::fused(half, c, sum, scale))
          << std::hex << c << ' ' << sum << ' ' << scale;
    }
  }
}

TEST_P(EveryScale, every_accumulator) {
  const witness::Half& half = GetParam() == HalfFormat::fp16 ? witness::fp16 : witness::bf16;
  for (int c = 0; c < 65536; ++c) {
    const auto noise = static_cast<unsigned>(c) * 2654435761u;
    const int scale = static_cast<int>(noise >> 16);
    const int sum = static_cast<int>(noise % 2080801) - 1040400;
    ASSERT_EQ(scaled(GetParam(), c, sum, scale), witness::fused(half, c, sum, scale))
        << std::hex << c << ' ' << sum << ' ' << scale;
  }
}

TEST_P(EveryScale, negating_everything_negates_the_result) {
  std::mt19937 random(12);
  for (int repetition = 0; repetition < 20000; ++repetition) {
    const int c = static_cast<int>(random() & 0xffff);
    const int scale = static_cast<int>(random() & 0x7fff);
    const int sum = static_cast<int>(random() % 2080801) - 1040400;
    const int result = scaled(GetParam(), c, sum, scale);
    const int mirrored = scaled(GetParam(), c ^ 0x8000, -sum, scale);
    const witness::Half& half = GetParam() == HalfFormat::fp16 ? witness::fp16 : witness::bf16;
    if (half.nan(result) || (result & 0x7fff) == 0) continue;
    ASSERT_EQ(mirrored, result ^ 0x8000);
  }
}

// What public board runs show: the sum is not rounded to fp16 first, nor the product.
TEST(ScaledByHand, one_rounding) {
  constexpr int one = 0x3c00, thousandth = 0x1419;
  // 2049 is no fp16 number; times 1 it is a tie that goes to 2048, but 2049 + 1 = 2050 exactly.
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, 2049, one), 0x6800);
  EXPECT_EQ(scaled(HalfFormat::fp16, one, 2049, one), 0x6801);
  // 1040400 is far outside fp16, its product with 0.001 is not.
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, 1040400, thousandth),
            witness::fused(witness::fp16, 0, 1040400, thousandth));
  EXPECT_LT(scaled(HalfFormat::fp16, 0, 1040400, thousandth), 0x7c00);
}

TEST(ScaledByHand, the_ends) {
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, 65519, 0x3c00), 0x7bff);
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, 65520, 0x3c00), 0x7c00);  // the tie to infinity
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, -65520, 0x3c00), 0xfc00);
  EXPECT_EQ(scaled(HalfFormat::fp16, 0, 1, 0x0001), 0x0001);       // subnormals are kept
  EXPECT_EQ(scaled(HalfFormat::fp16, 0xfc00, 1, 0x7c00), 0x7e00);  // -inf + inf
  EXPECT_EQ(scaled(HalfFormat::fp16, 0x0000, 0, 0x7c00), 0x7e00);  // 0 * inf
  EXPECT_EQ(scaled(HalfFormat::fp16, 0x7d01, 1, 0x3c00), 0x7e00);  // the canonical NaN
  EXPECT_EQ(scaled(HalfFormat::fp16, 0x3c00, -1, 0x3c00), 0x0000);
  EXPECT_EQ(scaled(HalfFormat::fp16, 0x8000, 0, 0xbc00), 0x8000);
  EXPECT_EQ(scaled(HalfFormat::bf16, 0, 3, 0x3f80), 0x4040);
}

// Every pair of 16-bit floats would be 2^32; these are every number against a few.
TEST(FloatDot, every_factor_like_the_host) {
  for (const HalfFormat format : {HalfFormat::fp16, HalfFormat::bf16}) {
    const witness::Half& half = format == HalfFormat::fp16 ? witness::fp16 : witness::bf16;
    for (const float c : {0.0f, -0.0f, 1.0f, -3.5e-39f, 3.0e38f, -65504.0f}) {
      for (const int y : {0x0001, 0x3c00, 0xbf81, half.infinity() - 1}) {
        for (int x = 0; x < 65536; x += 7) {
          const auto a = static_cast<std::uint16_t>(x), b = static_cast<std::uint16_t>(y);
          const std::uint32_t bits = DefaultNumerics::accumulate_float(
              format, __builtin_bit_cast(std::uint32_t, c), &a, &b, 1);
          const float expected =
              witness::float_dot(half, c, witness::bytes_of(std::vector<std::uint16_t>{a}), 0,
                                 witness::bytes_of(std::vector<std::uint16_t>{b}), 0, 1);
          if (std::isnan(expected)) {
            ASSERT_EQ(bits, 0x7fc00000u);
          } else {
            ASSERT_EQ(bits, __builtin_bit_cast(std::uint32_t, expected))
                << std::hex << x << ' ' << y << ' ' << c;
          }
        }
      }
    }
  }
}

// q ascends: 1e30 swallows what comes before it, not what comes after.
TEST(FloatDot, order) {
  const std::uint16_t big = 0x7bff, one = 0x3c00, minus_big = 0xfbff, tiny = 0x0400;
  const std::uint16_t a[4] = {tiny, big, minus_big, one}, b[4] = {tiny, big, big, one};
  const std::uint32_t sum = DefaultNumerics::accumulate_float(HalfFormat::fp16, 0, a, b, 4);
  EXPECT_EQ(__builtin_bit_cast(float, sum), 1.0f);
}

// Another policy reaches every place that the default one has.
struct Mutant : ime::DocumentedNumerics {
  static constexpr std::int32_t accumulate_int32(std::int32_t, std::int32_t) { return 11; }
  static constexpr std::uint16_t accumulate_scaled(HalfFormat, std::uint16_t, std::int32_t,
                                                   std::uint16_t) {
    return 11;
  }
  static constexpr std::uint32_t accumulate_float(HalfFormat, std::uint32_t, const std::uint16_t*,
                                                  const std::uint16_t*, int) {
    return 11;
  }
};

TEST(Policy, is_used_by_every_product) {
  for (int i = 0; i < ime::instruction_count; ++i) {
    const ime::Descriptor& d = ime::Instructions::table[i];
    if (d.element == ime::Element::none) continue;
    Machine machine(ime::k3);
    const std::uint32_t word =
        ime::Instructions::encode(i, {.vd = 16, .vs1 = 2, .vs2 = 8, .vmask = 0, .imm = 0});
    ASSERT_EQ(ime::execute<Mutant>(ime::k3, machine.state, word), ime::Rule::none);
    const auto result = machine.reg(16, d.signature.vd_registers);
    const std::size_t lane = name_of(i).find(".hp") != std::string::npos ? 2 : 4;
    for (std::size_t e = 0; e < result.size(); ++e) {
      ASSERT_EQ(result[e], e % lane == 0 ? 11 : 0) << name_of(i);
    }
  }
}

constexpr std::uint16_t scaled_at_compile_time =
    DefaultNumerics::accumulate_scaled(HalfFormat::fp16, 0x3c00, 2049, 0x3c00);
static_assert(scaled_at_compile_time == 0x6801);

}  // namespace
