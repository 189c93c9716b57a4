// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Codes whose levels are a linear function of them, described by values: one decoder for all such
/// formats, for backends that have vectors of bytes.
///
/// Such a backend's tag names a class `Codes` with
/// `unpack(low, low_shift, high, high_shift, codes, n, out)`: for i < n
///   code = (low[i] >> low_shift) & (2^low_bits - 1), and with a second plane
///   code += ((high[i] >> high_shift) & (2^high_bits - 1)) << low_bits;
///   out[i] = gain * code - offset.
#ifndef TESSERA_TILE_LINEAR_CODES_HPP_
#define TESSERA_TILE_LINEAR_CODES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/tile/panel_layout.hpp"

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

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Levels of all slices of a panel of `columns`, whose planes are in the order the kernel reads.
template <class Codes>
TESSERA_NOINLINE void unpack_panel(const LinearCodes& codes, const std::byte* slice,
                                   std::size_t slice_bytes, std::size_t slices, std::size_t columns,
                                   std::int8_t* out) noexcept {
  const std::size_t least = codes.least();
  const std::size_t parts_per_low = codes.low_bits / least;  // finest parts in one of the low plane
  const std::size_t length = columns * slice_elements * least / 8;  // of a part of the finest plane
  const std::size_t high_at = columns * slice_elements * codes.low_bits / 8;
  for (std::size_t s = 0; s < slices; ++s, slice += slice_bytes) {
    const auto* low = reinterpret_cast<const std::uint8_t*>(slice);
    const std::uint8_t* high = low + high_at;
    for (std::size_t p = 0; p < 8 / least; ++p, out += length)
      Codes::unpack(low + p % parts_per_low * length, p / parts_per_low * codes.low_bits, high,
                    p * least, codes, length, out);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_LINEAR_CODES_HPP_
