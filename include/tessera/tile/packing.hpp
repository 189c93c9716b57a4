// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights to and from the packed image of a tile. Lossless: unpack(pack(w)) == w bit for bit.
///
/// Any split of the rows over calls and threads gives the same bytes; a call needs no extra memory
/// beyond one block. An image is position-independent: it may be written to a file and mapped.
#ifndef TESSERA_TILE_PACKING_HPP_
#define TESSERA_TILE_PACKING_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/int8_row_panel.hpp"
#include "tessera/tile/panel_layout.hpp"
#include "tessera/tile/panel_place.hpp"

TESSERA_NAMESPACE_BEGIN

/// A weight matrix as stored in a file: row i is div_up(cols, F::group) blocks at
/// `data + i * row_bytes`, without alignment. `cols` counts elements.
template <class F>
struct BlockView {
  const std::byte* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::ptrdiff_t row_bytes = 0;
};

/// Rows [begin, end) of a weight matrix; the default end stands for all rows.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = SIZE_MAX;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// A block's header to or from the panel.
template <class F, bool Scatter>
TESSERA_INLINE void copy_header(std::uint8_t* header, std::byte* at, std::size_t columns) noexcept {
  constexpr std::size_t unit = panel_traits<F>().header_unit();
  copy_pieces<unit, Scatter>(header, F::header_bytes, at, columns * unit);
}

/// Block b of column j of a panel.
template <class F>
TESSERA_INLINE void put_block(const PanelPlace& place, std::size_t b, std::size_t j,
                              const typename F::Block& block) noexcept {
  std::uint8_t codes[F::group];
  std::uint8_t header[F::header_bytes];
  F::split(block, codes, header);
  copy_header<F, true>(header, place.header(b, j), place.columns);
  constexpr std::size_t slices = F::group / slice_elements;
  for (std::size_t s = 0; s < slices; ++s)
    copy_codes<F::code_bits, true>(codes + s * slice_elements, place.slice(b * slices + s),
                                   place.columns, place.steps, j);
}

/// The inverse.
template <class F>
TESSERA_INLINE void take_block(const PanelPlace& place, std::size_t b, std::size_t j,
                               typename F::Block& block) noexcept {
  constexpr std::size_t slices = F::group / slice_elements;
  std::uint8_t codes[F::group];
  std::uint8_t header[F::header_bytes];
  copy_header<F, false>(header, place.header(b, j), place.columns);
  for (std::size_t s = 0; s < slices; ++s)
    copy_codes<F::code_bits, false>(codes + s * slice_elements, place.slice(b * slices + s),
                                    place.columns, place.steps, j);
  F::join(codes, header, block);
}

/// Column j of a panel to the stored blocks of a row.
template <class F>
TESSERA_NOINLINE void unpack_row(const PanelPlace& place, std::size_t j, std::byte* out) noexcept {
  for (std::size_t b = 0; b < place.format.blocks(place.k); ++b) {
    typename F::Block block;
    take_block<F>(place, b, j, block);
    copy_bytes(out + b * F::block_bytes, &block, F::block_bytes);
  }
}

/// Stored blocks of a row to column j of a panel.
template <class F>
TESSERA_NOINLINE void pack_stored_row(const PanelPlace& place, std::size_t j,
                                      const std::byte* row) noexcept {
  for (std::size_t b = 0; b < place.format.blocks(place.k); ++b) {
    typename F::Block block;
    copy_bytes(&block, row + b * F::block_bytes, F::block_bytes);
    put_block<F>(place, b, j, block);
  }
}

/// Floats of a row, quantised by the format's rule, to column j of a panel; missing ones are 0.
template <class F>
TESSERA_NOINLINE void pack_float_row(const PanelPlace& place, std::size_t j,
                                     const float* row) noexcept {
  for (std::size_t b = 0; b < place.format.blocks(place.k); ++b) {
    float x[F::group];
    const std::size_t begin = b * F::group;
    for (std::size_t i = 0; i < F::group; ++i) x[i] = begin + i < place.k ? row[begin + i] : 0.0f;
    typename F::Block block;
    F::quantize_block(x, block);
    put_block<F>(place, b, j, block);
  }
}

