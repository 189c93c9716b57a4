// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The tile a packed layout belongs to.
#ifndef TESSERA_TILE_TILE_HPP_
#define TESSERA_TILE_TILE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/type_list.hpp"

TESSERA_NAMESPACE_BEGIN

/// M x N x K of one tile operation. A weight panel holds N columns with K consecutive codes of a
/// column side by side; an activation panel holds M rows likewise.
template <std::size_t M, std::size_t N, std::size_t K>
struct Tile {
  static constexpr std::size_t m = M;
  static constexpr std::size_t n = N;
  static constexpr std::size_t k = K;
};

/// A tile as values, for headers and reports.
struct TileShape {
  std::uint16_t m = 0;
  std::uint16_t n = 0;
  std::uint16_t k = 0;
  friend constexpr bool operator==(TileShape, TileShape) = default;
};

template <class T>
inline constexpr TileShape tile_shape = {static_cast<std::uint16_t>(T::m),
                                         static_cast<std::uint16_t>(T::n),
                                         static_cast<std::uint16_t>(T::k)};

/// The tiles that backends define. Integer weights: any of the first five; float weights: the two
/// with one k step.
namespace tile {
using scalar = Tile<1, 1, 1>;        ///< row-major, the definition's own
using ime1_int8 = Tile<4, 4, 8>;     ///< vmadot at VLEN 256
using ime2_int8 = Tile<8, 8, 16>;    ///< vmadot at VLEN 1024
using columns16 = Tile<1, 16, 4>;    ///< 16 columns, four codes each: byte dot products
using columns128 = Tile<1, 128, 1>;  ///< 128 columns, one code each: four registers at VLEN 1024
using floats16 = Tile<1, 16, 1>;     ///< 16 columns of floats
using floats64 = Tile<1, 64, 1>;     ///< 64 columns of floats
}  // namespace tile

using all_int8_tiles =
    TypeList<tile::scalar, tile::ime1_int8, tile::ime2_int8, tile::columns16, tile::columns128>;
using all_float_tiles = TypeList<tile::scalar, tile::floats16, tile::floats64>;

TESSERA_NAMESPACE_END

#endif  // TESSERA_TILE_TILE_HPP_
