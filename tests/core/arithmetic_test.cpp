// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// fma with one rounding, in hardware and in double; products that nobody contracts.
#include "tessera/core/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "tessera/core/rounded.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using tessera::bits_of;
using tessera::from_bits;
using tessera_test::Random;
using tessera_test::repetitions;
using tessera_test::same_bits;

void check(float a, float b, float c) {
  if (testing::Test::HasFatalFailure()) return;  // one report is enough
  const float want = std::fma(a, b, c);
  const float hard = tessera::fma(a, b, c);
  const float soft = tessera::detail::fma_in_double(a, b, c);
  ASSERT_TRUE(same_bits(hard, want))
      << std::hexfloat << a << " * " << b << " + " << c << " = " << hard << ", not " << want;
  ASSERT_TRUE(same_bits(soft, want))
      << std::hexfloat << a << " * " << b << " + " << c << " = " << soft << ", not " << want;
}

float next(float x, int steps) {
  const float to = std::numeric_limits<float>::infinity();
  for (; steps > 0; --steps) x = std::nextafter(x, to);
  for (; steps < 0; ++steps) x = std::nextafter(x, -to);
  return x;
}

TEST(Fma, AnyBits) {
  Random r(1);
  for (std::size_t i = repetitions(1000000); i > 0; --i)
    check(from_bits(r.bits32()), from_bits(r.bits32()), from_bits(r.bits32()));
}

TEST(Fma, SimilarMagnitudes) {
  Random r(2);
  for (std::size_t i = repetitions(500000); i > 0; --i) {
    const float a = r.gaussian();
    const float b = r.gaussian();
    check(a, b, std::ldexp(r.gaussian(), r.between(-60, 60)));
  }
}

TEST(Fma, Cancellation) {
  Random r(3);
  for (std::size_t i = repetitions(300000); i > 0; --i) {
    const float a = std::ldexp(r.gaussian(), r.between(-40, 40));
    const float b = std::ldexp(r.gaussian(), r.between(-20, 20));
    check(a, b, next(-(a * b), r.between(-3, 3)));
  }
  check(1.5f, 2.0f, -3.0f);  // exact: +0
  check(-1.5f, 2.0f, 3.0f);
  check(0.0f, -1.0f, 0.0f);   // zeros of unlike sign: +0
  check(0.0f, -1.0f, -0.0f);  // of like sign: it
}

TEST(Fma, ProductsNextToATie) {
  // c has all its bits, the product lies around half of c's spacing: rounding the sum to double
  // first would hit the tie.
  Random r(4);
  for (std::size_t i = repetitions(200000); i > 0; --i) {
    const float c = from_bits((r.bits32() & 0x807fffffu) | 0x3f800000u);
    const float a = next(0x1p-12f, r.between(-2, 2));
    const float b = next(0x1p-12f, r.between(-2, 2));
    check(a, r.coin() ? b : -b, c);
    check(a, std::ldexp(b, -r.between(0, 40)), c);
  }
  check(0x1p-12f, 0x1p-12f, 1.0f);                // a tie, to even
  check(next(0x1p-12f, 1), 0x1p-12f, 1.0f);       // just above
  check(next(0x1p-12f, -1), 0x1p-12f, 1.0f);      // just below
  check(0x1.000002p0f, 0x1.000002p0f, 0x1p-60f);  // a tie of the product, broken by c
  check(0x1.000002p0f, 0x1.000002p0f, -0x1p-60f);
  check(0x1.001p0f, 0x1.001p0f, 0x1p-149f);
  check(0x1.001p0f, 0x1.001p0f, -0x1p-149f);
}