/// Zero columns [j, columns) of the last panel: headers of zero bytes, codes of level 0.
template <class F>
TESSERA_NOINLINE void pack_zero_columns(const PanelPlace& place, std::size_t j) noexcept {
  std::uint8_t codes[F::group];
  const std::uint8_t header[F::header_bytes] = {};
  for (std::uint8_t& c : codes) c = F::code_offset;
  typename F::Block zero;
  F::join(codes, header, zero);
  for (; j < place.columns; ++j)
    for (std::size_t b = 0; b < place.format.blocks(place.k); ++b) put_block<F>(place, b, j, zero);
}

/// The bytes between headers and codes and behind a panel belong to nobody: the first column's row
/// writes them.
TESSERA_INLINE void clear_gaps(const PanelPlace& place) noexcept {
  const PanelTraits& f = place.format;
  const std::size_t end = f.panel_bytes(place.columns, place.k);
  std::size_t used = place.k * place.columns * f.block_bytes;
  if (!f.is_float) {
    const std::size_t blocks = f.blocks(place.k);
    const std::size_t headers = f.all_headers(place.columns, place.k);
    const std::size_t area = f.header_area(place.columns, place.k);
    __builtin_memset(place.panel + headers, 0, area - headers);
    used = area + blocks * f.slices_per_block() * f.slice_bytes(place.columns);
  }
  __builtin_memset(place.panel + used, 0, end - used);
}

/// The bytes behind the last panel: the last row writes them.
TESSERA_INLINE void clear_tail(std::byte* image, const PanelPlace& last,
                               std::size_t rows) noexcept {
  bool overflow = false;
  const std::size_t size = image_bytes(last.format, last.columns, rows, last.k, &overflow);
  std::byte* const end = last.panel + last.format.panel_bytes(last.columns, last.k);
  __builtin_memset(end, 0, static_cast<std::size_t>(image + size - end));
}

/// Writes row n of a float format, and the zero columns behind the last row.
template <class F>
TESSERA_NOINLINE void pack_elements(const PanelPlace& place, std::size_t j, bool last,
                                    const typename F::Element* stored,
                                    const float* floats) noexcept {
  using Element = typename F::Element;
  for (std::size_t q = 0; q < place.k; ++q) {
    std::byte* const to = place.panel + (q * place.columns + j) * sizeof(Element);
    Element x = {};
    if (stored != nullptr)
      copy_bytes(&x, reinterpret_cast<const std::byte*>(stored) + q * sizeof x, sizeof x);
    else
      x = F::from_float(floats[q]);
    copy_bytes(to, &x, sizeof x);
    if (last) __builtin_memset(to + sizeof x, 0, (place.columns - j - 1) * sizeof x);
  }
}

/// Packs rows [begin, end) of `rows`; `pack(place, j, n)` writes row n as column j.
template <class F, class Pack>
TESSERA_INLINE void pack_rows(std::byte* image, TileShape tile, std::size_t rows, std::size_t k,
                              std::size_t begin, std::size_t end, Pack&& pack) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  for (std::size_t n = begin; n < end; ++n) {
    const PanelPlace place = panel_of(image, f, tile, n, k);
    const std::size_t j = n % tile.n;
    if (j == 0) clear_gaps(place);
    if (n + 1 == rows) clear_tail(image, place, rows);
    pack(place, j, n);
    if constexpr (RowFormat<F>) {
      if (n + 1 == rows) pack_zero_rows(place, j + 1);
    } else if constexpr (!F::is_float) {
      if (n + 1 == rows) pack_zero_columns<F>(place, j + 1);
    }
  }
}

TESSERA_NOINLINE inline void write_header(std::byte* image, const PanelTraits& f, TileShape tile,
                                          std::size_t n, std::size_t k) noexcept {
  bool overflow = false;
  PackedHeader h = {};
  copy_bytes(h.magic, packed_magic, sizeof h.magic);
  h.version = packed_version;
  h.format = f.id;
  h.tile = tile;
  h.n = n;
  h.k = k;
  h.panel = f.panel_bytes(tile.n, k);
  h.bytes = image_bytes(f, tile.n, n, k, &overflow);
  copy_bytes(image, &h, sizeof h);
}

