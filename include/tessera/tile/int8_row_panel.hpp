// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of formats/int8_row.hpp to and from the columns of a panel.
#ifndef TESSERA_TILE_INT8_ROW_PANEL_HPP_
#define TESSERA_TILE_INT8_ROW_PANEL_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/formats/int8_row.hpp"
#include "tessera/tile/panel_place.hpp"
#include "tessera/tile/whole_row_block.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The scale of column j, and the level of its zero point.
struct RowHeader {
  float scale;
  std::uint8_t zero;
};
TESSERA_INLINE void put_row_header(const PanelPlace& place, std::size_t j, RowHeader h) noexcept {
  copy_bytes(place.panel + j * sizeof h.scale, &h.scale, sizeof h.scale);
  place.panel[place.columns * sizeof h.scale + j] = static_cast<std::byte>(h.zero);
}
TESSERA_INLINE RowHeader row_header(const std::byte* panel, std::size_t columns,
                                    std::size_t j) noexcept {
  RowHeader h;
  copy_bytes(&h.scale, __builtin_assume_aligned(panel + j * sizeof h.scale, alignof(float)),
             sizeof h.scale);
  h.zero = static_cast<std::uint8_t>(panel[columns * sizeof h.scale + j]);
  return h;
}

/// Calls body(first, count, slice) for the slices of a row.
template <class Body>
TESSERA_INLINE void for_slices(const PanelPlace& place, Body&& body) noexcept {
  for (std::size_t first = 0, s = 0; first < place.k; first += slice_elements, ++s) {
    const std::size_t left = place.k - first;
    body(first, left < slice_elements ? left : slice_elements, place.slice(s));
  }
}

/// The levels of column j: `codes(first, count, bytes)` writes those of elements [first, first + count).
template <class Codes>
TESSERA_INLINE void put_levels(const PanelPlace& place, std::size_t j, Codes&& codes) noexcept {
  for_slices(place, [&](std::size_t first, std::size_t count, std::byte* slice) TESSERA_LAMBDA {
    std::uint8_t bytes[slice_elements];
    if (count < slice_elements) __builtin_memset(bytes, 0, sizeof bytes);
    codes(first, count, bytes);
    copy_codes<8, true>(bytes, slice, place.columns, place.steps, j);
  });
}

/// A row of codes, its scale and its zero point to column j.
template <RowFormat F>
TESSERA_NOINLINE void pack_code_row(const PanelPlace& place, std::size_t j,
                                    const typename F::Code* row, float scale,
                                    typename F::Code zero_point) noexcept {
  put_row_header(place, j, {scale, F::byte_of(zero_point)});
  put_levels(place, j,
             [&](std::size_t first, std::size_t count, std::uint8_t* bytes) TESSERA_LAMBDA {
               for (std::size_t i = 0; i < count; ++i) bytes[i] = F::byte_of(row[first + i]);
             });
}

/// The inverse, of the codes alone.
template <RowFormat F>
TESSERA_NOINLINE void unpack_code_row(const PanelPlace& place, std::size_t j,
                                      typename F::Code* row) noexcept {
  for_slices(place, [&](std::size_t first, std::size_t count, std::byte* slice) TESSERA_LAMBDA {
    std::uint8_t bytes[slice_elements];
    copy_codes<8, false>(bytes, slice, place.columns, place.steps, j);
    for (std::size_t i = 0; i < count; ++i) row[first + i] = F::code_of(bytes[i]);
  });
}

/// Floats of a row, quantised by the format's rule, to column j.
template <RowFormat F>
TESSERA_NOINLINE void pack_quantized_row(const PanelPlace& place, std::size_t j,
                                         const float* row) noexcept {
  float scale;
  typename F::Code zero_point;
  F::choose_scale(row, place.k, scale, zero_point);
  put_row_header(place, j, {scale, F::byte_of(zero_point)});
  put_levels(place, j,
             [&](std::size_t first, std::size_t count, std::uint8_t* bytes) TESSERA_LAMBDA {
               typename F::Code codes[slice_elements];
               F::quantize_codes(row + first, count, scale, zero_point, codes);
               for (std::size_t i = 0; i < count; ++i) bytes[i] = F::byte_of(codes[i]);
             });
}

/// Zero columns [j, columns) of the last panel.
TESSERA_NOINLINE inline void pack_zero_rows(const PanelPlace& place, std::size_t j) noexcept {
  for (; j < place.columns; ++j) {
    put_row_header(place, j, {0.0f, 0});
    put_levels(place, j, [](std::size_t, std::size_t count, std::uint8_t* bytes) TESSERA_LAMBDA {
      __builtin_memset(bytes, 0, count);
    });
  }
}

/// Scales of the columns [n0, n0 + columns) of an image's n, and what carries their zero points' levels
/// (whole_row_block.hpp); those beyond n have both 0.
TESSERA_NOINLINE inline void decode_row_headers(const std::byte* panels, std::size_t panel_bytes,
                                                std::size_t panel_columns, std::size_t n,
                                                std::size_t n0, std::size_t columns, float* scales,
                                                float* zeros) noexcept {
  const std::byte* panel = panels + n0 / panel_columns * panel_bytes;
  std::size_t at = n0 % panel_columns;
  for (std::size_t j = 0; j < columns; ++j) {
    RowHeader h = {0.0f, 0};
    if (n0 + j < n) h = row_header(panel, panel_columns, at);
    scales[j] = h.scale;
    zeros[j] = carrier(static_cast<std::int8_t>(h.zero));
    if (++at == panel_columns) at = 0, panel += panel_bytes;
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_INT8_ROW_PANEL_HPP_
