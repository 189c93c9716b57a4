// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// swiglu on every backend: float64 reference, scalar's bits, operands, refusals.
#include "tessera/activation.hpp"

#include <cmath>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/swiglu.hpp"

namespace tessera_test {
namespace {

template <class B>
class Swiglu : public OnBackend<B> {};
TYPED_TEST_SUITE(Swiglu, FloatBackends, BackendName);

template <class B>
std::vector<float> gated(tessera::MatrixView<const float> gate,
                         tessera::MatrixView<const float> up) {
  GuardedMatrix<float> y(gate.rows, gate.cols, 2);
  EXPECT_EQ(tessera::swiglu<B>({gate, up, y.view()}), Status::ok);
  EXPECT_TRUE(y.untouched_outside());
  return values_of(y);
}

TYPED_TEST(Swiglu, EveryLength) {
  for (const std::size_t n : row_lengths())
    for (const Guard side : both_guards) {
      auto gate = random_matrix(3, n, n, 1, side);
      const auto up = random_matrix(3, n, n + 1, 2, side);
      for (float& v : gate.row_span(1)) v *= 30;
      const auto y = gated<TypeParam>(gate.input(), up.input());
      reference::Expected want;
      for (std::size_t i = 0; i < 3; ++i) reference::swiglu(gate.row(i), up.row(i), n, want);
      ASSERT_TRUE(matches(y, want)) << n;
      ASSERT_TRUE(same_bits(y, gated<tessera::backend::scalar>(gate.input(), up.input())));
    }
}

TYPED_TEST(Swiglu, GatesFromOneEndToTheOther) {
  const float gates[] = {-3e38f, -1000,  -104,   -103.9f, -89, -88, -87.4f, -20, -1e-30f, -0.0f,
                         0,      1e-45f, 1e-30f, 0.5f,    20,  87,  88.8f,  104, 3e38f};
  const std::size_t n = std::size(gates);
  GuardedMatrix<float> gate(1, n);
  GuardedMatrix<float> up(1, n);
  reference::Expected want;
  for (std::size_t j = 0; j < n; ++j) gate(0, j) = gates[j], up(0, j) = 1.0f;
  const auto y = gated<TypeParam>(gate.input(), up.input());
  reference::swiglu(gate.row(0), up.row(0), n, want);
  want.value[0] = 0;  // -3e38 * 0
  EXPECT_TRUE(matches(y, want));
}

TYPED_TEST(Swiglu, NonFiniteValues) {
  GuardedMatrix<float> gate(1, 5);
  GuardedMatrix<float> up(1, 5);
  const float g[] = {nan, inf, -inf, 1, inf};
  const float u[] = {1, 2, 1, nan, 0};
  for (std::size_t j = 0; j < 5; ++j) gate(0, j) = g[j], up(0, j) = u[j];
  const auto y = gated<TypeParam>(gate.input(), up.input());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], inf);
  EXPECT_TRUE(std::isnan(y[2]));  // as documented: silu(-inf) is NaN
  EXPECT_TRUE(std::isnan(y[3]));
  EXPECT_TRUE(std::isnan(y[4]));  // inf * 0
}

TYPED_TEST(Swiglu, EveryKindOfData) {
  for (const Fill kind : all_fills)
    for (const std::size_t n : {1, 32, 33, 100}) {
      const auto gate = random_matrix(4, n, n, 0, Guard::rear, kind);
      const auto up = random_matrix(4, n, n + 5, 0, Guard::rear, kind);
      ASSERT_TRUE(same_bits(gated<TypeParam>(gate.input(), up.input()),
                            gated<tessera::backend::scalar>(gate.input(), up.input())))
          << name(kind) << " " << n;
    }
}

