// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The two 16-bit storage types and their exact conversions, in integer arithmetic.
#ifndef TESSERA_CORE_FLOAT16_HPP_
#define TESSERA_CORE_FLOAT16_HPP_

#include <cstdint>

#include "tessera/config.hpp"

TESSERA_NAMESPACE_BEGIN

/// IEEE 754 binary16 as it lies in memory. A type of its own: no arithmetic, no implicit conversion.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) = default;
};

/// bfloat16 (the upper half of a binary32) as it lies in memory. bf16(1.0) is 0x3f80.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) = default;
};

/// Exact. NaNs stay NaNs (quietened, payload shifted), subnormals are normalised.
[[nodiscard]] TESSERA_INLINE constexpr float to_float(Float16 h) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (h.bits >> 10) & 31u;
  std::uint32_t mantissa = h.bits & 0x3ffu;
  if (exponent == 31) {
    const std::uint32_t quiet = mantissa != 0 ? 0x400000u : 0u;
    return __builtin_bit_cast(float, sign | 0x7f800000u | quiet | mantissa << 13);
  }
  if (exponent != 0)
    return __builtin_bit_cast(float, sign | (exponent + 112) << 23 | mantissa << 13);
  if (mantissa == 0) return __builtin_bit_cast(float, sign);
  // A loop, not a count of leading zeros: that is a libgcc call on RISC-V without Zbb.
  std::uint32_t biased = 113;
  for (; (mantissa & 0x400u) == 0; mantissa <<= 1) --biased;
  return __builtin_bit_cast(float, sign | biased << 23 | (mantissa & 0x3ffu) << 13);
}

/// Exact.
[[nodiscard]] TESSERA_INLINE constexpr float to_float(BFloat16 h) noexcept {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(h.bits) << 16);
}

/// The value itself, so that generic code may treat f32 storage like the others.
[[nodiscard]] TESSERA_INLINE constexpr float to_float(float x) noexcept {
  return x;
}

/// Round to nearest, ties to even; overflow gives infinity; NaN gives the quiet NaN 0x7e00 with sign.
[[nodiscard]] TESSERA_INLINE constexpr Float16 to_float16(float x) noexcept {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t a = bits & 0x7fffffffu;
  std::uint32_t h = 0;
  if (a > 0x7f800000u) {
    h = 0x7e00u;
  } else if (a >= 0x47800000u) {  // 65536 and above, infinity included
    h = 0x7c00u;
  } else if (a >= 0x38800000u) {  // normal; a carry out of the mantissa may reach infinity
    h = (a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13;
  } else if (a > 0x33000000u) {  // subnormal: above half of the smallest
    const std::uint32_t shift = 126u - (a >> 23);
    const std::uint32_t m = (a & 0x7fffffu) | 0x800000u;
    const std::uint32_t half = 1u << (shift - 1);
    const std::uint32_t rest = m & ((1u << shift) - 1);
    h = m >> shift;
    h += rest > half || (rest == half && (h & 1u)) ? 1u : 0u;
  }
  return {static_cast<std::uint16_t>(sign | h)};
}

/// Round to nearest, ties to even; overflow gives infinity; NaN gives the quiet NaN 0x7fc0 with sign.
[[nodiscard]] TESSERA_INLINE constexpr BFloat16 to_bfloat16(float x) noexcept {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7fc0u)};
  return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_FLOAT16_HPP_
