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

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/panel_layout.hpp"

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

namespace internal {

TESSERA_INLINE void copy_bytes(void* to, const void* from, std::size_t n) noexcept {
  __builtin_memcpy(to, from, n);
}

/// Reads and writes single blocks inside one panel.
template <class F, class T>
struct PanelBlocks {
  using L = PanelLayout<F, T>;

  TESSERA_INLINE static void put(std::byte* panel, std::size_t groups, std::size_t g, std::size_t j,
                                 const typename F::Block& block) noexcept {
    copy_bytes(panel + (g * T::n + j) * 2, &block.d, 2);
    std::byte* codes = panel + L::scale_bytes(groups) + g * L::group_bytes;
    for (std::size_t i = 0; i < F::group; ++i) {
      const std::size_t at = L::code_index(j, i);
      const auto code = static_cast<unsigned>(F::code(block, i) + F::code_offset);
      if constexpr (F::code_bits == 8) {
        codes[at] = static_cast<std::byte>(code);
      } else {
        constexpr std::size_t half = L::codes_per_group / 2;
        const bool high = at >= half;
        std::byte& b = codes[high ? at - half : at];
        b = high ? (b & std::byte{0x0f}) | static_cast<std::byte>(code << 4)
                 : (b & std::byte{0xf0}) | static_cast<std::byte>(code & 15u);
      }
    }
  }

  TESSERA_INLINE static void get(const std::byte* panel, std::size_t groups, std::size_t g,
                                 std::size_t j, typename F::Block& block) noexcept {
    copy_bytes(&block.d, panel + (g * T::n + j) * 2, 2);
    for (std::size_t i = 0; i < F::group; ++i) F::set_code(block, i, code(panel, groups, g, j, i));
  }

