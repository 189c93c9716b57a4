// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Products whose values are known exactly: one-hot rows, extreme codes, zero, tiny and non-finite groups.
#include <cmath>
#include <limits>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"

namespace tessera_test {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class B>
class MatmulValues : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulValues, TestedBackends, BackendName);

template <class F>
typename F::Block block_of(float d, int (*code)(std::size_t)) {
  typename F::Block block = {};
  block.d = tessera::to_float16(d);
  for (std::size_t i = 0; i < F::group; ++i) F::set_code(block, i, code(i));
  return block;
}

/// Stored weights of block format F: any codes, scales of every kind that is finite.
template <class F>
std::vector<typename F::Block> random_blocks(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const float scales[] = {1.0f, -0.5f, 0.0f, 0x1p-24f, -0x1p-14f, 65504.0f, 0.001f, 3.0f};
  std::vector<typename F::Block> blocks(count);
  const int low = -(1 << (F::code_bits - 1));
  for (auto& b : blocks) {
    b.d = tessera::to_float16(scales[random.below(std::size(scales))]);
    for (std::size_t i = 0; i < F::group; ++i) F::set_code(b, i, random.between(low, -low - 1));
  }
  return blocks;
}

template <class F>
tessera::BlockView<F> view_of(const std::vector<typename F::Block>& blocks, std::size_t rows) {
  const std::size_t groups = blocks.size() / rows;
  return {reinterpret_cast<const std::byte*>(blocks.data()), rows, groups * F::group,
          static_cast<std::ptrdiff_t>(groups * sizeof(typename F::Block))};
}

/// Row i of A is `hot` at element i and 0 elsewhere, so row i of C is column i of the weights.
GuardedMatrix<float> one_hot_rows(std::size_t k, float hot) {
  GuardedMatrix<float> a(k, k);
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < k; ++j) a(i, j) = i == j ? hot : 0.0f;
  return a;
}

template <class B, class F>
void one_hot_blocks(std::size_t groups) {
  const std::size_t n = 19;
  const std::size_t k = groups * F::group;
  const auto blocks = random_blocks<F>(n * groups, 40 + groups);
  const auto a = one_hot_rows(k, 127.0f);  // its code is 127, its scale 1
  using T = tessera::tile_for<F, B>;
  const Packed<F, T> packed(view_of<F>(blocks, n));
  const auto c = matmul_values<B>(a.input(), packed.weights());
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto& block = blocks[j * groups + i / F::group];
      const double want = 127.0 * F::code(block, i % F::group) * double{tessera::to_float(block.d)};
      ASSERT_EQ(double{c[i * n + j]}, double{static_cast<float>(want)}) << F::name << i << "," << j;
    }
}

TYPED_TEST(MatmulValues, OneHotBlocks) {
  for (const std::size_t groups : {1, 2, 3}) {
    one_hot_blocks<TypeParam, tessera::format::q8_0>(groups);
    one_hot_blocks<TypeParam, tessera::format::q4_0>(groups);
  }
}

TYPED_TEST(MatmulValues, OneHotFloats) {
  const std::size_t n = 70;
  for (const std::size_t k : {1, 5, 37}) {
    const Weights w = random_weights(n, k, k);
    const auto a = one_hot_rows(k, 1.0f);
    using T = tessera::tile_for<tessera::format::f32, TypeParam>;
    const Packed<tessera::format::f32, T> packed(w);
    const auto c = matmul_values<TypeParam>(a.input(), packed.weights());
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_EQ(c[i * n + j], w.values[j * k + i]) << i << "," << j;
  }
}

template <class B, class F>
void extreme_codes(int low, int high) {
  using T = tessera::tile_for<F, B>;
  for (std::size_t groups = 1; groups <= 9; groups += 4) {
    const std::size_t n = 11;
    const std::size_t k = groups * F::group;
    std::vector<typename F::Block> blocks(n * groups);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t g = 0; g < groups; ++g) {
        blocks[j * groups + g].d = tessera::to_float16(1.0f);
        for (std::size_t i = 0; i < F::group; ++i)
          F::set_code(blocks[j * groups + g], i, j % 2 == 0 ? low : high);
      }
    const std::size_t m = 5;
    GuardedMatrix<float> a(m, k);
    for (std::size_t i = 0; i < m; ++i)
      for (float& x : a.row_span(i)) x = i % 2 == 0 ? -127.0f : 127.0f;
    const Packed<F, T> packed(view_of<F>(blocks, n));
    const auto c = matmul_values<B>(a.input(), packed.weights());
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j)  // 9 * 32 * 127 * 128 is below 2^24: exact
        ASSERT_EQ(c[i * n + j], static_cast<float>((i % 2 == 0 ? -127 : 127) *
                                                   (j % 2 == 0 ? low : high) * static_cast<int>(k)))
            << F::name << " groups " << groups << " at " << i << "," << j;
  }
}