TEST(Fma, SumsThatDoubleRoundsOntoTheNeighbourOfATie) {
  // Products a little off 2^-24, half the spacing at 1: the exact sum lies within the last bit of a
  // double next to the tie, on either side.
  int found = 0;
  for (std::int64_t i = 1; found < 2000; ++i) {
    const std::int64_t a = (std::int64_t{1} << 23) + i;
    const std::int64_t b = (std::int64_t{1} << 47) / a;
    for (const std::int64_t up : {0, 1}) {
      const std::int64_t off = a * (b + up) - (std::int64_t{1} << 47);
      if (off >= 1 << 19 || off <= -(1 << 19)) continue;
      ++found;
      const float x = std::ldexp(static_cast<float>(a), -36);
      const float y = std::ldexp(static_cast<float>(b + up), -35);
      for (const float c : {1.0f, 1.0f + 0x1p-23f, 1.5f, 2.0f - 0x1p-23f})
        check(x, y, c), check(-x, y, c), check(x, y, -c), check(-x, y, -c);
    }
  }
}

TEST(Fma, SubnormalResults) {
  Random r(5);
  for (std::size_t i = repetitions(300000); i > 0; --i) {
    const float a = std::ldexp(r.gaussian(), -r.between(50, 80));
    const float b = std::ldexp(r.gaussian(), -r.between(50, 80));
    check(a, b, 0.0f);
    check(a, b, from_bits(r.bits32() & 0x80ffffffu));
  }
  const float least = from_bits(1);
  check(least, 0.5f, 0.0f);   // a tie at half of the smallest: to zero
  check(least, 0.5f, least);  // a tie: to even
  check(next(0.5f, 1), least, 0.0f);
  check(least, least, least);
  check(least, least, -least);
  check(-least, least, 0.0f);
  check(0x1p-75f, 0x1p-75f, 0.0f);
  check(next(0x1p-75f, 1), 0x1p-75f, 0.0f);
}

TEST(Fma, Overflow) {
  Random r(6);
  for (std::size_t i = repetitions(300000); i > 0; --i) {
    const float a = std::ldexp(r.gaussian(), r.between(60, 66));
    const float b = std::ldexp(r.gaussian(), r.between(58, 64));
    check(a, b, 0.0f);
    check(a, b, next(-(a * b), r.between(-2, 2)));
  }
  const float max = std::numeric_limits<float>::max();
  check(max, 2.0f, -max);  // the product alone overflows
  check(max, 1.0f, 0x1p103f);
  check(max, 1.0f, next(0x1p103f, -1));
  check(max, max, -std::numeric_limits<float>::infinity());
}

TEST(Fma, SpecialValues) {
  for (const std::uint32_t a : tessera_test::special_float_bits)
    for (const std::uint32_t b : tessera_test::special_float_bits)
      for (const std::uint32_t c : tessera_test::special_float_bits)
        check(from_bits(a), from_bits(b), from_bits(c));
}

TEST(Rounded, AProductIsNotContracted) {
  // (1 + 2^-12)^2 - 1 is 2^-11 after the product is rounded, 2^-11 + 2^-24 if it is not.
  volatile float a = 1.0f + 0x1p-12f;
  volatile float c = -1.0f;
  const float x = a;
  const float y = c;
  EXPECT_EQ(bits_of(tessera::rounded(x * x) + y), bits_of(0x1p-11f));
  EXPECT_EQ(bits_of(tessera::fma(x, x, y)), bits_of(0x1.0008p-11f));
  const double xd = static_cast<double>(1.0f) + 0x1p-27;
  volatile double d = xd;
  const double z = d;
  EXPECT_EQ(tessera::rounded(z * z) - 1.0, 0x1p-26);
}

TEST(Arithmetic, Constants) {
  EXPECT_EQ(bits_of(tessera::infinity), 0x7f800000u);
  EXPECT_EQ(bits_of(tessera::quiet_nan), 0x7fc00000u);
  EXPECT_FALSE(tessera::is_finite(tessera::infinity));
  EXPECT_FALSE(tessera::is_finite(-tessera::infinity));
  EXPECT_FALSE(tessera::is_finite(tessera::quiet_nan));
  EXPECT_FALSE(tessera::is_finite(from_bits(0xff800001u)));
  EXPECT_TRUE(tessera::is_finite(std::numeric_limits<float>::max()));
  EXPECT_TRUE(tessera::is_finite(-0.0f));
  for (const std::uint32_t bits : tessera_test::special_float_bits)
    EXPECT_EQ(bits_of(from_bits(bits)), bits);
}

}  // namespace
