// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Scalar building blocks whose bits are the same under every compiler and flag.
#ifndef TESSERA_CORE_ARITHMETIC_HPP_
#define TESSERA_CORE_ARITHMETIC_HPP_

#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/rounded.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// fma without hardware: the product of two floats is exact in double, the sum is rounded to odd
/// there (the error of the addition decides the last bit), so the rounding to float is the only one.
TESSERA_INLINE float fma_in_double(float a, float b, float c) noexcept {
  const double p = rounded(static_cast<double>(a) * static_cast<double>(b));
  const double z = static_cast<double>(c);
  const double s = rounded(p + z);
  std::uint64_t bits = __builtin_bit_cast(std::uint64_t, s);
  if ((bits >> 52 & 0x7ff) == 0x7ff || (bits & 1) != 0) return static_cast<float>(s);
  const double back = rounded(s - p);
  const double error = rounded(p - rounded(s - back)) + rounded(z - back);
  if (error != 0) bits += (error > 0) == (s > 0) ? 1u : ~std::uint64_t{0};
  // s == 0 with an error cannot happen: a sum that cancels is exact.
  return static_cast<float>(__builtin_bit_cast(double, bits));
}

}  // namespace detail

/// a * b + c with one rounding, everywhere.
TESSERA_INLINE float fma(float a, float b, float c) noexcept {
#if TESSERA_HAS_FMA
  return __builtin_fmaf(a, b, c);
#else
  return detail::fma_in_double(a, b, c);
#endif
}

TESSERA_INLINE std::uint32_t bits_of(float x) noexcept {
  return __builtin_bit_cast(std::uint32_t, x);
}
TESSERA_INLINE float from_bits(std::uint32_t x) noexcept {
  return __builtin_bit_cast(float, x);
}

/// The infinity and the NaN every kernel writes.
inline constexpr float infinity = __builtin_inff();
inline constexpr float quiet_nan = __builtin_nanf("");

TESSERA_INLINE bool is_finite(float x) noexcept {
  return (bits_of(x) & 0x7f800000u) != 0x7f800000u;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_ARITHMETIC_HPP_
