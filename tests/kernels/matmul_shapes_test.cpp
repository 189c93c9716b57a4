// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Batches with broadcast weights, and weights that are rows another kernel wrote: strided, permuted, broadcast. All
// have the bits of plain products with packed weights.
#include <utility>
#include <vector>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

using tessera::Batches;
using tessera::MatrixView;

template <class B>
class MatmulShapes : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulShapes, TestedBackends, BackendName);

MatrixView<const float> dense(const float* data, std::size_t rows, std::size_t cols) {
  return tessera::matrix(data, rows, cols);
}

template <class B, class Args>
void run_product(Args& args) {
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::matmul<B>(args), Status::ok);
  ASSERT_TRUE(workspace.untouched_outside());
}

struct BatchCase {
  std::size_t outer, inner, outer_weights, inner_weights, m;
};
constexpr BatchCase batch_cases[] = {
    {1, 3, 1, 1, 1}, {2, 3, 2, 3, 5}, {4, 6, 2, 3, 9}, {6, 1, 3, 1, 4}};

/// Products of a 4-dimensional problem whose activations and outputs lie with the two batch dimensions behind the
/// rows: [row][outer][inner][column].
template <class B, class F, class A>
void batches_equal_products(const BatchCase& s) {
  SCOPED_TRACE(testing::Message() << F::name << " " << s.outer << "x" << s.inner << " weights "
                                  << s.outer_weights << "x" << s.inner_weights);
  using T = tessera::tile_for<F, B>;
  constexpr std::size_t n = 37;
  constexpr std::size_t k = 70;
  const std::size_t count = s.outer * s.inner;
  const std::size_t bytes = tessera::packed_size<F, T>(n, k);
  GuardedBuffer<std::byte> images(s.outer_weights * s.inner_weights * bytes);
  for (std::size_t g = 0; g < s.outer_weights * s.inner_weights; ++g)
    ASSERT_EQ((tessera::pack_weights<F, T>(random_weights(n, k, 70 + g).view(),
                                           images.span().subspan(g * bytes, bytes))),
              Status::ok);
  images.seal();
  const auto wide = random_matrix(s.m * count, k, 71);
  GuardedMatrix<A> a(s.m * count, k, 2);
  GuardedMatrix<float> seen(s.m * count, k);  // the same, widened
  for (std::size_t i = 0; i < s.m * count; ++i)
    for (std::size_t q = 0; q < k; ++q) {
      if constexpr (std::is_same_v<A, float>)
        a(i, q) = wide(i, q);
      else
        a(i, q) = tessera::to_bfloat16(wide(i, q));
      seen(i, q) = tessera::to_float(a(i, q));
    }
  a.seal();
  GuardedMatrix<float> c(s.m * count, n, 1);
  const auto step = [](const auto& x, std::size_t rows) {
    return static_cast<std::ptrdiff_t>(x.stride() * rows);
  };
  tessera::MatmulArgs<F, T, A> args{{a.row(0), s.m, k, step(a, count)},
                                    {images.span(), n, k},
                                    {c.row(0), s.m, n, step(c, count)},
                                    {},
                                    {s.outer, s.inner, s.outer_weights, s.inner_weights,
                                     step(a, s.inner), step(a, 1), step(c, s.inner), step(c, 1)}};
  run_product<B>(args);
  ASSERT_TRUE(c.untouched_outside());
  for (std::size_t i = 0; i < s.outer; ++i)
    for (std::size_t j = 0; j < s.inner; ++j) {
      const std::size_t g =
          i / (s.outer / s.outer_weights) * s.inner_weights + j / (s.inner / s.inner_weights);
      MatrixView<const float> rows{seen.row(i * s.inner + j), s.m, k,
                                   static_cast<std::ptrdiff_t>(seen.stride() * count)};
      const auto want = matmul_values<B>(
          rows, tessera::PackedWeights<F, T>{images.span().subspan(g * bytes, bytes), n, k});
      for (std::size_t r = 0; r < s.m; ++r)
        ASSERT_TRUE(
            same_bits(c.row_span(r * count + i * s.inner + j), std::span(want).subspan(r * n, n)))
            << i << "," << j << " row " << r;
    }
}

TYPED_TEST(MatmulShapes, Batches) {
  for (const BatchCase& s : batch_cases) {
    batches_equal_products<TypeParam, tessera::format::q4_0, float>(s);
    batches_equal_products<TypeParam, tessera::format::f16, float>(s);
  }
  batches_equal_products<TypeParam, tessera::format::f32, tessera::BFloat16>(batch_cases[1]);
}

