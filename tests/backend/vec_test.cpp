// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Floating-point operations and comparisons of every backend's vector layer: scalar's bits.
#include <gtest/gtest.h>

#include <vector>

#include "tests/backend/backends.hpp"
#include "tests/backend/lanes_check.hpp"

namespace {

template <class B>
class Vec : public ::testing::Test {
 public:
  using Check = tessera_test::LanesCheck<typename B::Vectors>;
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << "not on this core";
  }
};
TYPED_TEST_SUITE(Vec, tessera_test::BackendsWithOwnVectors, tessera_test::BackendName);

TYPED_TEST(Vec, Stretches) {
  using V = typename TypeParam::Vectors;
  tessera_test::for_each_kind([](auto kind) {
    for (const std::size_t n : tessera_test::lengths(tessera_test::full_width<V, kind>(), 3000)) {
      std::size_t next = 0;
      tessera_test::stretches<V, kind>(n, [&](auto d, std::size_t i) {
        ASSERT_EQ(i, next);
        ASSERT_GE(d.size(), 1u);
        next += d.size();
        if (kind == 0 && next < n) {
          ASSERT_EQ(d.size(), tessera::virtual_lanes);
        }
      });
      ASSERT_EQ(next, n);
    }
    tessera_test::stretches<V, kind>(0,
                                     [](auto, std::size_t) { FAIL() << "a stretch of nothing"; });
  });
  ASSERT_EQ(V::full_virtual().size(), tessera::virtual_lanes);
}

TYPED_TEST(Vec, AddSubDivSqrt) {
  using C = typename TestFixture::Check;
  C::floats("add", [](auto d, auto& a, auto& b, auto&) { return d.add(a, b); });
  C::floats("sub", [](auto d, auto& a, auto& b, auto&) { return d.sub(a, b); });
  C::floats("div", [](auto d, auto& a, auto& b, auto&) { return d.div(a, b); });
  C::floats("sqrt", [](auto d, auto& a, auto&, auto&) { return d.sqrt(a); });
}

TYPED_TEST(Vec, SignBitOnly) {
  using C = typename TestFixture::Check;
  // As integers: the payload of a NaN stays.
  C::floats("neg", [](auto d, auto& a, auto&, auto&) { return d.bits(d.neg(a)); });
  C::floats("abs", [](auto d, auto& a, auto&, auto&) { return d.bits(d.abs(a)); });
}

TYPED_TEST(Vec, Product) {
  using C = typename TestFixture::Check;
  C::floats("mul", [](auto d, auto& a, auto& b, auto&) { return d.rounded(d.mul(a, b)); });
  C::floats("mul(Product, F32)",
            [](auto d, auto& a, auto& b, auto& c) { return d.rounded(d.mul(d.mul(a, b), c)); });
  C::floats("mul(F32, Product)",
            [](auto d, auto& a, auto& b, auto& c) { return d.rounded(d.mul(a, d.mul(b, c))); });
  C::floats("mul(Product, Product)", [](auto d, auto& a, auto& b, auto& c) {
    return d.rounded(d.mul(d.mul(a, b), d.mul(b, c)));
  });
}

/// One scalar for all lanes: the same as a vector of it.
TYPED_TEST(Vec, ScalarOperands) {
  using C = typename TestFixture::Check;
  for (const float x : {0.0f, -1.5f, 0x1.715476p+0f, 1e30f}) {
    C::floats("mul(float, F32)",
              [=](auto d, auto& a, auto&, auto&) { return d.rounded(d.mul(x, a)); });
    C::floats("fma(float, F32, F32)",
              [=](auto d, auto& a, auto& b, auto&) { return d.fma(x, a, b); });
    C::floats("accumulate", [=](auto d, auto& a, auto& b, auto&) {
      auto sum = b;
      d.accumulate(sum, x, a);
      return sum;
    });
    C::floats("fma(float, F32, Product)",
              [=](auto d, auto& a, auto& b, auto& c) { return d.fma(x, a, d.mul(b, c)); });
    C::floats("sub(F32, float)", [=](auto d, auto& a, auto&, auto&) { return d.sub(a, x); });
    C::floats("fnma(float, F32, F32)",
              [=](auto d, auto& a, auto& b, auto&) { return d.fnma(x, a, b); });
    C::floats("select(gt(F32, float), float, F32)",
              [=](auto d, auto& a, auto& b, auto&) { return d.bits(d.select(d.gt(a, x), x, b)); });
    C::floats("select(lt(F32, float), float, F32)",
              [=](auto d, auto& a, auto& b, auto&) { return d.bits(d.select(d.lt(a, x), x, b)); });
  }
}

// What compilers fuse behind one's back: a rounded product before an addition or subtraction.
TYPED_TEST(Vec, RoundedProductIsNotFused) {
  using C = typename TestFixture::Check;
  C::floats("a * b + c",
            [](auto d, auto& a, auto& b, auto& c) { return d.add(d.rounded(d.mul(a, b)), c); });
  C::floats("c - a * b",
            [](auto d, auto& a, auto& b, auto& c) { return d.sub(c, d.rounded(d.mul(a, b))); });
  C::floats("a * b - c",
            [](auto d, auto& a, auto& b, auto& c) { return d.sub(d.rounded(d.mul(a, b)), c); });
}