TYPED_TEST(Swiglu, StridesInPlaceAndUnits) {
  const std::size_t m = 7;
  const std::size_t n = 50;
  auto both = random_matrix(m, 2 * n, 9, 4);  // gate and up side by side in one row
  auto gate = both.input();
  gate.cols = n;
  auto up = gate;
  up.data += n;
  const auto want = gated<TypeParam>(gate, up);
  GuardedMatrix<float> y(m, n, 2);
  expect_same_units(
      tessera::SwigluArgs{gate, up, y.view()}, y, want,
      [](const auto& args, auto range) { return tessera::swiglu<TypeParam>(args, range); });

  auto backwards = gate;
  backwards.data = both.row(m - 1);
  backwards.row_stride = -gate.row_stride;
  auto same = up;
  same.row_stride = 0;
  const auto mixed = gated<TypeParam>(backwards, same);
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = gated<TypeParam>({both.row(m - 1 - i), 1, n, 0}, {both.row(0) + n, 1, n, 0});
    ASSERT_TRUE(same_bits(std::span(mixed).subspan(i * n, n), row));
  }

  for (const bool onto_gate : {true, false}) {
    auto again = random_matrix(m, 2 * n, 9, 4);
    tessera::MatrixView<float> out = again.view();
    out.cols = n;
    const tessera::MatrixView<const float> g = {out.data, m, n, out.row_stride};
    const tessera::MatrixView<const float> u = {out.data + n, m, n, out.row_stride};
    if (!onto_gate) out.data += n;
    const auto other = onto_gate ? u : g;
    std::vector<float> before;
    for (std::size_t i = 0; i < m; ++i) before.insert(before.end(), other.row(i), other.row(i) + n);
    ASSERT_EQ(tessera::swiglu<TypeParam>({g, u, out}), Status::ok);
    for (std::size_t i = 0; i < m; ++i) {
      ASSERT_TRUE(same_bits({out.row(i), n}, std::span(want).subspan(i * n, n)));
      ASSERT_TRUE(same_bits({other.row(i), n}, std::span(before).subspan(i * n, n)));
    }
    ASSERT_TRUE(again.untouched_outside());
  }
}

TYPED_TEST(Swiglu, InPlaceOfWholeMatrices) {
  const std::size_t m = 4;
  const std::size_t n = 45;
  for (const bool onto_gate : {true, false}) {
    auto gate = random_matrix(m, n, 3, 1);
    auto up = random_matrix(m, n, 4, 1);
    const auto want = gated<TypeParam>(gate.input(), up.input());
    auto& out = onto_gate ? gate : up;
    ASSERT_EQ(tessera::swiglu<TypeParam>({gate.input(), up.input(), out.view()}), Status::ok);
    ASSERT_TRUE(same_bits(values_of(out), want));
    ASSERT_TRUE(out.untouched_outside());
  }
}

template <class B>
struct Gating {
  GuardedMatrix<float> gate = random_matrix(3, 10, 1, 2);
  GuardedMatrix<float> up = random_matrix(3, 10, 2, 2);
  GuardedMatrix<float> y{3, 10, 2};
  tessera::SwigluArgs args;

  Gating() { restore(); }
  void restore() { args = {gate.input(), up.input(), y.view()}; }
  void refused(Status want) {
    const auto g = values_of(gate);
    const auto u = values_of(up);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::swiglu<B>(args), want);
    EXPECT_EQ(tessera::swiglu<B>(args, {0, 1}), want);
    EXPECT_TRUE(y.untouched());
    EXPECT_TRUE(same_bits(values_of(gate), g));
    EXPECT_TRUE(same_bits(values_of(up), u));
    restore();
  }
};

TYPED_TEST(Swiglu, Refused) {
  Gating<TypeParam> p;
  expect_view_checked(p, &tessera::SwigluArgs::gate);
  expect_view_checked(p, &tessera::SwigluArgs::up);
  expect_view_checked(p, &tessera::SwigluArgs::y);
  p.args.gate.rows = p.args.up.rows = p.args.y.rows = 0;
  p.refused(Status::empty_shape);
  p.args.up.cols = 0;
  p.refused(Status::empty_shape);
  p.args.y = p.gate.view();
  p.args.y.data += 1;
  p.refused(Status::overlap);
  p.args.y = p.up.view();
  p.args.y.data += 12;
  p.args.y.rows = p.args.gate.rows = p.args.up.rows = 2;
  p.refused(Status::overlap);
}

template <class B>
class SwigluElsewhere : public testing::Test {};
TYPED_TEST_SUITE(SwigluElsewhere, CoreBackends, BackendName);

TYPED_TEST(SwigluElsewhere, RefusedOnAnotherCore) {
  Gating<TypeParam> p;
  expect_refused_elsewhere<TypeParam>(p);
}

}  // namespace
}  // namespace tessera_test
