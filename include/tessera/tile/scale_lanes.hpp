// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How the scales of rows and columns meet the lanes of a tile's accumulator.
#ifndef TESSERA_TILE_SCALE_LANES_HPP_
#define TESSERA_TILE_SCALE_LANES_HPP_

#include <cstddef>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Atoms whose accumulator is a whole M x N tile, row-major: scales are expanded once, when the
/// operand is prepared, to one value per lane, so that the block only loads them.
template <class T>
struct TileScales {
  using block_tile =
      T;  ///< rows that the activations are laid out by; columns and k are the tile's
  static constexpr bool needs_sums = false;  ///< does start() read the activations' sums?
  static constexpr std::size_t a_scale_lanes = T::m * T::n;
  static constexpr std::size_t b_scale_lanes = T::m * T::n;

  /// Row scales sa[m] to lanes: sa[i] in all columns of row i.
  TESSERA_INLINE static void expand_a(const float* sa, float* lanes) noexcept {
    for (std::size_t i = 0; i < T::m; ++i)
      for (std::size_t j = 0; j < T::n; ++j) lanes[i * T::n + j] = sa[i];
  }
  /// Column scales sb[n] to lanes: sb[j] in all rows of column j.
  TESSERA_INLINE static void expand_b(const float* sb, float* lanes) noexcept {
    for (std::size_t i = 0; i < T::m; ++i)
      for (std::size_t j = 0; j < T::n; ++j) lanes[i * T::n + j] = sb[j];
  }
  template <class D>
  TESSERA_INLINE static auto a_scale(D d, const float* lanes) noexcept {
    return d.load(lanes);
  }
  template <class D>
  TESSERA_INLINE static auto b_scale(D d, const float* lanes, std::size_t) noexcept {
    return d.load(lanes);
  }
  /// One tile of results to rows of `out`, ld apart.
  template <class D>
  TESSERA_INLINE static void store(D d, typename D::F32 v, float* out, std::size_t ld,
                                   std::size_t) noexcept {
    float lanes[T::m * T::n];
    d.store(lanes, v);
    for (std::size_t i = 0; i < T::m; ++i)
      for (std::size_t j = 0; j < T::n; ++j) out[i * ld + j] = lanes[i * T::n + j];
  }
};

/// Atoms of one row whose lanes run across columns.
template <class T>
struct ColumnScales {
  static_assert(T::m == 1);
  using block_tile = T;
  static constexpr bool needs_sums = false;
  static constexpr std::size_t a_scale_lanes = 1;
  static constexpr std::size_t b_scale_lanes = T::n;

  TESSERA_INLINE static void expand_a(const float* sa, float* lanes) noexcept { lanes[0] = sa[0]; }
  TESSERA_INLINE static void expand_b(const float* sb, float* lanes) noexcept {
    for (std::size_t j = 0; j < T::n; ++j) lanes[j] = sb[j];
  }
  template <class D>
  TESSERA_INLINE static auto a_scale(D d, const float* lanes) noexcept {
    return d.set(lanes[0]);
  }
  template <class D>
  TESSERA_INLINE static auto b_scale(D d, const float* lanes, std::size_t column) noexcept {
    return d.load(lanes + column);
  }
  template <class D>
  TESSERA_INLINE static void store(D d, typename D::F32 v, float* out, std::size_t,
                                   std::size_t column) noexcept {
    d.store(out + column, v);
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_SCALE_LANES_HPP_
