// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// exp, log1p, sigmoid, silu, softplus and tanh against float64 at every exponent, with the bounds their
// documentation states; special values; bit patterns that must be the same on every platform.
#include "tessera/core/math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#include "tessera/backend/scalar/vec.hpp"
#include "tests/support/norms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scale.hpp"

namespace {

using tessera::bits_of;
using tessera::from_bits;
using tessera_test::Random;
using tessera_test::repetitions;
using tessera_test::same_bits;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class F>
float apply(F f, float x) {
  float y = 0.0f;
  tessera::ScalarVectors::for_lanes<1>(1,
                                       [&](auto d, std::size_t) { d.store(&y, f(d, d.load(&x))); });
  return y;
}

/// A function under test, its exact value to double precision, and the documented bound there.
struct Exp {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::exp(d, v); }, x);
  }
  static double want(double x) { return std::exp(x); }
  static double limit(double) { return 1.0; }
};
struct Log1p {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::log1p(d, v); }, x);
  }
  static double want(double x) { return std::log1p(x); }
  static double limit(double) { return 2.0; }
};
struct Sigmoid {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::sigmoid(d, v); }, x);
  }
  static double want(double x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  }
  static double limit(double want) { return std::fabs(want) < 0x1p-126 ? 2.0 : 2.5; }
};
struct Softplus {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::softplus(d, v); }, x);
  }
  static double want(double x) { return x > 40 ? x : std::log1p(std::exp(x)); }
  static double limit(double) { return 2.0; }
};
struct Tanh {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::tanh(d, v); }, x);
  }
  static double want(double x) { return std::tanh(x); }
  static double limit(double) { return 2.5; }
};
struct Silu {
  static float got(float x) {
    return apply([](auto d, auto v) { return tessera::silu(d, v); }, x);
  }
  static double want(double x) { return x * Sigmoid::want(x); }
};

template <class F>
void check(float x) {
  if (testing::Test::HasFatalFailure()) return;  // one report is enough
  const double want = F::want(static_cast<double>(x));
  const float got = F::got(x);
  ASSERT_TRUE(tessera_test::within(tessera_test::ulp_error(got, want), F::limit(want)))
      << std::hexfloat << "at " << x << " got " << got << " want " << want;
}

/// Where e^x is subnormal the product carries its absolute error times |x|.
template <>
void check<Silu>(float x) {
  if (testing::Test::HasFatalFailure()) return;
  const double want = Silu::want(static_cast<double>(x));
  const float got = Silu::got(x);
  const double error = std::fabs(tessera_test::difference(got, want));
  const double limit = x > -87.33f ? 3.0 * tessera_test::float_spacing(want) : 0x1p-142;
  ASSERT_TRUE(tessera_test::within(error, limit))
      << std::hexfloat << "at " << x << " got " << got << " want " << want;
}

/// Both signs, every exponent, the first and last mantissas and random ones.
template <class F>
void every_exponent(std::uint64_t seed) {
  Random r(seed);
  const std::size_t n = repetitions(800);
  for (std::uint32_t e = 0; e < 255; ++e)
    for (const std::uint32_t sign : {0u, 0x80000000u}) {
      for (const std::uint32_t m :
           {0u, 1u, 2u, 0x3504f2u, 0x3504f3u, 0x3504f4u, 0x400000u, 0x7ffffeu, 0x7fffffu})
        check<F>(from_bits(sign | e << 23 | m));
      for (std::size_t i = 0; i < n; ++i)
        check<F>(from_bits(sign | e << 23 | (r.bits32() & 0x7fffffu)));
    }
}

/// Where the functions bend: an even net and random points.
template <class F>
void dense(float low, float high, std::uint64_t seed) {
  Random r(seed);
  const std::size_t n = repetitions(200000);
  const double step =
      (static_cast<double>(high) - static_cast<double>(low)) / static_cast<double>(n);
  for (std::size_t i = 0; i <= n; ++i) {
    check<F>(static_cast<float>(static_cast<double>(low) + step * static_cast<double>(i)));
    check<F>(r.uniform(low, high));
  }
}

