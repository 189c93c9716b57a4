// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// softplus, sigmoid and silu of rows on every backend: float64 reference, scalar's bits, operands, refusals.
#include "tessera/activation.hpp"

#include <cmath>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/activation_functions.hpp"

namespace tessera_test {
namespace {

using reference::Activation;
constexpr Activation functions[] = {Activation::softplus, Activation::sigmoid, Activation::silu};

template <class B>
class ActivationRows : public OnBackend<B> {};
TYPED_TEST_SUITE(ActivationRows, FloatBackends, BackendName);

template <class B>
Status run(Activation f, const tessera::ActivationArgs& a, tessera::UnitRange r) {
  if (f == Activation::softplus) return tessera::softplus<B>(a, r);
  return f == Activation::sigmoid ? tessera::sigmoid<B>(a, r) : tessera::silu<B>(a, r);
}
template <class B>
std::vector<float> activated(Activation f, tessera::MatrixView<const float> x) {
  GuardedMatrix<float> y(x.rows, x.cols, 2);
  EXPECT_EQ(run<B>(f, {x, y.view()}, {0, x.rows}), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return values_of(y);
}

TYPED_TEST(ActivationRows, EveryLength) {
  for (const std::size_t n : {1, 3, 15, 16, 17, 33, 64, 100, 257})
    for (const Activation f : functions) {
      auto x = random_matrix(3, n, n, 1);
      for (float& v : x.row_span(1)) v *= 30;
      const auto y = activated<TypeParam>(f, x.input());
      reference::Expected want;
      for (std::size_t i = 0; i < 3; ++i) reference::activation(f, x.row(i), n, want);
      ASSERT_TRUE(matches(y, want)) << n;
      ASSERT_TRUE(same_bits(y, activated<tessera::backend::scalar>(f, x.input())));
      const tessera::ActivationArgs in_place = {x.input(), x.view()};
      ASSERT_EQ(run<TypeParam>(f, in_place, {0, 3}), Status::ok);
      ASSERT_TRUE(same_bits(values_of(x), y));
      ASSERT_TRUE(x.untouched_outside());
    }
}

TYPED_TEST(ActivationRows, WholeMatrixAndUnits) {
  auto x = random_matrix(5, 40, 1, 3);
  GuardedMatrix<float> y(5, 40, 2);
  const tessera::ActivationArgs args = {x.input(), y.view()};
  const auto same = [&](Activation f, Status s) {
    EXPECT_EQ(s, Status::ok);
    EXPECT_TRUE(same_bits(values_of(y), activated<TypeParam>(f, x.input())));
    y.poison();
  };
  same(Activation::softplus, tessera::softplus<TypeParam>(args));
  same(Activation::sigmoid, tessera::sigmoid<TypeParam>(args));
  same(Activation::silu, tessera::silu<TypeParam>(args));
  for (const Activation f : functions)
    expect_same_units(args, y, activated<TypeParam>(f, x.input()),
                      [f](const auto& a, auto range) { return run<TypeParam>(f, a, range); });
}

TYPED_TEST(ActivationRows, SpecialValues) {
  const float in[] = {nan, inf, -inf, -0.0f, 20.001f, 89, -104};
  GuardedMatrix<float> x(1, 7);
  for (std::size_t j = 0; j < 7; ++j) x(0, j) = in[j];
  const auto plus = activated<TypeParam>(Activation::softplus, x.input());
  const auto half = activated<TypeParam>(Activation::sigmoid, x.input());
  const auto silu = activated<TypeParam>(Activation::silu, x.input());
  for (const auto* y : {&plus, &half, &silu}) EXPECT_TRUE(std::isnan((*y)[0]));
  EXPECT_EQ(plus[1], inf);
  EXPECT_EQ(half[1], 1.0f);
  EXPECT_EQ(silu[1], inf);
  EXPECT_EQ(plus[2], 0.0f);
  EXPECT_EQ(half[2], 0.0f);
  EXPECT_TRUE(std::isnan(silu[2]));  // as documented
  EXPECT_EQ(half[3], 0.5f);
  EXPECT_EQ(plus[4], 20.001f);
  EXPECT_EQ(plus[5], 89.0f);
}

template <class B>
struct Activating {
  GuardedMatrix<float> x = random_matrix(3, 10, 1, 2);
  GuardedMatrix<float> y{3, 10, 2};
  tessera::ActivationArgs args;

  Activating() { restore(); }
  void restore() { args = {x.input(), y.view()}; }
  void refused(Status want) {
    EXPECT_EQ(tessera::check<B>(args), want);
    for (const Activation f : functions) EXPECT_EQ(run<B>(f, args, {0, 1}), want);
    EXPECT_TRUE(y.untouched());
    restore();
  }
};

TYPED_TEST(ActivationRows, Refused) {
  Activating<TypeParam> p;
  expect_view_checked(p, &tessera::ActivationArgs::x);
  expect_view_checked(p, &tessera::ActivationArgs::y);
  p.args.x.rows = p.args.y.rows = 0;
  p.refused(Status::empty_shape);
  p.args.x.data = p.args.y.data + 1;
  p.refused(Status::overlap);
}

template <class B>
class ActivationElsewhere : public testing::Test {};
TYPED_TEST_SUITE(ActivationElsewhere, CoreBackends, BackendName);

TYPED_TEST(ActivationElsewhere, RefusedOnAnotherCore) {
  Activating<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test
