// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The levels of formats whose steps are unequal, and the codes nearest to a value.
#ifndef TESSERA_FORMATS_LEVEL_TABLES_HPP_
#define TESSERA_FORMATS_LEVEL_TABLES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Levels of iq4_nl and iq4_xs.
inline constexpr std::int8_t unequal_levels[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                   1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of E2M1 floats: sign, two exponent bits, one mantissa bit.
inline constexpr std::int8_t small_float_levels[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                                       0, -1, -2, -3, -4, -6, -8, -12};

/// The index of the entry of unequal_levels nearest to x; the upper one on a tie, 0 for a NaN.
[[nodiscard]] TESSERA_INLINE unsigned nearest_unequal(float x) noexcept {
  unsigned index = 0;
  for (unsigned i = 1; i < 16; ++i) {
    // Twice the midpoint is a small integer, and 2 x is exact.
    const int sum = unequal_levels[i - 1] + unequal_levels[i];
    index += x + x >= static_cast<float>(sum) ? 1u : 0u;
  }
  return index;
}

/// The code c with the least |level(c) * d - x|, the lowest of several.
[[nodiscard]] TESSERA_INLINE unsigned nearest_small_float(float x, float d) noexcept {
  unsigned best = 0;
  float least = infinity;
  for (unsigned c = 0; c < 16; ++c) {
    const float off = rounded(static_cast<float>(small_float_levels[c]) * d) - x;
    const float magnitude = off < 0 ? -off : off;
    if (magnitude < least) least = magnitude, best = c;
  }
  return best;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_LEVEL_TABLES_HPP_