  /// The i-th code of group g of column j, its offset taken off.
  TESSERA_INLINE static int code(const std::byte* panel, std::size_t groups, std::size_t g,
                                 std::size_t j, std::size_t i) noexcept {
    const std::byte* codes = panel + L::scale_bytes(groups) + g * L::group_bytes;
    const std::size_t at = L::code_index(j, i);
    if constexpr (F::code_bits == 8) {
      return static_cast<std::int8_t>(codes[at]) - F::code_offset;
    } else {
      constexpr std::size_t half = L::codes_per_group / 2;
      const auto byte = static_cast<unsigned>(codes[at >= half ? at - half : at]);
      return static_cast<int>(at >= half ? byte >> 4 : byte & 15u) - F::code_offset;
    }
  }
};

template <class F, class T>
TESSERA_INLINE void write_header(std::byte* image, std::size_t n, std::size_t k,
                                 std::size_t bytes) noexcept {
  PackedHeader h = {};
  copy_bytes(h.magic, packed_magic, sizeof h.magic);
  h.version = packed_version;
  h.format = F::id;
  h.tile = tile_shape<T>;
  h.n = n;
  h.k = k;
  h.panel = PanelLayout<F, T>::panel_bytes(k);
  h.bytes = bytes;
  copy_bytes(image, &h, sizeof h);
}

/// Packs row n of the matrix; `block_at(g, block)` (or `value_at(k)` for floats) is its content.
template <class F, class T, class Source>
TESSERA_INLINE void pack_row(std::byte* image, std::size_t n, std::size_t rows, std::size_t k,
                             Source&& source) noexcept {
  const std::size_t panel_bytes = PanelLayout<F, T>::panel_bytes(k);
  std::byte* panel = image + sizeof(PackedHeader) + n / T::n * panel_bytes;
  // The last row of the matrix also writes the zero columns behind it.
  const std::size_t last_of_panel = n + 1 == rows ? T::n - 1 : n % T::n;
  for (std::size_t j = n % T::n; j <= last_of_panel; ++j) {
    const bool padding = j != n % T::n;
    if constexpr (F::is_float) {
      for (std::size_t q = 0; q < k; ++q) {
        typename F::Element x = {};
        if (!padding) source(q, x);
        copy_bytes(panel + (q * T::n + j) * sizeof x, &x, sizeof x);
      }
    } else {
      const std::size_t groups = div_up(k, F::group);
      for (std::size_t g = 0; g < groups; ++g) {
        typename F::Block block = {};
        for (std::size_t i = 0; i < F::group; ++i) F::set_code(block, i, 0);
        if (!padding) source(g, block);
        PanelBlocks<F, T>::put(panel, groups, g, j, block);
      }
    }
  }
  if (n % T::n == 0) {  // bytes between scales and codes, and behind the panel, belong to nobody
    if constexpr (F::is_float) {
      const std::size_t used = k * T::n * F::block_bytes;
      __builtin_memset(panel + used, 0, panel_bytes - used);
    } else {
      using L = PanelLayout<F, T>;
      const std::size_t groups = div_up(k, F::group);
      const std::size_t scales = groups * T::n * 2;
      const std::size_t used = L::scale_bytes(groups) + groups * L::group_bytes;
      __builtin_memset(panel + scales, 0, L::scale_bytes(groups) - scales);
      __builtin_memset(panel + used, 0, panel_bytes - used);
    }
  }
}

/// What every packing call verifies.
template <class F, class T>
TESSERA_INLINE Status check_packing(std::size_t rows, std::size_t cols, const std::byte* image,
                                    std::size_t size, RowRange range) noexcept {
  if (rows == 0 || cols == 0) return Status::empty_shape;
  bool overflow = false;
  const std::size_t need = image_bytes<F, T>(rows, cols, &overflow);
  if (overflow) return Status::shape_too_large;
  if (image == nullptr) return Status::null_pointer;
  if (size < need) return Status::packed_too_small;
  if (reinterpret_cast<std::uintptr_t>(image) % panel_alignment != 0) return Status::misaligned;
  const std::size_t end = range.end == SIZE_MAX ? rows : range.end;
  return range.begin <= end && end <= rows ? Status::ok : Status::bad_unit_range;
}

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of the packed image of an n x k weight matrix in format F for tile T; 0 if n or k is 0 or
/// the size does not fit.
template <class F, class T>
[[nodiscard]] constexpr std::size_t packed_size(std::size_t n, std::size_t k) noexcept {
  bool overflow = false;
  if (n == 0 || k == 0) return 0;
  return detail::image_bytes<F, T>(n, k, &overflow);
}

/// Is `image` the packed n x k matrix of format F for tile T? Reads the header only.
/// Errors: null_pointer, misaligned (64 bytes), packed_too_small, packed_magic, packed_version,
/// packed_format, packed_tile, packed_shape.
template <class F, class T>
[[nodiscard]] Status check_packed(std::span<const std::byte> image, std::size_t n,
                                  std::size_t k) noexcept {
  if (image.data() == nullptr) return Status::null_pointer;
  if (reinterpret_cast<std::uintptr_t>(image.data()) % detail::panel_alignment != 0)
    return Status::misaligned;
  if (image.size() < sizeof(PackedHeader)) return Status::packed_too_small;
  PackedHeader h;
  detail::copy_bytes(&h, image.data(), sizeof h);
  for (std::size_t i = 0; i < sizeof h.magic; ++i)
    if (h.magic[i] != detail::packed_magic[i]) return Status::packed_magic;
  if (h.version != detail::packed_version) return Status::packed_version;
  if (h.format != F::id) return Status::packed_format;
  if (h.tile != tile_shape<T>) return Status::packed_tile;
  if (h.n != n || h.k != k) return Status::packed_shape;
  const std::size_t need = packed_size<F, T>(n, k);
  if (need == 0 || h.bytes != need || h.panel != detail::PanelLayout<F, T>::panel_bytes(k))
    return Status::packed_shape;
  return image.size() < need ? Status::packed_too_small : Status::ok;
}

/// Quantises rows `range` of `w` (n x k floats) to format F by its published rule and packs them.
/// A row length that is no multiple of the group is padded with zeros in its last group. The range
/// with row 0 writes the header; pack all rows before use.
/// Errors: empty_shape, shape_too_large, null_pointer, misaligned, packed_too_small, bad_unit_range.
template <class F, class T>
[[nodiscard]] Status pack_weights(const MatrixView<const float>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  if (const Status s = detail::check_input(w); s != Status::ok) return s;
  if (const Status s =
          detail::check_packing<F, T>(w.rows, w.cols, image.data(), image.size(), range);
      s != Status::ok)
    return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0)
    detail::write_header<F, T>(image.data(), w.rows, w.cols, packed_size<F, T>(w.rows, w.cols));
  for (std::size_t n = range.begin; n < end; ++n) {
    const float* row = w.row(n);
    if constexpr (F::is_float) {
      detail::pack_row<F, T>(image.data(), n, w.rows, w.cols,
                             [&](std::size_t q, typename F::Element& x)
                                 TESSERA_LAMBDA { x = F::from_float(row[q]); });
    } else {
      detail::pack_row<F, T>(image.data(), n, w.rows, w.cols,
                             [&](std::size_t g, typename F::Block& block) TESSERA_LAMBDA {
                               float x[F::group] = {};
                               for (std::size_t i = 0; i < F::group; ++i)
                                 if (g * F::group + i < w.cols) x[i] = row[g * F::group + i];
                               F::quantize_block(x, block);
                             });
    }
  }
  return Status::ok;
}