TEST(Math, ExpAtEveryExponent) {
  every_exponent<Exp>(1);
}
TEST(Math, ExpDense) {
  dense<Exp>(-104.5f, 89.0f, 2);
}
TEST(Math, SigmoidAtEveryExponent) {
  every_exponent<Sigmoid>(3);
}
TEST(Math, SigmoidDense) {
  dense<Sigmoid>(-104.5f, 20.0f, 4);
}
TEST(Math, SiluAtEveryExponent) {
  every_exponent<Silu>(5);
}
TEST(Math, SiluDense) {
  dense<Silu>(-104.5f, 20.0f, 6);
}
TEST(Math, SoftplusAtEveryExponent) {
  every_exponent<Softplus>(7);
}
TEST(Math, SoftplusDense) {
  dense<Softplus>(-104.5f, 21.0f, 8);
}
TEST(Math, Log1pAtEveryExponent) {
  every_exponent<Log1p>(9);
}  // below -1: NaN
TEST(Math, Log1pDense) {
  dense<Log1p>(-1.0f, 1.0f, 10);
  dense<Log1p>(-0.3f, 0.5f, 11);
  dense<Log1p>(1.0f, 100.0f, 12);
}

TEST(Math, TanhAtEveryExponent) {
  every_exponent<Tanh>(13);
}
TEST(Math, TanhDense) {
  dense<Tanh>(-10.0f, 10.0f, 14);
  dense<Tanh>(0.5f, 0.75f, 15);
}

/// The argument and its neighbours, `steps` to both sides.
template <class F>
void around(float x, int steps = 50) {
  float up = x;
  float down = x;
  for (int i = 0; i < steps; ++i) {
    check<F>(up);
    check<F>(down);
    up = std::nextafter(up, inf);
    down = std::nextafter(down, -inf);
  }
}

TEST(Math, TurningPoints) {
  for (const float x : {-104.0f, -103.97208f, -88.73f, -87.33655f, -87.34f, -0.34657359f, 0.0f,
                        0.34657359f, 88.72f, 88.722839f})
    around<Exp>(x);
  for (int n = -149; n <= 127; ++n)  // the reduction's seams lie at odd halves of ln 2
    around<Exp>(static_cast<float>((n + 0.5) * 0.69314718055994531), 8);
  for (const float x : {-1.0f, -0.5f, -0.29289322f, -0x1p-24f, 0.0f, 0x1p-24f, 0x1p-23f,
                        0.41421356f, 1.0f, 0x1p23f, 0x1p24f, 3.4e38f})
    around<Log1p>(x);
  for (const float x : {-104.0f, -88.73f, -87.33655f, -20.0f, 0.0f, 16.6f, 17.4f, 20.0f, 88.0f}) {
    around<Sigmoid>(x);
    around<Silu>(x);
    around<Softplus>(x);
  }
}

TEST(Math, ExpSpecialValues) {
  EXPECT_EQ(bits_of(Exp::got(-inf)), 0u);
  EXPECT_EQ(bits_of(Exp::got(-1e30f)), 0u);
  EXPECT_EQ(bits_of(Exp::got(-104.0f)), 0u);
  EXPECT_EQ(bits_of(Exp::got(std::nextafter(-104.0f, -inf))), 0u);
  EXPECT_EQ(bits_of(Exp::got(-std::numeric_limits<float>::max())), 0u);
  EXPECT_GT(Exp::got(-103.9f), 0.0f);
  EXPECT_EQ(std::fpclassify(Exp::got(-88.73f)), FP_SUBNORMAL);  // subnormals are kept
  EXPECT_EQ(std::fpclassify(Exp::got(-87.34f)), FP_SUBNORMAL);
  EXPECT_EQ(std::fpclassify(Exp::got(-87.33f)), FP_NORMAL);
  EXPECT_EQ(Exp::got(0.0f), 1.0f);
  EXPECT_EQ(Exp::got(-0.0f), 1.0f);
  EXPECT_TRUE(std::isfinite(Exp::got(88.72f)));
  EXPECT_TRUE(std::isfinite(Exp::got(88.72283f)));
  EXPECT_EQ(Exp::got(std::nextafter(88.7228394f, inf)), inf);
  EXPECT_EQ(Exp::got(88.73f), inf);
  EXPECT_EQ(Exp::got(1e30f), inf);
  EXPECT_EQ(Exp::got(std::numeric_limits<float>::max()), inf);
  EXPECT_EQ(Exp::got(inf), inf);
  EXPECT_TRUE(std::isnan(Exp::got(nan)));
  EXPECT_TRUE(std::isnan(Exp::got(-nan)));
  EXPECT_TRUE(std::isnan(Exp::got(from_bits(0x7f800001u))));
}