TYPED_TEST(MatmulValues, ExtremeCodes) {
  extreme_codes<TypeParam, tessera::format::q8_0>(-128, 127);
  extreme_codes<TypeParam, tessera::format::q4_0>(-8, 7);
}

/// Blocks and activations of every kind, finite or not, with scalar's bits.
template <class B, class F>
void special_operands(Fill kind) {
  const std::size_t m = 9;
  const std::size_t n = 27;
  const std::size_t groups = 3;
  auto blocks = random_blocks<F>(n * groups, 77);
  blocks[4].d = tessera::to_float16(inf);
  blocks[10].d = tessera::to_float16(-inf);
  blocks[20].d = tessera::to_float16(nan);
  const auto a = random_matrix(m, groups * F::group, 78, 0, Guard::rear, kind);
  using S = tessera::tile::scalar;
  const Packed<F, S> plain(view_of<F>(blocks, n));
  const Packed<F, tessera::tile_for<F, B>> packed(view_of<F>(blocks, n));
  ASSERT_TRUE(same_bits(matmul_values<B>(a.input(), packed.weights()),
                        matmul_values<tessera::backend::scalar>(a.input(), plain.weights())))
      << F::name << " " << name(kind);
}

TYPED_TEST(MatmulValues, SpecialOperands) {
  for (const Fill kind : all_fills) {
    special_operands<TypeParam, tessera::format::q8_0>(kind);
    special_operands<TypeParam, tessera::format::q4_0>(kind);
  }
}

/// A single row, for which an atom may have a way of its own, has the bits that it has among others.
template <class B, class F>
void one_row_is_a_row_of_many() {
  struct Shape {
    std::size_t n, groups;
  };
  for (const Shape s : {Shape{3, 1}, Shape{50, 3}, Shape{16, 2}, Shape{113, 5}})
    for (const float scale : {1.0f, inf, nan}) {
      auto blocks = random_blocks<F>(s.n * s.groups, s.n);
      blocks[(s.n - 1) * s.groups].d = tessera::to_float16(scale);
      const Packed<F, tessera::tile_for<F, B>> packed(view_of<F>(blocks, s.n));
      const auto a = random_matrix(2, s.groups * F::group, 81);
      const auto two = matmul_values<B>(a.input(), packed.weights());
      const auto one = matmul_values<B>({a.row(1), 1, a.cols(), 0}, packed.weights());
      ASSERT_TRUE(same_bits(one, std::span(two).subspan(s.n)))
          << F::name << " " << s.n << "x" << s.groups * F::group << " scale " << scale;
    }
}

TYPED_TEST(MatmulValues, OneRowIsARowOfMany) {
  one_row_is_a_row_of_many<TypeParam, tessera::format::q8_0>();
  one_row_is_a_row_of_many<TypeParam, tessera::format::q4_0>();
}

/// Blocks of any bits, scales and minima that are infinite or NaN among them, with scalar's bits.
template <class B, class F>
void any_bits() {
  const std::size_t n = 27;
  const std::size_t blocks = F::group < 64 ? 5 : 2;
  std::vector<std::byte> bytes(n * blocks * F::block_bytes);
  Random random(79);
  fill_bytes(bytes, random);
  const tessera::BlockView<F> view{bytes.data(), n, blocks * F::group,
                                   static_cast<std::ptrdiff_t>(blocks * F::block_bytes)};
  const auto a = random_matrix(5, view.cols, 80);
  const Packed<F, tessera::tile::scalar> plain(view);
  const Packed<F, tessera::tile_for<F, B>> packed(view);
  ASSERT_TRUE(same_bits(matmul_values<B>(a.input(), packed.weights()),
                        matmul_values<tessera::backend::scalar>(a.input(), plain.weights())))
      << F::name;
}

