// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Float16 and BFloat16: every value both ways, every midpoint and its neighbours, against a
// reference that knows formats only as "precision, smallest exponent, largest value" in double.
#include "tessera/core/float16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/arithmetic.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using tessera::BFloat16;
using tessera::bits_of;
using tessera::Float16;
using tessera::from_bits;

/// A binary format of 16 bits: `mantissa` stored bits, values are multiples of 2^lowest.
struct Description {
  int mantissa;
  int lowest;
  double largest;
  std::uint16_t infinity;
  std::uint16_t nan;
};
constexpr Description half = {10, -24, 65504.0, 0x7c00, 0x7e00};
constexpr Description brain = {7, -133, 0x1.fep127, 0x7f80, 0x7fc0};

/// The exact value of the pattern; NaNs and infinities are the caller's affair.
double value_of(const Description& f, std::uint16_t bits) {
  const int m = bits & ((1 << f.mantissa) - 1);
  const int e = (bits & 0x7fff) >> f.mantissa;
  const double v =
      e == 0 ? std::ldexp(m, f.lowest) : std::ldexp(m + (1 << f.mantissa), f.lowest + e - 1);
  return (bits & 0x8000) != 0 ? -v : v;
}

/// Round to nearest, ties to even, in exact steps of double arithmetic.
std::uint16_t pattern_of(const Description& f, float x) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  if (std::isnan(x)) return static_cast<std::uint16_t>(sign | f.nan);
  const double a = std::fabs(static_cast<double>(x));
  if (a == 0) return sign;
  int e = 0;
  std::frexp(a, &e);  // a in [2^(e-1), 2^e)
  const int quantum = std::max(f.lowest, e - 1 - f.mantissa);
  const double steps = std::isinf(a) ? a : std::nearbyint(std::ldexp(a, -quantum));
  if (std::ldexp(steps, quantum) > f.largest) return static_cast<std::uint16_t>(sign | f.infinity);
  // Patterns of one sign are consecutive: the quantum's first pattern plus the steps above it.
  const int first = (quantum - f.lowest) << f.mantissa;
  return static_cast<std::uint16_t>(sign | (first + static_cast<int>(steps)));
}

bool is_nan(const Description& f, std::uint32_t bits) {
  return (bits & 0x7fffu) > f.infinity;
}

TEST(Float16, EveryPatternToFloat) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const Float16 h = {static_cast<std::uint16_t>(i)};
    const std::uint32_t got = bits_of(to_float(h));
    const std::uint32_t sign = (i & 0x8000u) << 16;
    if (is_nan(half, i)) {
      ASSERT_EQ(got, sign | 0x7fc00000u | (i & 0x3ffu) << 13) << std::hex << i;
    } else if ((i & 0x7fffu) == half.infinity) {
      ASSERT_EQ(got, sign | 0x7f800000u) << std::hex << i;
    } else {
      ASSERT_EQ(static_cast<double>(from_bits(got)), value_of(half, h.bits)) << std::hex << i;
      ASSERT_EQ(got & 0x80000000u, sign) << std::hex << i;
    }
  }
}

TEST(BFloat16, EveryPatternToFloat) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const BFloat16 h = {static_cast<std::uint16_t>(i)};
    const std::uint32_t got = bits_of(to_float(h));
    ASSERT_EQ(got, i << 16);
    if ((i & 0x7fffu) < brain.infinity) {
      ASSERT_EQ(static_cast<double>(from_bits(got)), value_of(brain, h.bits)) << std::hex << i;
    }
  }
}

TEST(Float16, EveryPatternThereAndBack) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const Float16 h = {static_cast<std::uint16_t>(i)};
    const auto expected = is_nan(half, i) ? (i & 0x8000u) | half.nan : i;
    ASSERT_EQ(tessera::to_float16(to_float(h)).bits, expected) << std::hex << i;
  }
}

TEST(BFloat16, EveryPatternThereAndBack) {
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const BFloat16 h = {static_cast<std::uint16_t>(i)};
    const auto expected = is_nan(brain, i) ? (i & 0x8000u) | brain.nan : i;
    ASSERT_EQ(tessera::to_bfloat16(to_float(h)).bits, expected) << std::hex << i;
  }
}

void check(float x) {
  if (testing::Test::HasFatalFailure()) return;  // one report is enough
  ASSERT_EQ(tessera::to_float16(x).bits, pattern_of(half, x)) << std::hexfloat << x;
  ASSERT_EQ(tessera::to_bfloat16(x).bits, pattern_of(brain, x)) << std::hexfloat << x;
}