TEST(Math, Log1pSpecialValues) {
  EXPECT_EQ(Log1p::got(-1.0f), -inf);
  EXPECT_TRUE(std::isfinite(Log1p::got(std::nextafter(-1.0f, 0.0f))));
  EXPECT_TRUE(std::isnan(Log1p::got(std::nextafter(-1.0f, -2.0f))));
  EXPECT_TRUE(std::isnan(Log1p::got(-2.0f)));
  EXPECT_TRUE(std::isnan(Log1p::got(-inf)));
  EXPECT_EQ(bits_of(Log1p::got(0.0f)), 0u);
  EXPECT_EQ(bits_of(Log1p::got(-0.0f)), 0x80000000u);
  EXPECT_EQ(Log1p::got(inf), inf);
  EXPECT_TRUE(std::isnan(Log1p::got(nan)));
  EXPECT_TRUE(std::isnan(Log1p::got(from_bits(0xff800001u))));
  for (const std::uint32_t tiny : {1u, 0x80000001u, 0x007fffffu, 0x807fffffu, 0x00800000u})
    EXPECT_EQ(bits_of(Log1p::got(from_bits(tiny))), tiny);  // ln(1 + x) = x there
}

TEST(Math, SigmoidSpecialValues) {
  EXPECT_EQ(bits_of(Sigmoid::got(-inf)), 0u);
  EXPECT_EQ(bits_of(Sigmoid::got(-1e30f)), 0u);
  EXPECT_EQ(Sigmoid::got(0.0f), 0.5f);
  EXPECT_EQ(Sigmoid::got(-0.0f), 0.5f);
  EXPECT_EQ(Sigmoid::got(20.0f), 1.0f);
  EXPECT_EQ(Sigmoid::got(1e30f), 1.0f);
  EXPECT_EQ(Sigmoid::got(inf), 1.0f);
  EXPECT_TRUE(std::isnan(Sigmoid::got(nan)));
  EXPECT_TRUE(std::isnan(Sigmoid::got(-nan)));
}

TEST(Math, SiluSpecialValues) {
  EXPECT_TRUE(std::isnan(Silu::got(-inf)));
  EXPECT_EQ(bits_of(Silu::got(-1e30f)), 0x80000000u);
  EXPECT_EQ(bits_of(Silu::got(0.0f)), 0u);
  EXPECT_EQ(bits_of(Silu::got(-0.0f)), 0x80000000u);
  EXPECT_EQ(Silu::got(1e30f), 1e30f);
  EXPECT_EQ(Silu::got(inf), inf);
  EXPECT_TRUE(std::isnan(Silu::got(nan)));
}

TEST(Math, SoftplusSpecialValues) {
  EXPECT_EQ(bits_of(Softplus::got(-inf)), 0u);
  EXPECT_EQ(bits_of(Softplus::got(-1e30f)), 0u);
  EXPECT_EQ(Softplus::got(0.0f), 0.6931472f);
  EXPECT_EQ(Softplus::got(20.001f), 20.001f);
  EXPECT_EQ(Softplus::got(std::nextafter(20.0f, inf)), std::nextafter(20.0f, inf));
  EXPECT_EQ(Softplus::got(89.0f), 89.0f);
  EXPECT_EQ(Softplus::got(1e30f), 1e30f);
  EXPECT_EQ(Softplus::got(inf), inf);
  EXPECT_TRUE(std::isnan(Softplus::got(nan)));
  for (const float x : {-104.0f, -103.0f, -20.0f, 0.0f, 19.999f, 20.0f, 20.001f, 89.0f})
    check<Softplus>(x);
}