/// Stored rows by the format's own rule, with bytes between them.
template <class F>
std::vector<std::byte> stored_rows(const Weights& w, std::size_t row_bytes) {
  std::vector<std::byte> bytes(w.n * row_bytes, std::byte{0x55});
  for (std::size_t i = 0; i < w.n; ++i)
    for (std::size_t b = 0; b < w.k / F::group; ++b) {
      typename F::Block block;
      if constexpr (F::is_float)
        block = F::from_float(w.values[i * w.k + b]);
      else
        F::quantize_block(w.values.data() + i * w.k + b * F::group, block);
      std::memcpy(bytes.data() + i * row_bytes + b * F::block_bytes, &block, sizeof block);
    }
  return bytes;
}

template <class B, class F>
void stored_rows_equal_packed(std::size_t n, std::size_t k) {
  using tessera::no_tile;
  using tessera::StoredRows;
  SCOPED_TRACE(testing::Message() << F::name << " " << n << "x" << k);
  const std::size_t m = 5;
  const Weights w = random_weights(n, k, 81);
  const Packed<F, tessera::tile_for<F, B>> packed(w);
  const auto a = random_matrix(m, k, 82);
  const auto want = matmul_values<B>(a.input(), packed.weights());
  const std::size_t row_bytes = k / F::group * F::block_bytes + 2 * F::block_bytes;
  const auto bytes = stored_rows<F>(w, row_bytes);
  GuardedBuffer<std::byte> rows(n * row_bytes - 2 * F::block_bytes);
  std::memcpy(rows.data(), bytes.data(), rows.size());
  rows.seal();
  GuardedMatrix<float> c(m, n, 1);
  tessera::MatmulArgs<F, no_tile, float, float, StoredRows<F>> args{
      a.input(), {rows.data(), n, k, static_cast<std::ptrdiff_t>(row_bytes)}, c.view(), {}, {}};
  run_product<B>(args);
  ASSERT_TRUE(c.untouched_outside());
  ASSERT_TRUE(same_bits(values_of(c), want));
  // From the last row to the first.
  args.b.data += static_cast<std::ptrdiff_t>((n - 1) * row_bytes);
  args.b.row_bytes = -args.b.row_bytes;
  run_product<B>(args);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(c(i, j), want[i * n + n - 1 - j]);
}

TYPED_TEST(MatmulShapes, StoredRows) {
  for (const std::size_t n : {1, 37, 131}) {
    stored_rows_equal_packed<TypeParam, tessera::format::f32>(n, 77);
    stored_rows_equal_packed<TypeParam, tessera::format::f16>(n, 4);
    stored_rows_equal_packed<TypeParam, tessera::format::q4_0>(n, 3 * 32);
    stored_rows_equal_packed<TypeParam, tessera::format::q2_K>(n, 256);
  }
}

/// Two activations multiplied, as attention's products by hand: B is [k][head][n] (rows and columns exchanged, heads
/// between), one of them for two heads of A; and one row of B repeated for all columns.
TYPED_TEST(MatmulShapes, PermutedAndBroadcastRows) {
  using B = TypeParam;
  using F = tessera::format::f32;
  constexpr std::size_t m = 4, n = 19, k = 33, heads = 4, kv = 2;
  const auto a = random_matrix(heads * m, k, 91);
  const auto b = random_matrix(k, kv * n, 92, 3);
  GuardedMatrix<float> c(heads * m, n);
  const auto bytes = [](std::size_t x) { return static_cast<std::ptrdiff_t>(x * sizeof(float)); };
  tessera::MatmulArgs<F, tessera::no_tile, float, float, tessera::StoredRows<F>> args{
      {a.row(0), m, k, k},
      {reinterpret_cast<const std::byte*>(b.row(0)), n, k, sizeof(float), bytes(b.stride())},
      {c.row(0), m, n, n},
      {},
      {1, heads, 1, kv, 0, m * k, 0, m * n, 0, bytes(n)}};
  run_product<B>(args);
  for (std::size_t h = 0; h < heads; ++h) {
    Weights w{n, k, std::vector<float>(n * k)};
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t q = 0; q < k; ++q) w.values[j * k + q] = b(q, h / (heads / kv) * n + j);
    const Packed<F, tessera::tile_for<F, B>> packed(w);
    const auto want = matmul_values<B>(dense(a.row(h * m), m, k), packed.weights());
    for (std::size_t i = 0; i < m; ++i)
      ASSERT_TRUE(same_bits(c.row_span(h * m + i), std::span(want).subspan(i * n, n))) << h;
  }
  const auto row = random_matrix(1, k, 93);
  args.b = {reinterpret_cast<const std::byte*>(row.row(0)), n, k, 0, sizeof(float)};
  args.batches.b_inner = 0;
  run_product<B>(args);
  for (std::size_t i = 0; i < heads * m; ++i)
    for (std::size_t j = 1; j < n; ++j) ASSERT_TRUE(same_bits(c(i, j), c(i, 0)));
}