/// A float and the floats next to it, both signs.
void check_around(float x) {
  for (const float y :
       {x, std::nextafter(x, 0.0f), std::nextafter(x, std::numeric_limits<float>::infinity())}) {
    check(y);
    check(-y);
  }
}

TEST(Float16, EveryMidpointAndItsNeighbours) {
  for (std::uint16_t i = 0; i < half.infinity; ++i) {
    const double next = i + 1 == half.infinity ? 65536.0 : value_of(half, i + 1);
    const double midpoint = (value_of(half, i) + next) / 2;
    const auto x = static_cast<float>(midpoint);
    ASSERT_EQ(static_cast<double>(x), midpoint);
    const std::uint16_t even = (i & 1) == 0 ? i : static_cast<std::uint16_t>(i + 1);
    ASSERT_EQ(tessera::to_float16(x).bits, even) << std::hex << i;
    check_around(x);
  }
}

TEST(BFloat16, EveryMidpointAndItsNeighbours) {
  for (std::uint16_t i = 0; i < brain.infinity; ++i) {
    const double next = i + 1 == brain.infinity ? 0x1p128 : value_of(brain, i + 1);
    const double midpoint = (value_of(brain, i) + next) / 2;
    const auto x = static_cast<float>(midpoint);
    ASSERT_EQ(static_cast<double>(x), midpoint);
    const std::uint16_t even = (i & 1) == 0 ? i : static_cast<std::uint16_t>(i + 1);
    ASSERT_EQ(tessera::to_bfloat16(x).bits, even) << std::hex << i;
    check_around(x);
  }
}

TEST(Float16, ManyFloatsOfEveryExponent) {
  tessera_test::Random random(16);
  const std::size_t n = tessera_test::repetitions(2000);
  for (std::uint32_t e = 0; e < 256; ++e) {
    check_around(from_bits(e << 23));
    for (std::size_t i = 0; i < n; ++i) check(from_bits((random.bits32() & 0x807fffffu) | e << 23));
  }
  for (const std::uint32_t bits : tessera_test::special_float_bits) check(from_bits(bits));
}

TEST(Float16, Constants) {
  static_assert(sizeof(Float16) == 2 && sizeof(BFloat16) == 2);
  static_assert(tessera::to_float16(1.0f).bits == 0x3c00);
  static_assert(tessera::to_bfloat16(1.0f).bits == 0x3f80);
  static_assert(to_float(Float16{0x3c00}) == 1.0f);
  static_assert(to_float(BFloat16{0x3f80}) == 1.0f);
  static_assert(to_float(Float16{0x0001}) == 0x1p-24f);
  static_assert(to_float(Float16{0x03ff}) == 0x1.ff8p-15f);
  static_assert(to_float(Float16{0x7bff}) == 65504.0f);
  static_assert(tessera::to_float16(0x1p-24f).bits == 0x0001);
  static_assert(tessera::to_float16(0x1p-25f).bits == 0x0000);
  static_assert(tessera::to_float16(0x1.000002p-25f).bits == 0x0001);
  static_assert(tessera::to_float16(65519.996f).bits == 0x7bff);
  static_assert(tessera::to_float16(65520.0f).bits == 0x7c00);
  static_assert(tessera::to_bfloat16(3.4028235e38f).bits == 0x7f80);
  static_assert(tessera::to_float16(-0.0f).bits == 0x8000);
  static_assert(tessera::to_bfloat16(-0.0f).bits == 0x8000);
  static_assert(tessera::to_float(2.5f) == 2.5f);
  static_assert(Float16{1} == Float16{1} && !(Float16{0} == Float16{0x8000}));
}

TEST(Float16, NansKeepTheirSignOnly) {
  for (const std::uint32_t bits : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0x7f801fffu}) {
    EXPECT_EQ(tessera::to_float16(from_bits(bits)).bits, 0x7e00);
    EXPECT_EQ(tessera::to_float16(from_bits(bits | 0x80000000u)).bits, 0xfe00);
    EXPECT_EQ(tessera::to_bfloat16(from_bits(bits)).bits, 0x7fc0);
    EXPECT_EQ(tessera::to_bfloat16(from_bits(bits | 0x80000000u)).bits, 0xffc0);
  }
}

}  // namespace
