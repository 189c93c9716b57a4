// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// exp_double, log_double and cos_sin against long double and double libm, with the documented bounds,
// and bit patterns that must be the same on every platform.
#include "tessera/core/angles.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "tessera/core/arithmetic.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using tessera_test::Random;
using tessera_test::repetitions;
using tessera_test::within;

double random_between(Random& r, double low, double high) {
  return low + (high - low) * (static_cast<double>(r.bits64() >> 11) * 0x1p-53);
}

void check_exp(double x) {
  if (testing::Test::HasFatalFailure()) return;  // one report is enough
  const long double want = std::exp(static_cast<long double>(x));
  const long double error = std::fabs(static_cast<long double>(tessera::exp_double(x)) / want - 1);
  ASSERT_TRUE(within(static_cast<double>(error), 0x1p-51)) << std::hexfloat << x;
}

TEST(Angles, ExpDouble) {
  Random r(1);
  const std::size_t n = repetitions(200000);
  for (std::size_t i = 0; i < n; ++i) {
    check_exp(random_between(r, -700, 700));
    check_exp(random_between(r, -30, 1));
    check_exp(random_between(r, -1e-3, 1e-3));
  }
  for (int i = -700; i <= 700; ++i) {
    check_exp(i);
    const double seam = (i + 0.5) * 0.69314718055994530942;
    if (std::fabs(seam) < 700) check_exp(seam), check_exp(std::nextafter(seam, 800.0));
  }
  EXPECT_EQ(tessera::exp_double(0.0), 1.0);
  EXPECT_EQ(tessera::exp_double(-0.0), 1.0);
  for (const double tiny : {0x1p-60, -0x1p-60, 0x1p-1074, -0x1p-1022})
    EXPECT_EQ(tessera::exp_double(tiny), 1.0);
}

void check_log(double x) {
  if (testing::Test::HasFatalFailure()) return;
  const long double want = std::log(static_cast<long double>(x));
  const long double error = std::fabs(static_cast<long double>(tessera::log_double(x)) - want);
  const double limit = 0x1p-51 * std::fmax(1.0, static_cast<double>(std::fabs(want)));
  ASSERT_TRUE(within(static_cast<double>(error), limit)) << std::hexfloat << x;
}

TEST(Angles, LogDoubleAtEveryExponent) {
  Random r(2);
  const std::size_t n = repetitions(64);
  for (std::uint64_t e = 1; e < 2047; ++e) {
    for (const std::uint64_t m : {0x0ull, 0x1ull, 0x6a09e667f3bccull, 0x6a09e667f3bcdull,
                                  0x6a09e667f3bceull, 0xfffffffffffffull})
      check_log(std::bit_cast<double>(e << 52 | m));
    for (std::size_t i = 0; i < n; ++i)
      check_log(std::bit_cast<double>(e << 52 | r.bits64() >> 12));
  }
}

TEST(Angles, LogDoubleNearOneAndOfBases) {
  Random r(3);
  for (std::size_t i = repetitions(100000); i > 0; --i) check_log(random_between(r, 0.5, 2.0));
  for (const double base : {1e4, 5e5, 1e6, 1e7, 8e6, 150000.0}) check_log(base);
  EXPECT_EQ(tessera::log_double(1.0), 0.0);
  EXPECT_EQ(tessera::log_double(2.0), 0.69314718055994530942);
  EXPECT_EQ(tessera::log_double(0.5), -0.69314718055994530942);
}

void check_cos_sin(double angle) {
  if (testing::Test::HasFatalFailure()) return;
  const tessera::CosSin got = tessera::cos_sin(angle);
  ASSERT_TRUE(within(std::fabs(static_cast<double>(got.cos) - std::cos(angle)), 0x1p-25))
      << std::hexfloat << angle;
  ASSERT_TRUE(within(std::fabs(static_cast<double>(got.sin) - std::sin(angle)), 0x1p-25))
      << std::hexfloat << angle;
}

constexpr double positions[] = {0, 1, 40, 4095, 15962, 131071, 262143, 1048575};

TEST(Angles, CosSinOfRotations) {
  for (const double base : {1e4, 5e5, 1e6, 1e7})
    for (const int dim : {64, 80, 128, 256})
      for (int p = 0; 2 * p < dim; ++p) {
        const double frequency = std::exp(-std::log(base) * 2 * p / dim);
        for (const double position : positions) {
          check_cos_sin(position * frequency);
          check_cos_sin(-position * frequency);
        }
      }
}

TEST(Angles, CosSinOfTheWholeRange) {
  Random r(4);
  for (std::size_t i = repetitions(300000); i > 0; --i) {
    check_cos_sin(random_between(r, -0x1p21, 0x1p21));
    check_cos_sin(random_between(r, -10, 10));
  }
  for (const double angle : {0x1p21, -0x1p21, 0x1p-30, -0x1p-30, 0x1p-1074}) check_cos_sin(angle);
}

