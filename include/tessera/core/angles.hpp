// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Scalar double-precision exp, ln, sine and cosine for tables of angles. No libm, no contraction:
/// the same bits under every compiler and flag.
#ifndef TESSERA_CORE_ANGLES_HPP_
#define TESSERA_CORE_ANGLES_HPP_

#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/rounded.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Horner's rule with a rounded product before each addition; coefficients from the highest power.
template <int N>
TESSERA_INLINE double polynomial(double x, const double (&c)[N]) noexcept {
  double p = c[0];
  for (int i = 1; i < N; ++i) p = rounded(p * x) + c[i];
  return p;
}

/// Nearest integer of a double of magnitude below 2^31, ties to even.
TESSERA_INLINE double nearest_integer(double x) noexcept {
  return rounded(rounded(x + 0x1.8p52) - 0x1.8p52);
}

}  // namespace detail

/// e^x for |x| <= 700, relative error below 2^-51.
inline double exp_double(double x) noexcept {
  const double n = detail::nearest_integer(rounded(x * 0x1.71547652b82fep+0));
  double r = x - rounded(n * 0x1.62e42feep-1);  // exact product: 32-bit constant, |n| < 2^11
  r = r - rounded(n * 0x1.a39ef35793c76p-33);
  constexpr double c[] = {1.0 / 6227020800,
                          1.0 / 479001600,
                          1.0 / 39916800,
                          1.0 / 3628800,
                          1.0 / 362880,
                          1.0 / 40320,
                          1.0 / 5040,
                          1.0 / 720,
                          1.0 / 120,
                          1.0 / 24,
                          1.0 / 6,
                          0.5,
                          1.0,
                          1.0};
  const double p = detail::polynomial(r, c);
  const auto k = static_cast<std::int64_t>(n) + 1023;
  return rounded(p * __builtin_bit_cast(double, static_cast<std::uint64_t>(k) << 52));
}

/// ln(x) for normal x > 0, absolute error below 2^-51 * max(1, |ln x|).
inline double log_double(double x) noexcept {
  const auto cut = static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, x)) -
                   std::int64_t{0x3fe6a09e667f3bcd};  // sqrt(1/2)
  const auto k = static_cast<double>(cut >> 52);
  const double m = __builtin_bit_cast(
      double, (static_cast<std::uint64_t>(cut) & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = rounded(s * s);
  constexpr double c[] = {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13,
                          2.0 / 11, 2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3,  2.0};
  const double ln_m = rounded(s * detail::polynomial(z, c));
  return rounded(k * 0x1.62e42feep-1) + (ln_m + rounded(k * 0x1.a39ef35793c76p-33));
}

/// Cosine and sine of one angle.
struct CosSin {
  float cos;
  float sin;
};
struct CosSinDouble {
  double cos;
  double sin;
};

/// Cosine and sine of `angle` radians, |angle| <= 2^22; absolute error below 2^-50 plus what the angle
/// itself carries.
inline CosSinDouble cos_sin_double(double angle) noexcept {
  const double n = detail::nearest_integer(rounded(angle * 0x1.45f306dc9c883p-1));
  // pi/2 in parts of 29 and 25 bits: the products are exact for |n| < 2^23.
  double r = angle - rounded(n * 0x1.921fb54p+0);
  r = r - rounded(n * 0x1.10b461p-30);
  r = r - rounded(n * 0x1.a62633145c06ep-58);
  const double z = rounded(r * r);
  constexpr double s[] = {-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
                          -1.0 / 5040,          1.0 / 120,        -1.0 / 6,        1.0};
  constexpr double c[] = {1.0 / 20922789888000,
                          -1.0 / 87178291200,
                          1.0 / 479001600,
                          -1.0 / 3628800,
                          1.0 / 40320,
                          -1.0 / 720,
                          1.0 / 24,
                          -0.5,
                          1.0};
  const double sine = rounded(r * detail::polynomial(z, s));
  const double cosine = detail::polynomial(z, c);
  switch (static_cast<std::int64_t>(n) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

/// The same rounded to float: absolute error at most 2^-25 (half an ulp of values near 1) plus what
/// the angle itself carries.
inline CosSin cos_sin(double angle) noexcept {
  const CosSinDouble c = cos_sin_double(angle);
  return {static_cast<float>(c.cos), static_cast<float>(c.sin)};
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_ANGLES_HPP_