// The same against numbers worked out by hand, so that a scalar backend that fuses is found too:
// with x = 1 + 2^-12, x * x - 1 is 2^-11 if the product is rounded and 2^-11 + 2^-24 if it is not.
TYPED_TEST(Vec, FusedAndRoundedDiffer) {
  const std::vector<float> x(100, 1.0f + 0x1p-12f);
  const std::vector<float> minus_one(100, -1.0f);
  std::vector<float> split(100), fused(100);
  tessera_test::for_each_kind([&](auto kind) {
    tessera_test::stretches<typename TypeParam::Vectors, kind>(100, [&](auto d, std::size_t k) {
      const auto v = d.load(&x[k]);
      const auto c = d.load(&minus_one[k]);
      d.store(&split[k], d.add(d.rounded(d.mul(v, v)), c));
      d.store(&fused[k], d.fma(v, v, c));
    });
    for (std::size_t k = 0; k < 100; ++k) {
      ASSERT_EQ(split[k], 0x1p-11f) << "kind " << kind;
      ASSERT_EQ(fused[k], 0x1p-11f + 0x1p-24f) << "kind " << kind;
    }
  });
}

TYPED_TEST(Vec, Fma) {
  using C = typename TestFixture::Check;
  C::floats("fma", [](auto d, auto& a, auto& b, auto& c) { return d.fma(a, b, c); });
  C::floats("fnma", [](auto d, auto& a, auto& b, auto& c) { return d.fnma(a, b, c); });
  // The same operand twice: the accumulator register is also a factor.
  C::floats("fma(a, b, b)", [](auto d, auto& a, auto& b, auto&) { return d.fma(a, b, b); });
  C::floats("fma(a, a, a)", [](auto d, auto& a, auto&, auto&) { return d.fma(a, a, a); });
}

TYPED_TEST(Vec, FmaOfProducts) {
  using C = typename TestFixture::Check;
  C::floats("fma(Product, F32, F32)",
            [](auto d, auto& a, auto& b, auto& c) { return d.fma(d.mul(a, b), b, c); });
  C::floats("fma(F32, Product, F32)",
            [](auto d, auto& a, auto& b, auto& c) { return d.fma(a, d.mul(a, b), c); });
  C::floats("fma(F32, F32, Product)",
            [](auto d, auto& a, auto& b, auto& c) { return d.fma(a, b, d.mul(b, c)); });
  C::floats("fma(Product, Product, Product)", [](auto d, auto& a, auto& b, auto& c) {
    return d.fma(d.mul(a, b), d.mul(b, c), d.mul(a, c));
  });
  C::floats("fnma(F32, F32, Product)",
            [](auto d, auto& a, auto& b, auto& c) { return d.fnma(a, b, d.mul(b, c)); });
  C::floats("fnma(Product, F32, F32)",
            [](auto d, auto& a, auto& b, auto& c) { return d.fnma(d.mul(a, b), b, c); });
}

TYPED_TEST(Vec, MaxMin) {
  using C = typename TestFixture::Check;
  // As integers: which of two zeros, and which NaN.
  C::floats("max", [](auto d, auto& a, auto& b, auto&) { return d.bits(d.max(a, b)); });
  C::floats("min", [](auto d, auto& a, auto& b, auto&) { return d.bits(d.min(a, b)); });
}

TYPED_TEST(Vec, Comparisons) {
  using C = typename TestFixture::Check;
  C::floats("gt", [](auto d, auto& a, auto& b, auto&) { return d.gt(a, b); });
  C::floats("ge", [](auto d, auto& a, auto& b, auto&) { return d.ge(a, b); });
  C::floats("lt", [](auto d, auto& a, auto& b, auto&) { return d.lt(a, b); });
  C::floats("le", [](auto d, auto& a, auto& b, auto&) { return d.le(a, b); });
  C::floats("eq", [](auto d, auto& a, auto& b, auto&) { return d.eq(a, b); });
}

TYPED_TEST(Vec, ComparisonsOfProducts) {
  using C = typename TestFixture::Check;
  C::floats("gt(Product, F32)",
            [](auto d, auto& a, auto& b, auto& c) { return d.gt(d.mul(a, b), c); });
  C::floats("le(F32, Product)",
            [](auto d, auto& a, auto& b, auto& c) { return d.le(a, d.mul(b, c)); });
  C::floats("eq(Product, Product)",
            [](auto d, auto& a, auto& b, auto& c) { return d.eq(d.mul(a, b), d.mul(c, b)); });
}

TYPED_TEST(Vec, MasksAndSelect) {
  using C = typename TestFixture::Check;
  C::floats("mask_and",
            [](auto d, auto& a, auto& b, auto& c) { return d.mask_and(d.gt(a, b), d.lt(b, c)); });
  C::floats("mask_or",
            [](auto d, auto& a, auto& b, auto& c) { return d.mask_or(d.gt(a, b), d.lt(b, c)); });
  C::floats("mask_not", [](auto d, auto& a, auto& b, auto&) { return d.mask_not(d.gt(a, b)); });
  C::floats("select of F32",
            [](auto d, auto& a, auto& b, auto& c) { return d.bits(d.select(d.gt(a, b), c, a)); });
}

TYPED_TEST(Vec, Constants) {
  using C = typename TestFixture::Check;
  for (const std::uint32_t bits : {0x80000000u, 0x3f800000u, 0x00000001u, 0xff800000u, 0x7fc00000u})
    C::floats("set", [bits](auto d, auto&, auto&, auto&) {
      return d.bits(d.set(tessera::from_bits(bits)));
    });
}

}  // namespace
