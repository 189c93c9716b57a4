// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Eight scales and eight minima of six bits in twelve bytes, as q4_K and q5_K store them.
#ifndef TESSERA_FORMATS_SIX_BITS_HPP_
#define TESSERA_FORMATS_SIX_BITS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Scale j: six bits of byte j, or for j >= 4 the low nibble of byte j + 4 and the top bits of j - 4.
[[nodiscard]] TESSERA_INLINE unsigned six_bit_scale(const std::uint8_t* s, std::size_t j) noexcept {
  return j < 4 ? s[j] & 63u : (s[j + 4] & 15u) | static_cast<unsigned>(s[j - 4] >> 6) << 4;
}
/// Minimum j: six bits of byte j + 4, or for j >= 4 the high nibble of byte j + 4 and the top bits of j.
[[nodiscard]] TESSERA_INLINE unsigned six_bit_minimum(const std::uint8_t* s,
                                                      std::size_t j) noexcept {
  return j < 4 ? s[j + 4] & 63u
               : static_cast<unsigned>(s[j + 4] >> 4) | static_cast<unsigned>(s[j] >> 6) << 4;
}

/// The twelve bytes of eight scales and minima, each below 64.
TESSERA_INLINE void join_six_bits(const std::uint8_t* scale, const std::uint8_t* minimum,
                                  std::uint8_t* s) noexcept {
  for (std::size_t j = 0; j < 4; ++j) {
    s[j] = static_cast<std::uint8_t>(scale[j] | (scale[j + 4] >> 4) << 6);
    s[j + 4] = static_cast<std::uint8_t>(minimum[j] | (minimum[j + 4] >> 4) << 6);
    s[j + 8] = static_cast<std::uint8_t>((scale[j + 4] & 15u) | (minimum[j + 4] & 15u) << 4);
  }
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_SIX_BITS_HPP_