TEST(Angles, CosSinNextToMultiplesOfHalfPi) {
  // There one of the two is near 0 and all its bits come from the reduction.
  Random r(5);
  const auto check_near = [](double n) {
    const auto nearest =
        static_cast<double>(static_cast<long double>(n) * 1.57079632679489661923132169163975144L);
    for (const double angle :
         {nearest, std::nextafter(nearest, 0.0), std::nextafter(nearest, 1e9)}) {
      check_cos_sin(angle);
      const tessera::CosSin got = tessera::cos_sin(angle);
      const double small = std::fmin(std::fabs(std::cos(angle)), std::fabs(std::sin(angle)));
      const float low = std::fmin(std::fabs(got.cos), std::fabs(got.sin));
      ASSERT_TRUE(within(std::fabs(static_cast<double>(low) - small), 0x1p-52 + small * 0x1p-24))
          << std::hexfloat << angle;
    }
    for (const double off : {0.49999999, 0.5, 0.50000001})  // where the quadrant changes
      check_cos_sin((n + off) * 1.57079632679489661923);
  };
  for (int n = -200; n <= 200; ++n) check_near(n);
  for (std::size_t i = repetitions(20000); i > 0; --i)
    check_near(std::floor(random_between(r, -1335000, 1335000)));
}

TEST(Angles, Zero) {
  EXPECT_EQ(tessera::cos_sin(0.0).cos, 1.0f);
  EXPECT_EQ(tessera::bits_of(tessera::cos_sin(0.0).sin), 0u);
}

TEST(Angles, NearestInteger) {
  using tessera::detail::nearest_integer;
  for (const double x : {0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999999999999994, 1e9 + 0.5,
                         2147483647.0, -2147483647.25, 0x1p-40})
    EXPECT_EQ(nearest_integer(x), std::nearbyint(x)) << x;
}

TEST(Angles, TheSameBitsEverywhere) {
  const double exponents[] = {-699.5, -30.25, -1.0,    -0.1, 0.3,  1.0, 9.210340371976184,
                              699.5,  0.3465, -0.3465, 0.34, -0.33};
  const std::uint64_t exps[] = {0x00dc89c2e339b392u, 0x3d34835bd010a41bu, 0x3fd78b56362cef38u,
                                0x3fecf46d99d52b3au, 0x3ff599058c8c1a96u, 0x4005bf0a8b14576au,
                                0x40c3880000000005u, 0x7f01f0df6d72215eu, 0x3ff6a03146cf6eadu,
                                0x3fe6a10b883d5676u, 0x3ff67aaa532108beu, 0x3fe7016c586d1128u};
  for (std::size_t i = 0; i < std::size(exponents); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(tessera::exp_double(exponents[i])), exps[i])
        << exponents[i];
  const double bases[] = {0x1p-1022, 0.1, 0.7071067811865475, 0.75, 3.0, 1e4, 1e6, 1e300};
  const std::uint64_t logs[] = {0xc086232bdd7abcd2u, 0xc0026bb1bbb55515u, 0xbfd62e42fefa39f1u,
                                0xbfd269621134db92u, 0x3ff193ea7aad030bu, 0x40226bb1bbb55516u,
                                0x402ba18a998fffa0u, 0x4085963447f87fb5u};
  for (std::size_t i = 0; i < std::size(bases); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(tessera::log_double(bases[i])), logs[i]) << bases[i];
  const double angles[] = {1e-3, 0.5, 1.0, 2.0, 3.0, 5.0, -1.25, 4095.0, 131071.0, 1048575.0};
  const std::uint32_t cosines[] = {0x3f7ffff8u, 0x3f60a940u, 0x3f0a5140u, 0xbed51133u, 0xbf7d7026u,
                                   0x3e913c2cu, 0x3ea171efu, 0xbd871e6cu, 0xbf51675eu, 0x3f49bd23u};
  const std::uint32_t sines[] = {0x3a83126du, 0x3ef57744u, 0x3f576aa4u, 0x3f68c7b7u, 0x3e1081c3u,
                                 0xbf757c10u, 0xbf72f0a8u, 0xbf7f7136u, 0xbf13430au, 0xbf1d9959u};
  for (std::size_t i = 0; i < std::size(angles); ++i) {
    EXPECT_EQ(tessera::bits_of(tessera::cos_sin(angles[i]).cos), cosines[i]) << angles[i];
    EXPECT_EQ(tessera::bits_of(tessera::cos_sin(angles[i]).sin), sines[i]) << angles[i];
  }
}

}  // namespace
