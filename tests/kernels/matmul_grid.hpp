// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The product at every tile edge, on one backend with every layout, for a share of the formats.
#ifndef TESSERA_TESTS_KERNELS_MATMUL_GRID_HPP_
#define TESSERA_TESTS_KERNELS_MATMUL_GRID_HPP_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/kernels/backends.hpp"
#include "tests/kernels/matmul_harness.hpp"
#include "tests/reference/matmul.hpp"

namespace tessera_test {

template <class F>
using tiles_of = std::conditional_t<F::is_float, tessera::all_float_tiles, tessera::all_int8_tiles>;

/// A format and a layout of its packed weights.
template <class F, class T>
struct Layout {
  using Format = F;
  using Tile = T;
};

template <class F, class... T>
auto layouts_of(tessera::TypeList<T...>) -> tessera::TypeList<Layout<F, T>...>;

template <class Joined, class... Lists>
struct Join {
  using type = Joined;
};
template <class... A, class... B, class... Lists>
struct Join<tessera::TypeList<A...>, tessera::TypeList<B...>, Lists...> {
  using type = typename Join<tessera::TypeList<A..., B...>, Lists...>::type;
};

template <class... F>
auto all_layouts_of(tessera::TypeList<F...>) ->
    typename Join<tessera::TypeList<>, decltype(layouts_of<F>(tiles_of<F>{}))...>::type;

/// Formats of every kind there is a kernel for (the floats; groups of 32 and 16, with and without
/// minima) with every layout: formats of one kind share their kernels, tests/tile decodes each format
/// from every layout for every tile, and the identity suite multiplies each.
using grid_formats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16,
                      tessera::format::q8_0, tessera::format::q4_0, tessera::format::q5_1,
                      tessera::format::nvfp4, tessera::format::q2_K>;
using all_layouts = decltype(all_layouts_of(grid_formats{}));

/// They are shared out to this many sources, to be compiled side by side.
inline constexpr std::size_t grid_parts = 6;

/// Calls f(Type<Layout>{}) for the layouts of one part.
template <std::size_t Part, class Body>
void for_layouts_of_part(Body&& body) {
  [&]<class... L>(tessera::TypeList<L...>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (
          [&] {
            if constexpr (I % grid_parts == Part) body(tessera::Type<L>{});
          }(),
          ...);
    }(std::index_sequence_for<L...>{});
  }(all_layouts{});
}

struct Shape {
  std::size_t m;
  std::size_t n;
  std::size_t k;
  auto operator<=>(const Shape&) const = default;
};

/// 1, size - 1, size, size + 1, 2 * size + 3 and a prime, without repetition.
inline std::vector<std::size_t> edges(std::size_t size, std::size_t prime) {
  std::vector<std::size_t> all{1, size, size + 1, 2 * size + 3, prime};
  if (size > 1) all.push_back(size - 1);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Lengths of a row: 1 to 9 groups of 32 and lengths in between.
inline constexpr std::size_t lengths[] = {32,  1,   64, 33,  96, 31,  128, 63, 160,
                                          172, 192, 65, 224, 7,  256, 97,  288};

/// Every pair of row and column edges; the lengths take turns.
template <class B, class F, class T>
std::vector<Shape> grid_shapes() {
  std::size_t block_m = 0;
  if constexpr (F::is_float) {
    block_m = B::FloatAtom::rows;
  } else {
    block_m = B::DotAtom::block_tile::m;
  }
  std::vector<Shape> shapes;
  std::size_t turn = 0;
  for (const std::size_t m : edges(block_m, 7))
    for (const std::size_t n : edges(T::n, 13))
      shapes.push_back({m, n, lengths[turn++ % std::size(lengths)]});
  return shapes;
}

inline std::uint64_t seed_of(const Shape& s) {
  return s.m * 1000003 + s.n * 1009 + s.k;
}

/// Scalar's values, which were compared with the float64 reference when first asked for.
template <class F>
const std::vector<float>& expected_values(const Shape& s) {
  static std::map<Shape, std::vector<float>> known;
  auto [at, is_new] = known.try_emplace(s);
  if (!is_new) return at->second;
  const auto a = random_matrix(s.m, s.k, seed_of(s));
  const Weights w = random_weights(s.n, s.k, seed_of(s) + 1);
  const Packed<F, tessera::tile::scalar> packed(w);
  at->second = matmul_values<tessera::backend::scalar>(a.input(), packed.weights());
  const auto stored = reference::stored<F>(w.values.data(), s.n, s.k);
  const auto in = reference::activations<F>(a.row(0), s.m, s.k, static_cast<std::ptrdiff_t>(s.k));
  const auto want = reference::matmul<F>(in.seen, stored);
  EXPECT_EQ(first_outside(want, at->second.data()), s.m * s.n)
      << F::name << " " << s.m << "x" << s.n << "x" << s.k << " against the quantised operands";
  const auto plain = reference::plain_matmul<F>(
      reference::exact(a.row(0), s.m, s.k, static_cast<std::ptrdiff_t>(s.k)), in.error, stored);
  EXPECT_EQ(first_outside(plain, at->second.data()), s.m * s.n)
      << F::name << " " << s.m << "x" << s.n << "x" << s.k << " against the floats";
  return at->second;
}

template <class B, class F, class T>
void run_grid() {
  std::size_t turn = 0;
  for (const Shape& s : grid_shapes<B, F, T>()) {
    SCOPED_TRACE(testing::Message() << F::name << " tile " << T::m << "x" << T::n << "x" << T::k
                                    << ", " << s.m << "x" << s.n << "x" << s.k);
    const auto& want = expected_values<F>(s);
    const Guard side = both_guards[turn % 2];
    const std::size_t padding = turn % 3;
    ++turn;
    auto a = random_matrix(s.m, s.k, seed_of(s), padding, side);
    a.seal();
    const Packed<F, T> packed(random_weights(s.n, s.k, seed_of(s) + 1), side);
    GuardedMatrix<float> c(s.m, s.n, padding, side);
    ASSERT_NO_FATAL_FAILURE(run_matmul<B>(a.input(), packed.weights(), c, {}, side));
    ASSERT_TRUE(same_bits(values_of(c), want));
  }
}

template <std::size_t Part, class B>
void run_grids_of_part() {
  for_layouts_of_part<Part>(
      []<class L>(tessera::Type<L>) { run_grid<B, typename L::Format, typename L::Tile>(); });
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_MATMUL_GRID_HPP_
