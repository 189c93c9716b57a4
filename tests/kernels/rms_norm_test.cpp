// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// rms_norm on every backend: float64 reference, scalar's bits, operands, refusals.
#include "tessera/norm.hpp"

#include <cmath>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/rms_norm.hpp"

namespace tessera_test {
namespace {

template <class B>
class RmsNorm : public OnBackend<B> {};
TYPED_TEST_SUITE(RmsNorm, FloatBackends, BackendName);

/// All rows of x, as values.
template <class B>
std::vector<float> normed(tessera::MatrixView<const float> x, const float* w, float eps = 1e-5f) {
  GuardedMatrix<float> y(x.rows, x.cols, 3);
  EXPECT_EQ(tessera::rms_norm<B>({x, w, y.view(), eps}), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return values_of(y);
}

GuardedBuffer<float> weights(std::size_t n, std::uint64_t seed) {
  GuardedBuffer<float> w(n);
  Random random(seed);
  fill(w.span(), Fill::gaussian, random);
  w.seal();
  return w;
}

TYPED_TEST(RmsNorm, EveryLength) {
  for (const std::size_t n : row_lengths()) {
    for (const Guard side : both_guards) {
      auto x = random_matrix(3, n, n, 1, side);
      for (float& v : x.row_span(1)) v *= 1000;
      const auto w = weights(n, n + 1);
      for (const float* weight : {w.data(), static_cast<const float*>(nullptr)}) {
        const auto y = normed<TypeParam>(x.input(), weight);
        reference::Expected want;
        for (std::size_t i = 0; i < 3; ++i) reference::rms_norm(x.row(i), weight, n, 1e-5f, want);
        ASSERT_TRUE(matches(y, want)) << n;
        ASSERT_TRUE(same_bits(y, normed<tessera::backend::scalar>(x.input(), weight))) << n;
      }
    }
  }
}

TYPED_TEST(RmsNorm, EveryKindOfData) {
  for (const Fill kind : all_fills)
    for (const std::size_t n : {1, 31, 32, 33, 100}) {
      const auto x = random_matrix(4, n, n, 0, Guard::rear, kind);
      for (const float eps : {1e-5f, 0.0f, 1e-30f, 3.0f})
        ASSERT_TRUE(same_bits(normed<TypeParam>(x.input(), nullptr, eps),
                              normed<tessera::backend::scalar>(x.input(), nullptr, eps)))
            << name(kind) << " " << n << " eps " << eps;
    }
}

TYPED_TEST(RmsNorm, NonFiniteRows) {
  const std::size_t n = 45;
  auto x = random_matrix(4, n, 5);
  x(1, 3) = nan;
  x(2, 44) = -inf;
  for (float& v : x.row_span(3)) v = 0x1p100f;  // its squares overflow
  const auto y = normed<TypeParam>(x.input(), nullptr);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_TRUE(std::isfinite(y[j]));
    EXPECT_TRUE(std::isnan(y[n + j]));
    if (j == 44)
      EXPECT_TRUE(std::isnan(y[2 * n + j]));  // -inf * 0
    else
      EXPECT_EQ(y[2 * n + j], 0.0f);
    EXPECT_EQ(y[3 * n + j], 0.0f);
  }
}

TYPED_TEST(RmsNorm, ZeroRows) {
  GuardedMatrix<float> x(1, 37);
  for (float& v : x.row_span(0)) v = 0;
  for (const float v : normed<TypeParam>(x.input(), nullptr)) EXPECT_EQ(v, 0.0f);
  for (const float v : normed<TypeParam>(x.input(), nullptr, 0.0f)) EXPECT_TRUE(std::isnan(v));
}

TYPED_TEST(RmsNorm, StridesInPlaceAndUnits) {
  const std::size_t m = 7;
  const std::size_t n = 50;
  auto x = random_matrix(m, n, 9, 4);
  const auto w = weights(n, 10);
  const auto want = normed<TypeParam>(x.input(), w.data());
  GuardedMatrix<float> y(m, n, 2);
  expect_same_units(
      tessera::RmsNormArgs{x.input(), w.data(), y.view(), 1e-5f}, y, want,
      [](const auto& args, auto range) { return tessera::rms_norm<TypeParam>(args, range); });

  auto up = x.input();
  up.data = x.row(m - 1);
  up.row_stride = -up.row_stride;
  const auto reversed = normed<TypeParam>(up, w.data());
  auto same = x.input();
  same.row_stride = 0;
  const auto repeated = normed<TypeParam>(same, w.data());
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = std::span(want).subspan(i * n, n);
    ASSERT_TRUE(same_bits(std::span(reversed).subspan((m - 1 - i) * n, n), row));
    ASSERT_TRUE(same_bits(std::span(repeated).subspan(i * n, n), std::span(want).first(n)));
  }

  ASSERT_EQ(tessera::rms_norm<TypeParam>({x.input(), w.data(), x.view(), 1e-5f}), Status::ok);
  ASSERT_TRUE(same_bits(values_of(x), want));
  ASSERT_TRUE(x.untouched_outside());
}

/// Valid arguments, to be spoilt one at a time.
template <class B>
struct Norm {
  GuardedMatrix<float> x = random_matrix(3, 10, 1, 2);
  GuardedMatrix<float> y{3, 10, 2};
  GuardedBuffer<float> w{10};
  tessera::RmsNormArgs args;

  Norm() { restore(); }
  void restore() { args = {x.input(), w.data(), y.view(), 1e-5f}; }
  void refused(Status want) {
    const auto before = values_of(x);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::rms_norm<B>(args), want);
    EXPECT_EQ(tessera::rms_norm<B>(args, {0, 1}), want);
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(w.untouched());
    EXPECT_TRUE(same_bits(values_of(x), before));
    restore();
  }
};

TYPED_TEST(RmsNorm, Refused) {
  Norm<TypeParam> p;
  expect_view_checked(p, &tessera::RmsNormArgs::x);
  expect_view_checked(p, &tessera::RmsNormArgs::y);
  p.args.x.rows = p.args.y.rows = 0;
  p.refused(Status::empty_shape);
  p.args.x.cols = p.args.y.cols = 0;
  p.refused(Status::empty_shape);
  p.args.weight = shifted(p.args.weight, 3);
  p.refused(Status::misaligned);
  p.args.y = p.x.view();
  p.args.y.data += 1;
  p.refused(Status::overlap);
  p.args.y = p.x.view();
  p.args.y.row_stride += 1;
  p.args.y.rows = p.args.x.rows = 2;
  p.refused(Status::overlap);
  p.args.weight = p.y.row(2) + 9;
  p.refused(Status::overlap);
  for (const float eps : {nan, inf, -inf}) {
    p.args.eps = eps;
    p.refused(Status::not_finite);
  }
  p.args.eps = -0x1p-149f;
  p.refused(Status::position_range);
}

template <class B>
class RmsNormElsewhere : public testing::Test {};
TYPED_TEST_SUITE(RmsNormElsewhere, CoreBackends, BackendName);

TYPED_TEST(RmsNormElsewhere, RefusedOnAnotherCore) {
  Norm<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test
