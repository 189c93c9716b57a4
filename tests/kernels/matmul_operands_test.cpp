// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Strides of every sign, epilogues, and what an epilogue is told about its place.
#include <algorithm>
#include <limits>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class MatmulOperands : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulOperands, TestedBackends, BackendName);

template <class B, class F>
void any_stride() {
  const std::size_t m = 7;
  const std::size_t n = 21;
  const std::size_t k = 45;
  const Packed<F, tessera::tile_for<F, B>> packed(random_weights(n, k, 2));
  const auto dense = random_matrix(m, k, 1);
  const auto want = matmul_values<B>(dense.input(), packed.weights());

  auto wide = random_matrix(m, k, 1, 5);
  auto backwards = wide.input();
  for (std::size_t i = 0; i < m / 2; ++i)  // the same rows from the last to the first
    std::swap_ranges(wide.row(i), wide.row(i) + k, wide.row(m - 1 - i));
  backwards.data = wide.row(m - 1);
  backwards.row_stride = -backwards.row_stride;
  ASSERT_TRUE(same_bits(matmul_values<B>(backwards, packed.weights()), want)) << F::name;

  auto repeated = dense.input();
  repeated.row_stride = 0;
  const auto rows = matmul_values<B>(repeated, packed.weights());
  for (std::size_t i = 0; i < m; ++i)
    ASSERT_TRUE(same_bits(std::span(rows).subspan(i * n, n), std::span(want).first(n)));

  GuardedMatrix<float> c(m, n, 3);
  auto up = c.view();  // an output whose rows lie in descending order
  up.data = c.row(m - 1);
  up.row_stride = -up.row_stride;
  tessera::MatmulArgs<F, tessera::tile_for<F, B>> args{dense.input(), packed.weights(), up, {}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<B>(args), Status::ok);
  ASSERT_TRUE(c.untouched_outside());
  for (std::size_t i = 0; i < m; ++i)
    ASSERT_TRUE(same_bits(c.row_span(m - 1 - i), std::span(want).subspan(i * n, n)));
}

TYPED_TEST(MatmulOperands, AnyStride) {
  any_stride<TypeParam, tessera::format::q8_0>();
  any_stride<TypeParam, tessera::format::bf16>();
}

/// Adds an element of a matrix with the output's shape: wrong coordinates give wrong sums.
struct AddMatrix {
  const float* data;
  std::size_t cols;
  template <class D>
  TESSERA_INLINE auto operator()(D d, typename D::F32 v, std::size_t row,
                                 std::size_t column) const noexcept {
    return d.add(v, d.load(data + row * cols + column));
  }
};

template <class B, class F>
struct Epilogues {
  static constexpr std::size_t m = 6;
  static constexpr std::size_t n = 37;
  static constexpr std::size_t k = 40;
  GuardedMatrix<float> a = random_matrix(m, k, 21);
  Packed<F, tessera::tile_for<F, B>> packed{random_weights(n, k, 22)};
  std::vector<float> plain = matmul_values<B>(a.input(), packed.weights());

  template <class E, class Definition>
  void expect(const E& epilogue, Definition definition) {
    std::vector<float> want(m * n);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) want[i * n + j] = definition(plain[i * n + j], i, j);
    ASSERT_TRUE(same_bits(matmul_values<B>(a.input(), packed.weights(), epilogue), want));
  }
};

TYPED_TEST(MatmulOperands, Epilogues) {
  namespace epilogue = tessera::epilogue;
  using E = Epilogues<TypeParam, tessera::format::q8_0>;
  E product;
  // An own buffer: a load beyond the last column would die.
  GuardedBuffer<float> bias(E::n);
  Random random(23);
  fill(bias.span(), Fill::gaussian, random);
  bias.seal();
  product.expect(epilogue::Scale{-0.3f},
                 [](float v, std::size_t, std::size_t) { return tessera::rounded(v * -0.3f); });
  product.expect(epilogue::Bias{bias.data()},
                 [&](float v, std::size_t, std::size_t j) { return v + bias[j]; });
  product.expect(epilogue::Chain{epilogue::Bias{bias.data()}, epilogue::Clamp{-1.0f, 2.0f}},
                 [&](float v, std::size_t, std::size_t j) {
                   const float x = v + bias[j];
                   return x < -1.0f ? -1.0f : x > 2.0f ? 2.0f : x;
                 });
}

/// A function of core/math.hpp, by the definition's lanes.
template <class Function>
float of_scalar(Function function, float x) {
  tessera::backend::scalar::Vectors::for_lanes<1>(
      1, [&](auto d, std::size_t) { d.store(&x, function(d, d.load(&x))); });
  return x;
}

TYPED_TEST(MatmulOperands, Activations) {
  namespace epilogue = tessera::epilogue;
  Epilogues<TypeParam, tessera::format::q4_0> product;
  const auto place = [](auto f) { return [f](float v, std::size_t, std::size_t) { return f(v); }; };
  product.expect(epilogue::Relu{}, place([](float v) { return v > 0 ? v : 0.0f; }));
  product.expect(epilogue::Silu{}, place([](float v) {
                   return of_scalar([](auto d, auto x) { return tessera::silu(d, x); }, v);
                 }));
  product.expect(epilogue::Chain{epilogue::Scale{0.1f}, epilogue::Gelu{}}, place([](float v) {
                   return of_scalar([](auto d, auto x) { return tessera::gelu(d, x); },
                                    tessera::rounded(v * 0.1f));
                 }));
}