/// What every packing call verifies.
TESSERA_NOINLINE inline Status check_packing(const PanelTraits& f, TileShape tile, std::size_t rows,
                                             std::size_t cols, std::span<std::byte> image,
                                             RowRange range) noexcept {
  if (rows == 0 || cols == 0) return Status::empty_shape;
  bool overflow = false;
  const std::size_t need = image_bytes(f, tile.n, rows, cols, &overflow);
  if (overflow) return Status::shape_too_large;
  if (image.data() == nullptr) return Status::null_pointer;
  if (image.size() < need) return Status::packed_too_small;
  if (reinterpret_cast<std::uintptr_t>(image.data()) % panel_alignment != 0)
    return Status::misaligned;
  const std::size_t end = range.end == SIZE_MAX ? rows : range.end;
  return range.begin <= end && end <= rows ? Status::ok : Status::bad_unit_range;
}

/// check_packed for a format and a tile as values.
TESSERA_NOINLINE inline Status check_image(std::span<const std::byte> image, const PanelTraits& f,
                                           TileShape tile, std::size_t n, std::size_t k) noexcept {
  if (image.data() == nullptr) return Status::null_pointer;
  if (reinterpret_cast<std::uintptr_t>(image.data()) % panel_alignment != 0)
    return Status::misaligned;
  if (image.size() < sizeof(PackedHeader)) return Status::packed_too_small;
  PackedHeader h;
  copy_bytes(&h, __builtin_assume_aligned(image.data(), panel_alignment), sizeof h);
  for (std::size_t i = 0; i < sizeof h.magic; ++i)
    if (h.magic[i] != packed_magic[i]) return Status::packed_magic;
  if (h.version != packed_version) return Status::packed_version;
  if (h.format != f.id) return Status::packed_format;
  if (h.tile != tile) return Status::packed_tile;
  if (h.n != n || h.k != k || n == 0 || k == 0) return Status::packed_shape;
  bool overflow = false;
  const std::size_t need = image_bytes(f, tile.n, n, k, &overflow);
  if (overflow || h.bytes != need || h.panel != f.panel_bytes(tile.n, k))
    return Status::packed_shape;
  return image.size() < need ? Status::packed_too_small : Status::ok;
}

}  // namespace detail

/// Bytes of the packed image of an n x k weight matrix in format F for tile T; 0 if n or k is 0 or
/// the size does not fit.
template <class F, class T>
[[nodiscard]] constexpr std::size_t packed_size(std::size_t n, std::size_t k) noexcept {
  bool overflow = false;
  if (n == 0 || k == 0) return 0;
  return detail::image_bytes(detail::panel_traits<F>(), T::n, n, k, &overflow);
}

/// Is `image` the packed n x k matrix of format F for tile T? Reads the header only.
/// Errors: null_pointer, misaligned (64 bytes), packed_too_small, packed_magic, packed_version,
/// packed_format, packed_tile, packed_shape.
template <class F, class T>
[[nodiscard]] Status check_packed(std::span<const std::byte> image, std::size_t n,
                                  std::size_t k) noexcept {
  return detail::check_image(image, detail::panel_traits<F>(), tile_shape<T>, n, k);
}

namespace detail {

// The tile is a value here, so that a format is compiled once for all of them.

/// pack_weights() of floats.
template <class F>
[[nodiscard]] TESSERA_NOINLINE Status pack_floats(const MatrixView<const float>& w,
                                                  std::span<std::byte> image, TileShape tile,
                                                  RowRange range) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  if (const Status s = check_input(w); s != Status::ok) return s;
  if (const Status s = check_packing(f, tile, w.rows, w.cols, image, range); s != Status::ok)
    return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0) write_header(image.data(), f, tile, w.rows, w.cols);
  pack_rows<F>(image.data(), tile, w.rows, w.cols, range.begin, end,
               [&](const PanelPlace& place, std::size_t j, std::size_t n) TESSERA_LAMBDA {
                 if constexpr (F::is_float) {
                   pack_elements<F>(place, j, n + 1 == w.rows, nullptr, w.row(n));
                 } else if constexpr (RowFormat<F>) {
                   pack_quantized_row<F>(place, j, w.row(n));
                 } else {
                   pack_float_row<F>(place, j, w.row(n));
                 }
               });
  return Status::ok;
}

