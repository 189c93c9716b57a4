// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Where everything lies in a packed weight image: one description for packer, unpacker and kernels.
///
/// An image is a 64-byte header, then one panel per tile::n columns (the last one padded with zero
/// columns). A panel starts at a multiple of 64 bytes from the image's start.
/// - Block formats: f16 scales [group][n], padded to 64 bytes, then codes [group][k step][n][k].
///   4-bit codes: the first half of a group's sequence in the low nibbles, the second half in the
///   high nibbles of the same bytes.
/// - Float formats: elements [k][n].
/// Packing keeps every code and scale as stored: nothing is lost.
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
inline constexpr std::size_t panel_alignment = 64;

/// Layout of one panel of block format F for tile T.
template <class F, class T>
struct PanelLayout {
  static constexpr std::size_t k_steps = F::group / T::k;
  static constexpr std::size_t codes_per_group = T::n * F::group;
  static_assert(F::group % T::k == 0, "a group must be a whole number of the tile's k steps");
  static_assert(F::code_bits == 8 || codes_per_group % 2 == 0);

  static constexpr std::size_t group_bytes = codes_per_group * F::code_bits / 8;

  /// Bytes of the scales in front of the codes.
  TESSERA_INLINE static constexpr std::size_t scale_bytes(std::size_t groups) noexcept {
    return round_up(groups * T::n * sizeof(std::uint16_t), panel_alignment);
  }
  TESSERA_INLINE static constexpr std::size_t panel_bytes(std::size_t k) noexcept {
    const std::size_t groups = div_up(k, F::group);
    return round_up(scale_bytes(groups) + groups * group_bytes, panel_alignment);
  }
  /// Place of code `i` of a group's column `j` in the group's sequence of codes.
  TESSERA_INLINE static constexpr std::size_t code_index(std::size_t j, std::size_t i) noexcept {
    return (i / T::k * T::n + j) * T::k + i % T::k;
  }
};

/// Layout of one panel of float format F for tile T.
template <class F, class T>
  requires F::is_float
struct PanelLayout<F, T> {
  static_assert(T::k == 1, "float panels have one element per k step");
  TESSERA_INLINE static constexpr std::size_t panel_bytes(std::size_t k) noexcept {
    return round_up(k * T::n * F::block_bytes, panel_alignment);
  }
};

/// Bytes of an image of n columns; `overflow` is set if they do not fit.
template <class F, class T>
TESSERA_INLINE constexpr std::size_t image_bytes(std::size_t n, std::size_t k,
                                                 bool* overflow) noexcept {
  constexpr std::size_t limit = static_cast<std::size_t>(PTRDIFF_MAX);
  *overflow = k > limit / (T::n * 8);
  if (*overflow) return 0;
  std::size_t bytes = 0;
  *overflow = __builtin_mul_overflow(div_up(n, T::n), PanelLayout<F, T>::panel_bytes(k), &bytes) ||
              __builtin_add_overflow(bytes, sizeof(PackedHeader), &bytes) || bytes > limit;
  return *overflow ? 0 : bytes;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_TILE_PANEL_LAYOUT_HPP_
