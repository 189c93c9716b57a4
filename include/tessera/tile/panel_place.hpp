// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The places of a panel's parts, and codes to and from them: what packing, unpacking and decoding share.
#ifndef TESSERA_TILE_PANEL_PLACE_HPP_
#define TESSERA_TILE_PANEL_PLACE_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/panel_layout.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

TESSERA_INLINE void copy_bytes(void* to, const void* from, std::size_t n) noexcept {
  __builtin_memcpy(to, from, n);
}

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// A panel as packing and unpacking see it, whatever its format and tile.
struct PanelPlace {
  std::byte* panel;
  PanelTraits format;
  std::size_t columns;  ///< of a panel
  std::size_t steps;    ///< consecutive elements of a column: the tile's k
  std::size_t k;        ///< length of a row

  TESSERA_INLINE std::byte* header(std::size_t block, std::size_t column) const noexcept {
    return panel + block * columns * format.header_bytes + column * format.header_unit();
  }
  TESSERA_INLINE std::byte* slice(std::size_t s) const noexcept {
    return panel + format.header_area(columns, k) + s * format.slice_bytes(columns);
  }
};

/// Copies pieces of Piece bytes between dense bytes and places `apart` bytes from each other.
template <std::size_t Piece, bool Scatter>
TESSERA_INLINE void copy_pieces(std::uint8_t* dense, std::size_t bytes, std::byte* places,
                                std::size_t apart) noexcept {
  for (std::size_t at = 0; at < bytes; at += Piece, places += apart) {
    if constexpr (Scatter) {
      copy_bytes(places, dense + at, Piece);
    } else {
      copy_bytes(dense + at, places, Piece);
    }
  }
}

/// The bytes of column j of a plane (8 / bits codes each) to or from the plane's order.
template <bool Scatter>
TESSERA_INLINE void copy_column(std::uint8_t* dense, std::size_t bytes, std::byte* plane,
                                std::size_t columns, std::size_t steps, std::size_t j) noexcept {
  const std::size_t piece = steps < bytes ? steps : bytes;
  std::byte* const places = plane + j * piece;
  const std::size_t apart = columns * piece;
  switch (piece) {
    case 1:
      return copy_pieces<1, Scatter>(dense, bytes, places, apart);
    case 4:
      return copy_pieces<4, Scatter>(dense, bytes, places, apart);
    case 8:
      return copy_pieces<8, Scatter>(dense, bytes, places, apart);
    default:
      return copy_pieces<16, Scatter>(dense, bytes, places, apart);
  }
}

/// Bytes of a code each in one word, so that a shift or a mask serves all of them.
template <std::size_t Bytes>
using CodeWord = std::conditional_t<Bytes % 8 == 0, std::uint64_t, std::uint32_t>;

/// The low `Bits` of every byte of a word.
template <class Word, std::size_t Bits>
inline constexpr Word low_bits_of_bytes =
    static_cast<Word>(0x0101010101010101u * ((std::uint64_t{1} << Bits) - 1));

/// 32 codes to the bytes of one plane: `Bits` of each from bit `Shift` on.
template <std::size_t Bits, std::size_t Shift>
TESSERA_INLINE void join_plane(const std::uint8_t* codes, std::uint8_t* bytes) noexcept {
  constexpr std::size_t length = slice_elements * Bits / 8;
  using Word = CodeWord<length>;
  for (std::size_t c = 0; c < length; c += sizeof(Word)) {
    Word joined = 0;
    unroll<8 / Bits>([&](auto part) TESSERA_LAMBDA {
      Word word;
      copy_bytes(&word, codes + part * length + c, sizeof word);
      joined |= (word >> Shift & low_bits_of_bytes<Word, Bits>) << part * Bits;
    });
    copy_bytes(bytes + c, &joined, sizeof joined);
  }
}
/// The inverse; with a Shift, into codes whose other bits stay as they are.
template <std::size_t Bits, std::size_t Shift>
TESSERA_INLINE void split_plane(const std::uint8_t* bytes, std::uint8_t* codes) noexcept {
  constexpr std::size_t length = slice_elements * Bits / 8;
  using Word = CodeWord<length>;
  for (std::size_t c = 0; c < length; c += sizeof(Word)) {
    Word joined;
    copy_bytes(&joined, bytes + c, sizeof joined);
    unroll<8 / Bits>([&](auto part) TESSERA_LAMBDA {
      Word word = (joined >> part * Bits & low_bits_of_bytes<Word, Bits>) << Shift;
      std::uint8_t* const to = codes + part * length + c;
      if constexpr (Shift != 0) {
        Word other;
        copy_bytes(&other, to, sizeof other);
        word |= other;
      }
      copy_bytes(to, &word, sizeof word);
    });
  }
}

/// The 32 codes of column j of a slice, to and from the panel.
template <std::size_t CodeBits, bool Scatter>
TESSERA_INLINE void copy_codes(std::uint8_t* codes, std::byte* slice, std::size_t columns,
                               std::size_t steps, std::size_t j) noexcept {
  constexpr std::size_t low = low_plane_bits(CodeBits);
  constexpr std::size_t high = CodeBits - low;
  std::uint8_t bytes[slice_elements];
  if constexpr (Scatter) join_plane<low, 0>(codes, bytes);
  copy_column<Scatter>(bytes, slice_elements * low / 8, slice, columns, steps, j);
  if constexpr (!Scatter) split_plane<low, 0>(bytes, codes);
  if constexpr (high != 0) {
    std::byte* const plane = slice + columns * slice_elements * low / 8;
    if constexpr (Scatter) join_plane<high, low>(codes, bytes);
    copy_column<Scatter>(bytes, slice_elements * high / 8, plane, columns, steps, j);
    if constexpr (!Scatter) split_plane<high, low>(bytes, codes);
  }
}

/// The panel of row n.
TESSERA_INLINE PanelPlace panel_of(std::byte* image, const PanelTraits& f, TileShape tile,
                                   std::size_t n, std::size_t k) noexcept {
  return {image + sizeof(PackedHeader) + n / tile.n * f.panel_bytes(tile.n, k), f, tile.n, tile.k,
          k};
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_PANEL_PLACE_HPP_
