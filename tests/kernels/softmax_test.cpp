// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// softmax on every backend: float64 reference, scalar's bits, operands, refusals.
#include "tessera/softmax.hpp"

#include <cmath>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/softmax.hpp"

namespace tessera_test {
namespace {

template <class B>
class Softmax : public OnBackend<B> {};
TYPED_TEST_SUITE(Softmax, FloatBackends, BackendName);

template <class B>
std::vector<float> weighed(tessera::MatrixView<const float> x, float scale = 1.0f) {
  GuardedMatrix<float> y(x.rows, x.cols, 2);
  EXPECT_EQ(tessera::softmax<B>({x, y.view(), scale}), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return values_of(y);
}

template <class B>
void expect_reference(const GuardedMatrix<float>& x, float scale) {
  const auto y = weighed<B>(x.input(), scale);
  reference::Expected want;
  for (std::size_t i = 0; i < x.rows(); ++i) reference::softmax(x.row(i), scale, x.cols(), want);
  ASSERT_TRUE(matches(y, want)) << x.cols() << " scale " << scale;
  ASSERT_TRUE(same_bits(y, weighed<tessera::backend::scalar>(x.input(), scale)));
}

TYPED_TEST(Softmax, EveryLength) {
  for (const std::size_t n : row_lengths())
    for (const Guard side : both_guards) {
      auto x = random_matrix(3, n, n, 1, side);
      for (float& v : x.row_span(1)) v *= 20;
      for (const float scale : {1.0f, 0.125f, -3.0f, 0.0f})
        ASSERT_NO_FATAL_FAILURE(expect_reference<TypeParam>(x, scale));
    }
}

TYPED_TEST(Softmax, MaskedElements) {
  for (const std::size_t n : {1, 2, 31, 32, 33, 65, 129}) {
    auto x = random_matrix(5, n, n);
    for (float& v : x.row_span(0)) v = -inf;                             // nothing
    for (std::size_t j = 0; j + 1 < n; ++j) x(1, j) = -inf;              // only the last
    for (std::size_t j = 1; j < n; ++j) x(2, j) = -inf;                  // only the first
    for (std::size_t j = 0; j < n / 2; ++j) x(3, j) = -inf;              // the second half
    for (std::size_t j = 0; j < n; j += 2) x(4, j) = j == 0 ? 0 : -inf;  // every other
    ASSERT_NO_FATAL_FAILURE(expect_reference<TypeParam>(x, 1.0f));
    const auto y = weighed<TypeParam>(x.input());
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(y[j], 0.0f);
      EXPECT_EQ(y[n + j], j + 1 == n ? 1.0f : 0.0f);
      EXPECT_EQ(y[2 * n + j], j == 0 ? 1.0f : 0.0f);
    }
  }
}

TYPED_TEST(Softmax, NaNAndInfinityMakeTheRowNaN) {
  for (const std::size_t n : {1, 33, 70})
    for (const float bad : {nan, inf})
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        auto x = random_matrix(2, n, n);
        const auto clean = weighed<TypeParam>(x.input());
        x(0, at) = bad;
        const auto y = weighed<TypeParam>(x.input());
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_TRUE(std::isnan(y[j])) << bad << " at " << at << " of " << n;
          EXPECT_TRUE(same_bits(y[n + j], clean[n + j]));
        }
      }
}

TYPED_TEST(Softmax, LargeAndEqualLogits) {
  GuardedMatrix<float> x(2, 1000);
  for (float& v : x.row_span(0)) v = 3e38f;
  for (float& v : x.row_span(1)) v = -3e38f;
  for (const float p : weighed<TypeParam>(x.input())) ASSERT_NEAR(p, 1e-3, 1e-3 * 0x1p-18);
}

TYPED_TEST(Softmax, EveryKindOfData) {
  for (const Fill kind : all_fills)
    for (const std::size_t n : {1, 32, 33, 100}) {
      const auto x = random_matrix(4, n, n, 0, Guard::rear, kind);
      ASSERT_TRUE(same_bits(weighed<TypeParam>(x.input(), 0.7f),
                            weighed<tessera::backend::scalar>(x.input(), 0.7f)))
          << name(kind) << " " << n;
    }
}

TYPED_TEST(Softmax, StridesInPlaceAndUnits) {
  const std::size_t m = 7;
  const std::size_t n = 50;
  auto x = random_matrix(m, n, 9, 4);
  const auto want = weighed<TypeParam>(x.input(), 2.0f);
  GuardedMatrix<float> y(m, n, 2);
  expect_same_units(
      tessera::SoftmaxArgs{x.input(), y.view(), 2.0f}, y, want,
      [](const auto& args, auto range) { return tessera::softmax<TypeParam>(args, range); });

  auto up = x.input();
  up.data = x.row(m - 1);
  up.row_stride = -up.row_stride;
  const auto reversed = weighed<TypeParam>(up, 2.0f);
  auto same = x.input();
  same.row_stride = 0;
  const auto repeated = weighed<TypeParam>(same, 2.0f);
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = std::span(want).subspan(i * n, n);
    ASSERT_TRUE(same_bits(std::span(reversed).subspan((m - 1 - i) * n, n), row));
    ASSERT_TRUE(same_bits(std::span(repeated).subspan(i * n, n), std::span(want).first(n)));
  }

  ASSERT_EQ(tessera::softmax<TypeParam>({x.input(), x.view(), 2.0f}), Status::ok);
  ASSERT_TRUE(same_bits(values_of(x), want));
  ASSERT_TRUE(x.untouched_outside());
}

template <class B>
struct Weighing {
  GuardedMatrix<float> x = random_matrix(3, 10, 1, 2);
  GuardedMatrix<float> y{3, 10, 2};
  tessera::SoftmaxArgs args;

  Weighing() { restore(); }
  void restore() { args = {x.input(), y.view(), 1.0f}; }
  void refused(Status want) {
    const auto before = values_of(x);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::softmax<B>(args), want);
    EXPECT_EQ(tessera::softmax<B>(args, {0, 1}), want);
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(same_bits(values_of(x), before));
    restore();
  }
};

TYPED_TEST(Softmax, Refused) {
  Weighing<TypeParam> p;
  expect_view_checked(p, &tessera::SoftmaxArgs::x);
  expect_view_checked(p, &tessera::SoftmaxArgs::y);
  p.args.x.rows = p.args.y.rows = 0;
  p.refused(Status::empty_shape);
  p.args.x.cols = p.args.y.cols = 0;
  p.refused(Status::empty_shape);
  p.args.y = p.x.view();
  p.args.y.data += 1;
  p.refused(Status::overlap);
  for (const float scale : {nan, inf, -inf}) {
    p.args.scale = scale;
    p.refused(Status::not_finite);
  }
}

template <class B>
class SoftmaxElsewhere : public testing::Test {};
TYPED_TEST_SUITE(SoftmaxElsewhere, CoreBackends, BackendName);

TYPED_TEST(SoftmaxElsewhere, RefusedOnAnotherCore) {
  Weighing<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test
