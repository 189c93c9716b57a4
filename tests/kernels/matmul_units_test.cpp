// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A product's bits do not depend on other rows, on the order of its units, or on how they are sliced.
#include <algorithm>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class MatmulUnits : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulUnits, TestedBackends, BackendName);

/// The block format and the float format that the tests below run over.
using Formats = tessera::TypeList<tessera::format::q8_0, tessera::format::f16>;

template <class B, class F>
std::vector<float> whole(const GuardedMatrix<float>& a, const Weights& w) {
  using T = tessera::tile_for<F, B>;
  const Packed<F, T> packed(w);
  return matmul_values<B>(a.input(), packed.weights());
}

TYPED_TEST(MatmulUnits, RowsDoNotSeeTheirNeighbours) {
  using B = TypeParam;
  Formats::for_each([]<class F>(tessera::Type<F>) {
    const std::size_t m = 4;
    const std::size_t n = 21;
    const std::size_t k = 96;
    auto a = random_matrix(m, k, 7);
    float amplitude = 1;
    for (std::size_t i = 0; i < m; ++i, amplitude *= 10)
      for (float& x : a.row_span(i)) x *= amplitude;
    const Packed<F, tessera::tile_for<F, B>> packed(random_weights(n, k, 8));
    const auto together = matmul_values<B>(a.input(), packed.weights());
    for (std::size_t i = 0; i < m; ++i) {
      const auto alone = matmul_values<B>(
          tessera::MatrixView<const float>({a.row(i), 1, k, static_cast<std::ptrdiff_t>(k)}),
          packed.weights());
      ASSERT_TRUE(same_bits(std::span(together).subspan(i * n, n), alone)) << F::name << " " << i;
    }
  });
}

/// Two row chunks and three column blocks on every backend's plan.
template <class B, class F>
struct Large {
  using T = tessera::tile_for<F, B>;
  using Plan = tessera::detail::MatmulPlan<B, F, T>;
  static constexpr std::size_t m = Plan::chunk_rows + 3;
  static constexpr std::size_t n = 2 * Plan::block_columns + 1;
  static constexpr std::size_t k = 33;

  GuardedMatrix<float> a = random_matrix(m, k, 11);
  Packed<F, T> packed{random_weights(n, k, 12)};
  GuardedMatrix<float> c{m, n, 1};
  tessera::MatmulArgs<F, T> args{a.input(), packed.weights(), c.view(), {}};
  GuardedWorkspace workspace{tessera::workspace_size<B>(args)};

  Large() { args.workspace = workspace.get(); }

  Status run(std::size_t phase, tessera::UnitRange range) {
    workspace.scratch().fill_bytes(0x7f);  // nothing may live in it between calls
    return tessera::matmul_phase<B>(args, phase, range);
  }
  std::size_t units(std::size_t phase) const { return tessera::units<B>(args, phase); }
  std::size_t phases() const { return tessera::phases<B>(args); }
};

TYPED_TEST(MatmulUnits, AnyOrder) {
  using B = TypeParam;
  Formats::for_each([]<class F>(tessera::Type<F>) {
    Large<B, F> product;
    ASSERT_GE(product.units(product.phases() - 1), 6u);
    const auto want = matmul_values<B>(product.a.input(), product.packed.weights());
    for (std::size_t step : {1, 5, 7}) {  // ascending, and two orders that skip about
      product.c.poison();
      product.workspace.shared().poison();
      for (std::size_t p = 0; p < product.phases(); ++p) {
        const std::size_t n = product.units(p);
        std::vector<bool> done(n);
        std::size_t u = n - 1;
        for (std::size_t i = 0; i < n; ++i) {
          while (done[u]) u = (u + 1) % n;
          done[u] = true;
          ASSERT_EQ(product.run(p, {u, u + 1}), Status::ok);
          u = (u + step) % n;
        }
      }
      ASSERT_TRUE(product.c.untouched_outside());
      ASSERT_TRUE(product.workspace.untouched_outside());
      ASSERT_TRUE(same_bits(values_of(product.c), want)) << F::name << " step " << step;
    }
  });
}

TYPED_TEST(MatmulUnits, AnySlice) {
  using B = TypeParam;
  using F = tessera::format::q4_0;
  Large<B, F> product;
  const auto want = matmul_values<B>(product.a.input(), product.packed.weights());
  for (std::size_t count = 1; count <= 17; ++count) {
    product.c.poison();
    product.workspace.shared().poison();
    for (std::size_t p = 0; p < product.phases(); ++p)
      for (std::size_t i = count; i-- > 0;) {
        const tessera::Slice slice{i, count};
        ASSERT_EQ(product.run(p, slice.of(product.units(p))), Status::ok);
      }
    ASSERT_TRUE(same_bits(values_of(product.c), want)) << count << " slices";
  }
}

TYPED_TEST(MatmulUnits, ARangeWritesItsPartOnly) {
  using B = TypeParam;
  using F = tessera::format::f32;
  Large<B, F> product;
  std::vector<int> written(product.m * product.n);
  for (std::size_t u = 0; u < product.units(0); ++u) {
    product.c.poison();
    ASSERT_EQ(product.run(0, {u, u + 1}), Status::ok);
    ASSERT_EQ(product.run(0, {u, u}), Status::ok);
    for (std::size_t i = 0; i < product.m; ++i)
      for (std::size_t j = 0; j < product.n; ++j)
        written[i * product.n + j] += !is_poison(product.c(i, j));
  }
  for (const int times : written) ASSERT_EQ(times, 1);
}

TYPED_TEST(MatmulUnits, WorkspaceGrowsWithEveryDimension) {
  using B = TypeParam;
  Formats::for_each([]<class F>(tessera::Type<F>) {
    using T = tessera::tile_for<F, B>;
    const std::size_t sizes[] = {1, 2, 7, 31, 32, 33, 64, 65, 1000, 4097};
    const auto need = [](std::size_t m, std::size_t n, std::size_t k) {
      tessera::MatmulArgs<F, T> args;
      args.a = {nullptr, m, k, static_cast<std::ptrdiff_t>(k)};
      args.b = {{}, n, k};
      args.c = {nullptr, m, n, static_cast<std::ptrdiff_t>(n)};
      return tessera::workspace_size<B>(args);
    };
    for (std::size_t i = 0; i + 1 < std::size(sizes); ++i)
      for (const std::size_t x : {std::size_t{1}, std::size_t{100}})
        for (const std::size_t y : {std::size_t{5}, std::size_t{96}}) {
          const tessera::WorkspaceSize before[] = {need(sizes[i], x, y), need(x, sizes[i], y),
                                                   need(x, y, sizes[i])};
          const std::size_t next = sizes[i + 1];
          const tessera::WorkspaceSize after[] = {need(next, x, y), need(x, next, y),
                                                  need(x, y, next)};
          for (int d = 0; d < 3; ++d) {
            EXPECT_LE(before[d].shared, after[d].shared) << F::name << " dimension " << d;
            EXPECT_LE(before[d].scratch, after[d].scratch) << F::name << " dimension " << d;
          }
        }
  });
}

}  // namespace
}  // namespace tessera_test
