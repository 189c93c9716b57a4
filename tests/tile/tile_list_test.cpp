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

TEST(Tiles, SlicesAreWholeStepsOfEveryTile) {
  tessera::all_int8_tiles::for_each(
      [](auto t) { static_assert(tessera::internal::slice_elements % decltype(t)::type::k == 0); });
  static_assert(tessera::internal::panel_traits<tessera::format::q6_K>().slice_bytes(4) == 4 * 24);
  static_assert(tessera::internal::panel_traits<tessera::format::mxfp4>().header_unit() == 1);
}

}  // namespace