/// pack_weights() of stored rows.
template <class F>
[[nodiscard]] TESSERA_NOINLINE Status pack_stored(const BlockView<F>& w, std::span<std::byte> image,
                                                  TileShape tile, RowRange range) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  if (w.rows != 0 && w.cols != 0 && w.data == nullptr) return Status::null_pointer;
  if (w.cols % F::group != 0) return Status::group_multiple;
  if (const Status s = check_packing(f, tile, w.rows, w.cols, image, range); s != Status::ok)
    return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0) write_header(image.data(), f, tile, w.rows, w.cols);
  pack_rows<F>(image.data(), tile, w.rows, w.cols, range.begin, end,
               [&](const PanelPlace& place, std::size_t j, std::size_t n) TESSERA_LAMBDA {
                 const std::byte* row = w.data + static_cast<std::ptrdiff_t>(n) * w.row_bytes;
                 if constexpr (F::is_float) {
                   const auto* elements = reinterpret_cast<const typename F::Element*>(row);
                   pack_elements<F>(place, j, n + 1 == w.rows, elements, nullptr);
                 } else {
                   pack_stored_row<F>(place, j, row);
                 }
               });
  return Status::ok;
}

/// unpack_weights().
template <class F>
[[nodiscard]] TESSERA_NOINLINE Status unpack(std::span<const std::byte> image, TileShape tile,
                                             std::size_t n, std::size_t k, std::byte* out,
                                             std::size_t row_bytes, RowRange range) noexcept {
  constexpr PanelTraits f = panel_traits<F>();
  if (const Status s = check_image(image, f, tile, n, k); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? n : range.end;
  if (range.begin > end || end > n) return Status::bad_unit_range;
  if (out == nullptr) return Status::null_pointer;
  if (row_bytes < f.blocks(k) * F::block_bytes) return Status::stride_too_small;
  for (std::size_t i = range.begin; i < end; ++i) {
    // The place's pointer is for writing too, but unpacking only reads.
    const PanelPlace place = panel_of(const_cast<std::byte*>(image.data()), f, tile, i, k);
    std::byte* const row = out + i * row_bytes;
    const std::size_t j = i % tile.n;
    if constexpr (F::is_float) {
      for (std::size_t q = 0; q < k; ++q)
        copy_bytes(row + q * F::block_bytes, place.panel + (q * tile.n + j) * F::block_bytes,
                   F::block_bytes);
    } else {
      unpack_row<F>(place, j, row);
    }
  }
  return Status::ok;
}

}  // namespace detail

/// Quantises rows `range` of `w` (n x k floats) to format F by its published rule and packs them.
/// A row length that is no multiple of the block is padded with zeros in its last block. The range
/// with row 0 writes the header; pack all rows before use.
/// Errors: empty_shape, shape_too_large, null_pointer, misaligned, packed_too_small, bad_unit_range.
template <class F, class T>
[[nodiscard]] Status pack_weights(const MatrixView<const float>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  return detail::pack_floats<F>(w, image, tile_shape<T>, range);
}

/// Packs rows `range` of a matrix already stored in format F; every bit of it is kept.
/// Errors: as above, and group_multiple if cols is not a whole number of blocks.
template <class F, class T>
[[nodiscard]] Status pack_weights(const BlockView<F>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  return detail::pack_stored<F>(w, image, tile_shape<T>, range);
}

/// The exact stored blocks of rows `range`: row i goes to `out + i * row_bytes`.
/// Errors: those of check_packed, bad_unit_range, null_pointer, stride_too_small (row_bytes below
/// the bytes of a row's blocks).
template <class F, class T>
[[nodiscard]] Status unpack_weights(std::span<const std::byte> image, std::size_t n, std::size_t k,
                                    std::byte* out, std::size_t row_bytes,
                                    RowRange range = {}) noexcept {
  return detail::unpack<F>(image, tile_shape<T>, n, k, out, row_bytes, range);
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_PACKING_HPP_