template <class B, class T>
void adds_rows_of(float factor) {
  using E = Epilogues<B, tessera::format::q4_0>;
  E product;
  GuardedMatrix<T> more(E::m, E::n, 3);
  std::vector<float> factors(E::m);
  for (std::size_t i = 0; i < E::m; ++i) {
    factors[i] = static_cast<float>(i) - factor;
    for (std::size_t j = 0; j < E::n; ++j) {
      const float x = static_cast<float>(i * 5) - static_cast<float>(j) * 0.25f;
      if constexpr (std::is_same_v<T, float>)
        more(i, j) = x;
      else
        more(i, j) = tessera::to_float16(x);
    }
  }
  more.seal();
  product.expect(tessera::epilogue::Chain{tessera::epilogue::RowScale{factors.data()},
                                          tessera::epilogue::Residual{more.input()}},
                 [&](float v, std::size_t i, std::size_t j) {
                   if constexpr (std::is_same_v<T, float>)
                     return tessera::rounded(v * factors[i]) + more(i, j);
                   else
                     return tessera::rounded(v * factors[i]) + tessera::to_float(more(i, j));
                 });
}

TYPED_TEST(MatmulOperands, RowScaleAndResidual) {
  adds_rows_of<TypeParam, float>(2.5f);
  adds_rows_of<TypeParam, tessera::Float16>(0.5f);
}

TYPED_TEST(MatmulOperands, TheOutputMayBeTheResidual) {
  using E = Epilogues<TypeParam, tessera::format::q4_0>;
  E product;
  GuardedMatrix<float> c(E::m, E::n, 2);
  for (std::size_t i = 0; i < E::m; ++i)
    for (float& x : c.row_span(i)) x = static_cast<float>(i);
  tessera::MatmulArgs<tessera::format::q4_0, tessera::tile_for<tessera::format::q4_0, TypeParam>>
      args{product.a.input(), product.packed.weights(), c.view(), {}};
  GuardedWorkspace workspace(tessera::workspace_size<TypeParam>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<TypeParam>(args, tessera::epilogue::Residual{c.view()}), Status::ok);
  for (std::size_t i = 0; i < E::m; ++i)
    for (std::size_t j = 0; j < E::n; ++j)
      ASSERT_EQ(c(i, j), product.plain[i * E::n + j] + static_cast<float>(i));
}

/// Outputs of 16 bits are the f32 ones, rounded to nearest even, in rows with poisoned padding.
template <class B, class F, class C, class Convert>
void stores_as(Convert convert) {
  using E = Epilogues<B, F>;
  E product;
  GuardedMatrix<C> c(E::m, E::n, 5);
  tessera::MatmulArgs<F, tessera::tile_for<F, B>, float, C> args{
      product.a.input(), product.packed.weights(), c.view(), {}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<B>(args), Status::ok);
  ASSERT_TRUE(c.untouched_outside());
  for (std::size_t i = 0; i < E::m; ++i)
    for (std::size_t j = 0; j < E::n; ++j)
      ASSERT_EQ(c(i, j).bits, convert(product.plain[i * E::n + j]).bits);
  args.c.row_stride = static_cast<std::ptrdiff_t>(E::n) - 1;
  ASSERT_EQ(tessera::matmul<B>(args), Status::stride_too_small);
}

TYPED_TEST(MatmulOperands, StoresHalves) {
  using namespace tessera;
  stores_as<TypeParam, format::q4_0, Float16>([](float x) { return to_float16(x); });
  stores_as<TypeParam, format::f32, BFloat16>([](float x) { return to_bfloat16(x); });
}

TYPED_TEST(MatmulOperands, AnEpilogueKnowsItsPlace) {
  using E = Epilogues<TypeParam, tessera::format::f32>;
  E product;
  GuardedBuffer<float> more(E::m * E::n);
  Random random(24);
  fill(more.span(), Fill::gaussian, random);
  more.seal();
  product.expect(AddMatrix{more.data(), E::n},
                 [&](float v, std::size_t i, std::size_t j) { return v + more[i * E::n + j]; });
}

TYPED_TEST(MatmulOperands, ClampMakesNaNLow) {
  using E = Epilogues<TypeParam, tessera::format::f32>;
  E product;
  product.a(3, 1) = std::numeric_limits<float>::quiet_NaN();
  product.plain = matmul_values<TypeParam>(product.a.input(), product.packed.weights());
  product.expect(tessera::epilogue::Clamp{-1.0f, 2.0f}, [](float v, std::size_t, std::size_t) {
    return v != v || v < -1.0f ? -1.0f : v > 2.0f ? 2.0f : v;
  });
}

}  // namespace
}  // namespace tessera_test