/// Packs rows `range` of a matrix already stored in format F; every code and scale is kept as it is.
/// Errors: as above, and group_multiple if cols is not a whole number of blocks.
template <class F, class T>
[[nodiscard]] Status pack_weights(const BlockView<F>& w, std::span<std::byte> image,
                                  RowRange range = {}) noexcept {
  if (w.rows != 0 && w.cols != 0 && w.data == nullptr) return Status::null_pointer;
  if (w.cols % F::group != 0) return Status::group_multiple;
  if (const Status s =
          detail::check_packing<F, T>(w.rows, w.cols, image.data(), image.size(), range);
      s != Status::ok)
    return s;
  const std::size_t end = range.end == SIZE_MAX ? w.rows : range.end;
  if (range.begin == 0 && end != 0)
    detail::write_header<F, T>(image.data(), w.rows, w.cols, packed_size<F, T>(w.rows, w.cols));
  for (std::size_t n = range.begin; n < end; ++n) {
    const std::byte* row = w.data + static_cast<std::ptrdiff_t>(n) * w.row_bytes;
    detail::pack_row<F, T>(image.data(), n, w.rows, w.cols,
                           [&](std::size_t g, auto& block) TESSERA_LAMBDA {
                             detail::copy_bytes(&block, row + g * F::block_bytes, F::block_bytes);
                           });
  }
  return Status::ok;
}

/// The exact stored blocks of rows `range`: row i goes to `out + i * row_bytes`.
/// Errors: those of check_packed, bad_unit_range, null_pointer, stride_too_small (row_bytes below
/// the bytes of a row's blocks).
template <class F, class T>
[[nodiscard]] Status unpack_weights(std::span<const std::byte> image, std::size_t n, std::size_t k,
                                    std::byte* out, std::size_t row_bytes,
                                    RowRange range = {}) noexcept {
  if (const Status s = check_packed<F, T>(image, n, k); s != Status::ok) return s;
  const std::size_t end = range.end == SIZE_MAX ? n : range.end;
  if (range.begin > end || end > n) return Status::bad_unit_range;
  if (out == nullptr) return Status::null_pointer;
  const std::size_t groups = detail::div_up(k, F::group);
  if (row_bytes < groups * F::block_bytes) return Status::stride_too_small;
  const std::size_t panel_bytes = detail::PanelLayout<F, T>::panel_bytes(k);
  for (std::size_t i = range.begin; i < end; ++i) {
    const std::byte* panel = image.data() + sizeof(PackedHeader) + i / T::n * panel_bytes;
    for (std::size_t g = 0; g < groups; ++g) {
      std::byte* to = out + i * row_bytes + g * F::block_bytes;
      if constexpr (F::is_float) {
        detail::copy_bytes(to, panel + (g * T::n + i % T::n) * F::block_bytes, F::block_bytes);
      } else {
        typename F::Block block = {};
        detail::PanelBlocks<F, T>::get(panel, groups, g, i % T::n, block);
        detail::copy_bytes(to, &block, F::block_bytes);
      }
    }
  }
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_PACKING_HPP_
