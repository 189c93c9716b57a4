// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows as they are stored, not packed, to what a block kernel reads: int8 levels in the atom's tile order
/// with scales, or f32 columns. Exact; done per call and column block.
#ifndef TESSERA_TILE_DECODE_ROWS_HPP_
#define TESSERA_TILE_DECODE_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/tile/decode_panel.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Levels of rows [n0, n0 + to.n), as decode_codes.
template <class F>
TESSERA_NOINLINE void decode_stored_codes(const PanelSource& w, std::size_t n0, TileShape to,
                                          std::int8_t* out) noexcept {
  for (std::size_t j = 0; j < to.n; ++j) {
    const bool inside = n0 + j < w.n;
    const std::byte* row = w.image + static_cast<std::ptrdiff_t>(n0 + j) * w.row_bytes;
    for (std::size_t b = 0; b < w.k / F::group; ++b) {
      std::uint8_t codes[F::group];
      std::int8_t levels[F::group] = {};
      if (inside) {
        typename F::Block block;
        std::uint8_t header[F::header_bytes];
        copy_bytes(&block, row + b * F::block_bytes, F::block_bytes);
        F::split(block, codes, header);
        for (std::size_t i = 0; i < F::group; ++i)
          levels[i] = static_cast<std::int8_t>(F::level(codes[i]));
      }
      for (std::size_t i = 0; i < F::group; i += slice_elements)
        place_levels(levels + i, to, j, out + (b * F::group + i) * to.n);
    }
  }
}

/// Scales of block `block` of rows [n0, n0 + columns), as decode_block_scales.
template <class F>
TESSERA_NOINLINE void decode_stored_scales(const PanelSource& w, std::size_t block, std::size_t n0,
                                           std::size_t columns, float* scale,
                                           float* minus_min) noexcept {
  constexpr std::size_t groups = F::group / F::scale_group;
  for (std::size_t j = 0; j < columns; ++j) {
    float of_column[groups] = {};
    float min_of_column[groups] = {};
    if (n0 + j < w.n) {
      typename F::Block stored;
      std::uint8_t codes[F::group];
      std::uint8_t header[F::header_bytes];
      copy_bytes(
          &stored,
          w.image + static_cast<std::ptrdiff_t>(n0 + j) * w.row_bytes + block * F::block_bytes,
          F::block_bytes);
      F::split(stored, codes, header);
      F::scales(header, of_column, min_of_column);
    }
    for (std::size_t g = 0; g < groups; ++g) {
      scale[g * columns + j] = of_column[g];
      if constexpr (F::has_minima) minus_min[g * columns + j] = min_of_column[g];
    }
  }
}

/// n rows of k elements, row j at data + j * row_bytes.
template <class F>
TESSERA_INLINE PanelSource stored_rows_source(const std::byte* data, std::size_t n, std::size_t k,
                                              std::ptrdiff_t row_bytes) noexcept {
  PanelSource w = {};
  w.image = data;
  w.n = n;
  w.k = k;
  w.group = F::group;
  w.codes = &decode_stored_codes<F>;
  w.scales = &decode_stored_scales<F>;
  w.row_bytes = row_bytes;
  return w;
}

/// Rows of floats and the distances, in bytes, between rows and between elements of a row.
struct FloatPlaces {
  const std::byte* data;
  std::size_t n;
  std::size_t k;
  std::ptrdiff_t row_bytes;
  std::ptrdiff_t element_bytes;
};

/// Rows [n0, n0 + Columns) as f32 columns, [k][Columns]; those beyond n are 0.
template <class B, class F, std::size_t Columns>
TESSERA_NOINLINE void decode_stored_floats(const FloatPlaces& w, std::size_t n0,
                                           float* out) noexcept {
  using Element = typename F::Element;
  const std::size_t columns = w.n - n0 < Columns ? w.n - n0 : Columns;
  const std::byte* const first = w.data + static_cast<std::ptrdiff_t>(n0) * w.row_bytes;
  for (std::size_t q = 0; q < w.k; ++q) {
    const std::byte* at = first + static_cast<std::ptrdiff_t>(q) * w.element_bytes;
    float* const to = out + q * Columns;
    if (w.row_bytes == static_cast<std::ptrdiff_t>(sizeof(Element))) {
      const auto* in = reinterpret_cast<const Element*>(at);
      B::Vectors::template for_lanes<2>(
          columns, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(in + i)); });
    } else {
      for (std::size_t j = 0; j < columns; ++j, at += w.row_bytes)
        to[j] = to_float(*reinterpret_cast<const Element*>(at));
    }
    for (std::size_t j = columns; j < Columns; ++j) to[j] = 0.0f;
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_DECODE_ROWS_HPP_
