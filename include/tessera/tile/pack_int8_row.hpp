// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights of formats/int8_row.hpp from their arrays to a packed image and back. Lossless.
#ifndef TESSERA_TILE_PACK_INT8_ROW_HPP_
#define TESSERA_TILE_PACK_INT8_ROW_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/formats/int8_row.hpp"
#include "tessera/tile/int8_row_panel.hpp"
#include "tessera/tile/packing.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Are codes and scales there, rows apart from each other, and the scales aligned?
template <class Arrays>
[[nodiscard]] TESSERA_INLINE Status check_row_arrays(const Arrays& w, std::size_t rows,
                                                     std::size_t cols) noexcept {
  if (w.codes == nullptr || w.scales == nullptr) return Status::null_pointer;
  if (reinterpret_cast<std::uintptr_t>(w.scales) % alignof(float) != 0) return Status::misaligned;
  const auto apart = static_cast<std::size_t>(w.row_stride < 0 ? -w.row_stride : w.row_stride);
  return rows > 1 && apart < cols ? Status::stride_too_small : Status::ok;
}

// The tile is a value here, so that a format is compiled once for all of them.

template <RowFormat F>
[[nodiscard]] TESSERA_NOINLINE Status pack_row_arrays(const RowView<F>& w,
                                                      std::span<std::byte> image, TileShape tile,
                                                      RowRange range) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  if (const Status s = check_packing(f, tile, w.rows, w.cols, image, range); s != Status::ok)
    return s;
  if (const Status s = check_row_arrays(w, w.rows, w.cols); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0) write_header(image.data(), f, tile, w.rows, w.cols);
  pack_rows<F>(image.data(), tile, w.rows, w.cols, range.begin, end,
               [&](const PanelPlace& place, std::size_t j, std::size_t n) TESSERA_LAMBDA {
                 pack_code_row<F>(place, j, w.codes + static_cast<std::ptrdiff_t>(n) * w.row_stride,
                                  w.scales[n], w.zero_points != nullptr ? w.zero_points[n] : 0);
               });
  return Status::ok;
}

template <RowFormat F>
[[nodiscard]] TESSERA_NOINLINE Status unpack_row_arrays(std::span<const std::byte> image,
                                                        TileShape tile, std::size_t n,
                                                        std::size_t k, const RowOutput<F>& out,
                                                        RowRange range) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  if (const Status s = check_image(image, f, tile, n, k); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? n : range.end;
  if (range.begin > end || end > n) return Status::bad_unit_range;
  if (const Status s = check_row_arrays(out, n, k); s != Status::ok) return s;
  const auto place_of = [&](std::size_t i) TESSERA_LAMBDA {
    // The place's pointer is for writing too, but unpacking only reads.
    return panel_of(const_cast<std::byte*>(image.data()), f, tile, i, k);
  };
  const auto zero_point = [&](std::size_t i) TESSERA_LAMBDA {
    return F::code_of(row_header(place_of(i).panel, tile.n, i % tile.n).zero);
  };
  for (std::size_t i = range.begin; i < end && out.zero_points == nullptr; ++i)
    if (zero_point(i) != 0) return Status::null_pointer;
  for (std::size_t i = range.begin; i < end; ++i) {
    const PanelPlace place = place_of(i);
    out.scales[i] = row_header(place.panel, tile.n, i % tile.n).scale;
    if (out.zero_points != nullptr) out.zero_points[i] = zero_point(i);
    unpack_code_row<F>(place, i % tile.n,
                       out.codes + static_cast<std::ptrdiff_t>(i) * out.row_stride);
  }
  return Status::ok;
}

}  // namespace detail

/// Packs rows `range` of a matrix in three arrays; every bit of it is kept.
/// Errors: empty_shape, shape_too_large, null_pointer, misaligned, packed_too_small, bad_unit_range,
/// stride_too_small.
template <RowFormat F, class T>
[[nodiscard]] Status pack_weights(const RowView<F>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  return detail::pack_row_arrays<F>(w, image, tile_shape<T>, range);
}

/// The arrays of rows `range` at their places among those of all rows.
/// Errors: those of check_packed, bad_unit_range, null_pointer (also of the zero points, unless all are 0),
/// misaligned, stride_too_small.
template <RowFormat F, class T>
[[nodiscard]] Status unpack_weights(std::span<const std::byte> image, std::size_t n, std::size_t k,
                                    const RowOutput<F>& out, RowRange range = {}) noexcept {
  return detail::unpack_row_arrays<F>(image, tile_shape<T>, n, k, out, range);
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_PACK_INT8_ROW_HPP_