TYPED_TEST(MatmulValues, AnyBitsOfEveryFormat) {
  tessera::all_formats::for_each([]<class F>(tessera::Type<F>) {
    if constexpr (!F::is_float) any_bits<TypeParam, F>();
  });
}

TYPED_TEST(MatmulValues, ANonFiniteActivationMakesItsRowNaN) {
  using F = tessera::format::q8_0;
  const std::size_t m = 6;
  const std::size_t n = 18;
  const std::size_t k = 70;
  const Packed<F, tessera::tile_for<F, TypeParam>> packed(random_weights(n, k, 3));
  for (const float bad : {nan, inf, -inf})
    for (const std::size_t at : {std::size_t{0}, std::size_t{40}, k - 1}) {
      auto a = random_matrix(m, k, 4);
      const auto before = matmul_values<TypeParam>(a.input(), packed.weights());
      a(2, at) = bad;
      const auto after = matmul_values<TypeParam>(a.input(), packed.weights());
      for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          if (i == 2)
            ASSERT_TRUE(std::isnan(after[i * n + j])) << bad << " at " << at;
          else
            ASSERT_TRUE(same_bits(after[i * n + j], before[i * n + j])) << bad << " at " << at;
        }
    }
}

TYPED_TEST(MatmulValues, NonFiniteFloatsActAsIeee) {
  using F = tessera::format::f32;
  const std::size_t m = 3;
  const std::size_t n = 5;
  const std::size_t k = 4;
  Weights w = random_weights(n, k, 5);
  w.values[1 * k + 2] = 0.0f;
  w.values[2 * k + 0] = inf;
  w.values[3 * k + 1] = nan;
  auto a = random_matrix(m, k, 6);
  for (std::size_t j = 0; j < k; ++j) a(0, j) = 1.0f;
  a(1, 2) = inf;
  const Packed<F, tessera::tile_for<F, TypeParam>> packed(w);
  const auto c = matmul_values<TypeParam>(a.input(), packed.weights());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double want = 0;
      for (std::size_t q = 0; q < k; ++q) want += double{a(i, q)} * double{w.values[j * k + q]};
      const float got = c[i * n + j];
      if (std::isnan(want))
        ASSERT_TRUE(std::isnan(got)) << i << "," << j;
      else if (std::isinf(want))
        ASSERT_EQ(double{got}, want) << i << "," << j;
      else
        ASSERT_TRUE(std::isfinite(got)) << i << "," << j;
    }
  EXPECT_TRUE(std::isnan(c[1 * n + 1]));  // inf * 0
}

TYPED_TEST(MatmulValues, ZeroAndTinyGroups) {
  using F = tessera::format::q8_0;
  const std::size_t n = 6;
  const std::size_t k = 32;
  const float tiny[] = {0.0f, -0.0f, 1e-45f, 0x1p-126f, 0x1.fffffep-121f, 0x1p-120f, 1e-20f};
  GuardedMatrix<float> a(std::size(tiny), k);
  for (std::size_t i = 0; i < std::size(tiny); ++i)
    for (std::size_t j = 0; j < k; ++j) a(i, j) = j == 5 ? tiny[i] : 0.0f;
  const Weights w = random_weights(n, k, 9);
  const Packed<F, tessera::tile_for<F, TypeParam>> packed(w);
  const auto c = matmul_values<TypeParam>(a.input(), packed.weights());
  for (std::size_t i = 0; i < std::size(tiny); ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const float got = c[i * n + j];
      if (std::fabs(tiny[i]) < 0x1p-120f) {
        ASSERT_EQ(got, 0.0f) << tiny[i];  // the group is below what a scale can invert
        continue;
      }
      typename F::Block block;
      F::quantize_block(w.values.data() + j * k, block);
      const double want = double{tiny[i]} * F::code(block, 5) * double{tessera::to_float(block.d)};
      // The group's scale may be subnormal: half a spacing of it, at up to 127 * 127 steps.
      ASSERT_LE(std::fabs(double{got} - want), std::fabs(want) * 0x1p-21 + 127 * 127 * 0x1p-150)
          << tiny[i];
    }
}

}  // namespace
}  // namespace tessera_test
