// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Where everything lies in a packed weight image: one description for packer, unpacker and kernels.
///
/// An image is a 64-byte header, then one panel per tile::n columns (the last one padded with zero
/// columns). Panels, and codes behind headers, start at a multiple of 64 bytes from the image's start
/// (of 4 bytes for panels of one column); an image ends at one of 64.
/// - Block formats: the headers of all blocks (everything that is no code, format by format in
///   formats/), then the codes.
///   Headers: [block][unit][n], a unit being two bytes, or one if their number is odd.
///   Codes: [slice of 32 elements][plane][bytes]. A plane holds 1, 2, 4 or 8 bits of each code: codes of
///   3, 5 and 6 bits have a plane of their low 2, 4 and 4 bits and one of the others. A byte of a plane
///   of b bits holds 8 / b codes of one column, l = 32 b / 8 elements apart, the first in its lowest
///   bits: element i of a slice is in part i / l. The bytes of a plane are in the order [step][n][q],
///   q = min(tile::k, l) consecutive elements of a column.
/// - Formats with a scale per row: f32 scales [n], then the zero points' levels [n], then levels as codes of
///   8 bits; those behind a row's end are 0.
/// - Float formats: elements [k][n].
/// Packing keeps every bit of a block: nothing is lost.
#ifndef TESSERA_TILE_PANEL_LAYOUT_HPP_
#define TESSERA_TILE_PANEL_LAYOUT_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/formats/format_id.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_NAMESPACE_BEGIN

/// The first 64 bytes of a packed image. Position-independent; little-endian.
struct PackedHeader {
  char magic[8];
  std::uint32_t version;
  FormatId format;
  TileShape tile;
  std::uint16_t reserved;
  std::uint64_t n;      ///< columns of the product (rows of the weight matrix)
  std::uint64_t k;      ///< logical length of a weight row
  std::uint64_t panel;  ///< bytes of one panel
  std::uint64_t bytes;  ///< bytes of the whole image
  std::uint64_t zero;
};
static_assert(sizeof(PackedHeader) == 64);

namespace internal {

inline constexpr char packed_magic[8] = {'t', 'e', 's', 's', 'e', 'r', 'a', 'W'};
inline constexpr std::uint32_t packed_version = 1;
inline constexpr std::size_t panel_alignment = 64;  ///< of an image, and of panels in it

/// What the parts of a panel are multiples of. A single column has no vector loads to serve, and 64 bytes
/// a row would be seen.
TESSERA_INLINE constexpr std::size_t part_alignment(std::size_t columns) noexcept {
  return columns == 1 ? 4 : panel_alignment;
}

/// Elements of a row whose codes lie together; the activations' group too.
inline constexpr std::size_t slice_elements = 32;

/// What the layout asks of a format.
struct PanelTraits {
  FormatId id;
  bool is_float;
  std::size_t group;         ///< elements of a block
  std::size_t block_bytes;   ///< stored bytes of a block
  std::size_t header_bytes;  ///< of them no codes
  std::size_t code_bits;
  std::size_t row_header_bytes = 0;  ///< of a row, whatever its length

  TESSERA_INLINE constexpr std::size_t blocks(std::size_t k) const noexcept {
    return div_up(k, group);
  }
  TESSERA_INLINE constexpr std::size_t slices_per_block() const noexcept {
    return group / slice_elements;
  }
  TESSERA_INLINE constexpr std::size_t header_unit() const noexcept {
    return header_bytes % 2 == 0 ? 2 : 1;
  }
  /// Bytes of a panel's headers.
  TESSERA_INLINE constexpr std::size_t all_headers(std::size_t columns,
                                                   std::size_t k) const noexcept {
    return columns * (blocks(k) * header_bytes + row_header_bytes);
  }
  /// The same with the gap behind them.
  TESSERA_INLINE constexpr std::size_t header_area(std::size_t columns,
                                                   std::size_t k) const noexcept {
    return round_up(all_headers(columns, k), part_alignment(columns));
  }
  /// Bytes of the codes of one slice of a panel.
  TESSERA_INLINE constexpr std::size_t slice_bytes(std::size_t columns) const noexcept {
    return columns * slice_elements * code_bits / 8;
  }
  TESSERA_INLINE constexpr std::size_t panel_bytes(std::size_t columns,
                                                   std::size_t k) const noexcept {
    if (is_float) return round_up(k * columns * block_bytes, part_alignment(columns));
    return round_up(header_area(columns, k) + blocks(k) * slices_per_block() * slice_bytes(columns),
                    part_alignment(columns));
  }
};

template <class F>
TESSERA_INLINE constexpr PanelTraits panel_traits() noexcept {
  if constexpr (F::is_float) {
    return {F::id, true, 1, F::block_bytes, 0, 0};
  } else if constexpr (requires { F::row_header_bytes; }) {
    return {F::id,           false,        F::group,           F::block_bytes,
            F::header_bytes, F::code_bits, F::row_header_bytes};
  } else {
    return {F::id, false, F::group, F::block_bytes, F::header_bytes, F::code_bits};
  }
}

/// Bits of a code in its first plane; the others are in a second one.
TESSERA_INLINE constexpr std::size_t low_plane_bits(std::size_t code_bits) noexcept {
  return code_bits == 3 ? 2 : code_bits == 5 || code_bits == 6 ? 4 : code_bits;
}

/// Layout of one panel of format F for tile T.
template <class F, class T>
struct PanelLayout {
  static_assert(!F::is_float || T::k == 1, "float panels have one element per k step");
  TESSERA_INLINE static constexpr std::size_t panel_bytes(std::size_t k) noexcept {
    return panel_traits<F>().panel_bytes(T::n, k);
  }
};

/// Bytes of an image of n columns; `overflow` is set if they do not fit.
TESSERA_INLINE constexpr std::size_t image_bytes(const PanelTraits& f, std::size_t columns,
                                                 std::size_t n, std::size_t k,
                                                 bool* overflow) noexcept {
  constexpr std::size_t limit = static_cast<std::size_t>(PTRDIFF_MAX);
  *overflow = k > limit / (columns * 8);
  if (*overflow) return 0;
  std::size_t bytes = 0;
  *overflow = __builtin_mul_overflow(div_up(n, columns), f.panel_bytes(columns, k), &bytes) ||
              __builtin_add_overflow(bytes, sizeof(PackedHeader), &bytes) ||
              bytes > limit - panel_alignment;
  return *overflow ? 0 : round_up(bytes, panel_alignment);
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_TILE_PANEL_LAYOUT_HPP_