TEST(Math, TanhSpecialValues) {
  EXPECT_EQ(Tanh::got(inf), 1.0f);
  EXPECT_EQ(Tanh::got(-inf), -1.0f);
  EXPECT_EQ(bits_of(Tanh::got(0.0f)), 0u);
  EXPECT_EQ(bits_of(Tanh::got(-0.0f)), 0x80000000u);
  EXPECT_EQ(Tanh::got(1e30f), 1.0f);
  EXPECT_TRUE(std::isnan(Tanh::got(nan)));
  for (const float x : {-0.625f, 0.625f, 1.0f, 9.0f}) around<Tanh>(x);
}

/// Arguments of the golden values: every branch of every function.
constexpr float arguments[] = {-103.5f,    -88.0f,    -20.0f,   -5.887331f, -1.0f, -0.75f,
                               -0.294829f, -0x1p-20f, 0x1p-30f, 0.1f,       0.7f,  1.0f,
                               3.5f,       19.999f,   20.001f,  88.72f,     1e10f, 5.1f,
                               14.2f,      123.4567f, 3e7f};

template <class F>
void golden(const std::uint32_t (&want)[std::size(arguments)], const char* name) {
  for (std::size_t i = 0; i < std::size(arguments); ++i)
    EXPECT_TRUE(same_bits(F::got(arguments[i]), from_bits(want[i])))
        << name << '(' << arguments[i] << ") = 0x" << std::hex << bits_of(F::got(arguments[i]));
}

TEST(Math, TheSameBitsEverywhere) {
  golden<Exp>(
      {0x00000001u, 0x0041edc4u, 0x310da433u, 0x3b35d23bu, 0x3ebc5ab2u, 0x3ef1da07u, 0x3f3ea1f7u,
       0x3f7ffff0u, 0x3f800000u, 0x3f8d763eu, 0x4000e153u, 0x402df854u, 0x42047639u, 0x4de71d1bu,
       0x4de7937du, 0x7f7f4648u, 0x7f800000u, 0x4324059bu, 0x49b34dffu, 0x7f800000u, 0x7f800000u},
      "exp");
  golden<Log1p>(
      {0x7fc00000u, 0x7fc00000u, 0x7fc00000u, 0x7fc00000u, 0xff800000u, 0xbfb17218u, 0xbeb2d96au,
       0xb5800004u, 0x30800000u, 0x3dc331fcu, 0x3f07d741u, 0x3f317218u, 0x3fc0859cu, 0x4042d8adu,
       0x4042da3cu, 0x408fe4eau, 0x41b834f1u, 0x3fe77602u, 0x402e29b4u, 0x409a5dddu, 0x4189bbd1u},
      "log1p");
  golden<Sigmoid>(
      {0x00000001u, 0x0041edc4u, 0x310da433u, 0x3b355174u, 0x3e89b2b1u, 0x3ea442b0u, 0x3eda886bu,
       0x3efffff8u, 0x3f000000u, 0x3f066509u, 0x3f2b0e5au, 0x3f3b26a8u, 0x3f787efeu, 0x3f800000u,
       0x3f800000u, 0x3f800000u, 0x3f800000u, 0x3f7e72deu, 0x3f7ffff4u, 0x3f800000u, 0x3f800000u},
      "sigmoid");
  golden<Silu>(
      {0x80000068u, 0x83354ddbu, 0xb3310d40u, 0xbc856f5du, 0xbe89b2b1u, 0xbe766408u, 0xbe00dc13u,
       0xb4fffff8u, 0x30000000u, 0x3d57080fu, 0x3eef7a7eu, 0x3f3b26a8u, 0x40596f1eu, 0x419ffdf4u,
       0x41a0020cu, 0x42b170a4u, 0x501502f9u, 0x40a23607u, 0x41633328u, 0x42f6e9d5u, 0x4be4e1c0u},
      "silu");
  golden<Softplus>(
      {0x00000001u, 0x0041edc4u, 0x310da433u, 0x3b3591c8u, 0x3ea063d6u, 0x3ec613f5u, 0x3f0e7aa8u,
       0x3f317210u, 0x3f317218u, 0x3f3e90c8u, 0x3f8d3533u, 0x3fa818f5u, 0x4061e76eu, 0x419ffdf4u,
       0x41a0020cu, 0x42b170a4u, 0x501502f9u, 0x40a364feu, 0x41633334u, 0x42f6e9d5u, 0x4be4e1c0u},
      "softplus");
}

}  // namespace
