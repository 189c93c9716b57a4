// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Codes whose levels are a linear function of them, described by values: one decoder for all such
/// formats, for backends that have vectors of bytes.
///
/// Such a backend's tag names a class `Codes` with
/// `unpack(codes, slice, slice_bytes, slices, columns, out)`: the levels of all slices of a panel whose
/// planes are in the order the kernel reads. A level is gain * code - offset; where the codes of a slice
/// lie is said in tile/panel_layout.hpp.
#ifndef TESSERA_TILE_LINEAR_CODES_HPP_
#define TESSERA_TILE_LINEAR_CODES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Planes of a format (tile/panel_layout.hpp) and what their codes stand for.
struct LinearCodes {
  bool hold = false;  ///< is the format of this kind?
  std::uint8_t low_bits = 0;
  std::uint8_t high_bits = 0;  ///< 0: one plane
  std::int8_t gain = 1;
  std::int8_t offset = 0;

  /// Bits of the finest plane.
  TESSERA_INLINE constexpr std::size_t least() const noexcept {
    return high_bits != 0 ? high_bits : low_bits;
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_TILE_LINEAR_CODES_HPP_
