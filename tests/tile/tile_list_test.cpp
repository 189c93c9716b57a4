// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The tiles that layouts are named after: each shape once, and each takes every format of its kind.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <tuple>

#include "tessera/formats/all.hpp"
#include "tessera/tile/panel_layout.hpp"
#include "tessera/tile/tile.hpp"

namespace {

template <class List>
void shapes_are_unique() {
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> shapes;
  List::for_each([&](auto t) {
    using T = typename decltype(t)::type;
    EXPECT_TRUE(shapes.insert({T::m, T::n, T::k}).second) << T::m << ' ' << T::n << ' ' << T::k;
    constexpr tessera::TileShape s = tessera::tile_shape<T>;
    EXPECT_EQ(s.m, T::m);
    EXPECT_EQ(s.n, T::n);
    EXPECT_EQ(s.k, T::k);
  });
}

TEST(Tiles, ShapesAreUnique) {
  shapes_are_unique<tessera::all_int8_tiles>();
  shapes_are_unique<tessera::all_float_tiles>();
}

TEST(Tiles, OrderIsMNK) {
  static_assert(tessera::tile_shape<tessera::tile::ime1_int8> == tessera::TileShape{4, 4, 8});
  static_assert(tessera::tile_shape<tessera::tile::ime2_int8> == tessera::TileShape{8, 8, 16});
  static_assert(tessera::tile_shape<tessera::tile::columns16> == tessera::TileShape{1, 16, 4});
}

template <class L, std::size_t N, std::size_t Group>
void places_are_unique() {
  std::set<std::size_t> places;
  for (std::size_t j = 0; j < N; ++j)
    for (std::size_t i = 0; i < Group; ++i) {
      EXPECT_LT(L::code_index(j, i), L::codes_per_group);
      EXPECT_TRUE(places.insert(L::code_index(j, i)).second) << j << ' ' << i;
    }
}

TEST(Tiles, CodesOfAGroupHaveEachPlaceOnce) {
  tessera::all_int8_tiles::for_each([](auto t) {
    using T = typename decltype(t)::type;
    using Eight = tessera::internal::PanelLayout<tessera::format::q8_0, T>;
    using Four = tessera::internal::PanelLayout<tessera::format::q4_0, T>;
    places_are_unique<Eight, T::n, 32>();
    places_are_unique<Four, T::n, 32>();
    static_assert(Eight::group_bytes == T::n * 32 && Four::group_bytes == T::n * 16);
  });
}

TEST(Tiles, ElementsOfOneStepLieSideBySide) {
  using L = tessera::internal::PanelLayout<tessera::format::q8_0, tessera::tile::ime1_int8>;
  // 4 columns of 8 elements, then the next 8 elements of the 4 columns.
  static_assert(L::code_index(0, 0) == 0 && L::code_index(0, 7) == 7);
  static_assert(L::code_index(1, 0) == 8 && L::code_index(3, 7) == 31);
  static_assert(L::code_index(0, 8) == 32 && L::code_index(3, 31) == 127);
}

}  // namespace
