// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Values in ascending order, without the standard library's templates and without recursion.
#ifndef TESSERA_CORE_VALUE_ORDER_HPP_
#define TESSERA_CORE_VALUE_ORDER_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/elements.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// A float's bits as a number that orders as the values do, -0 below 0; every NaN comes last.
[[nodiscard]] TESSERA_INLINE std::uint32_t order_key(float x) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0xffffffffu;
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}
[[nodiscard]] TESSERA_INLINE float value_of_key(std::uint32_t key) noexcept {
  return __builtin_bit_cast(float, (key & 0x80000000u) != 0 ? key & 0x7fffffffu : ~key);
}

/// The keys of the elements, as floats, ascending. Four passes of counting sort by a byte each, so
/// that the result is in `keys` again. Precondition: both spans have x.count elements.
inline void sorted_keys(const Elements& x, std::span<std::uint32_t> keys,
                        std::span<std::uint32_t> other) noexcept {
  for (std::size_t i = 0; i < x.count; ++i)
    keys[i] = order_key(static_cast<float>(internal::element(x, i)));
  for (unsigned shift = 0; shift < 32; shift += 8) {
    std::size_t place[257] = {};
    for (const std::uint32_t key : keys) ++place[(key >> shift & 255u) + 1];
    for (std::size_t b = 1; b < 257; ++b) place[b] += place[b - 1];
    for (const std::uint32_t key : keys) other[place[key >> shift & 255u]++] = key;
    const std::span<std::uint32_t> sorted = other;
    other = keys;
    keys = sorted;
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_VALUE_ORDER_HPP_