TYPED_TEST(MatmulShapes, UnitsOfBatchesInAnyOrder) {
  using B = TypeParam;
  using F = tessera::format::q8_0;
  constexpr std::size_t m = 67, n = 40, k = 64;
  const auto a = random_matrix(3 * m, k, 95);
  const Weights w = random_weights(n, k, 96);
  const auto rows = stored_rows<F>(w, k / 32 * F::block_bytes);
  GuardedMatrix<float> c(3 * m, n);
  tessera::MatmulArgs<F, tessera::no_tile, float, float, tessera::StoredRows<F>> args{
      {a.row(0), m, k, k},
      {rows.data(), n, k, static_cast<std::ptrdiff_t>(k / 32 * F::block_bytes)},
      {c.row(0), m, n, n},
      {},
      {3, 1, 1, 1, m * k, 0, m * n, 0}};
  run_product<B>(args);
  const auto want = values_of(c);
  GuardedWorkspace workspace(tessera::workspace_size<B>(args));
  args.workspace = workspace.get();
  c.poison();
  for (std::size_t phase = 0; phase < tessera::phases<B>(args); ++phase)
    for (std::size_t u = tessera::units<B>(args, phase); u-- > 0;)
      ASSERT_EQ(tessera::matmul_phase<B>(args, phase, {u, u + 1}), Status::ok);
  ASSERT_TRUE(same_bits(values_of(c), want));
}

TYPED_TEST(MatmulShapes, Refused) {
  using B = TypeParam;
  using F = tessera::format::f16;
  constexpr std::size_t m = 2, n = 3, k = 8;
  const auto a = random_matrix(4 * m, k, 97);
  std::vector<tessera::Float16> b(4 * n * k);
  GuardedMatrix<float> c(4 * m, n);
  using Args = tessera::MatmulArgs<F, tessera::no_tile, float, float, tessera::StoredRows<F>>;
  const Args good{{a.row(0), m, k, k},
                  {reinterpret_cast<const std::byte*>(b.data()), n, k, 2 * k},
                  {c.row(0), m, n, n},
                  {},
                  {2, 2, 2, 1, 2 * m * k, m * k, 2 * m * n, m * n, 2 * n * k, 0}};
  GuardedWorkspace workspace(tessera::workspace_size<B>(good));
  const auto refused = [&](Status want, auto&& spoil) {
    Args args = good;
    args.workspace = workspace.get();
    spoil(args);
    EXPECT_EQ(tessera::check<B>(args), want);
    EXPECT_EQ(tessera::matmul<B>(args), want);
    EXPECT_TRUE(c.untouched());
    EXPECT_TRUE(workspace.untouched());
  };
  refused(Status::empty_shape, [](Args& args) { args.batches.inner = 0; });
  refused(Status::empty_shape, [](Args& args) { args.batches.outer_weights = 0; });
  refused(Status::batch_ratio, [](Args& args) { args.batches.inner_weights = 3; });
  refused(Status::batch_ratio, [](Args& args) { args.batches.outer = 3; });
  refused(Status::shape_too_large, [](Args& args) { args.batches.outer = SIZE_MAX - 1; });
  refused(Status::shape_too_large, [](Args& args) { args.batches.a_outer = PTRDIFF_MAX; });
  refused(Status::shape_too_large, [](Args& args) { args.b.row_bytes = PTRDIFF_MAX - 1; });
  refused(Status::stride_too_small, [](Args& args) { args.batches.c_inner = m * n - 1; });
  refused(Status::null_pointer, [](Args& args) { args.b.data = nullptr; });
  refused(Status::misaligned, [](Args& args) { args.b.data += 1; });
  refused(Status::misaligned, [](Args& args) { args.b.element_bytes = 3; });
  refused(Status::overlap,
          [&](Args& args) { args.b.data = reinterpret_cast<const std::byte*>(c.row(1)); });
  refused(Status::shape_mismatch, [](Args& args) { args.b.n = n - 1; });
  using Q = tessera::format::q8_0;
  tessera::MatmulArgs<Q, tessera::no_tile, float, float, tessera::StoredRows<Q>> odd{
      {a.row(0), m, k, k},
      {reinterpret_cast<const std::byte*>(b.data()), n, k, 34},
      {c.row(0), m, n, n},
      workspace.get(),
      {}};
  EXPECT_EQ(tessera::matmul<B>(odd), Status::group_multiple);
}

}  // namespace
}  // namespace tessera_test
