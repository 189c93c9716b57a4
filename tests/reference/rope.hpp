// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rotary embedding with angles from long double.
#ifndef TESSERA_TESTS_REFERENCE_ROPE_HPP_
#define TESSERA_TESTS_REFERENCE_ROPE_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

struct Turn {
  double cos;
  double sin;
};

/// Cosine and sine of position * base^(-2p / rotary).
inline Turn turn(long position, double base, std::size_t p, std::size_t rotary) {
  const long double exponent = -static_cast<long double>(2 * p) / static_cast<long double>(rotary);
  const long double angle =
      static_cast<long double>(position) * std::pow(static_cast<long double>(base), exponent);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// One head: pairs (2p, 2p + 1), or (p, p + rotary / 2) with `half`; the rest is copied. Appended to
/// `out`. Roundings: cosine and sine (2^-25 and the angle's own 2^-28 absolute), one product, one sum.
inline void rope(const float* x, std::size_t dim, std::size_t rotary, bool half, long position,
                 double base, Expected& out) {
  const std::size_t begin = out.value.size();
  out.value.insert(out.value.end(), x, x + dim);
  out.limit.insert(out.limit.end(), dim, 0.0);
  for (std::size_t p = 0; p < rotary / 2; ++p) {
    const std::size_t i = half ? p : 2 * p;
    const std::size_t j = half ? p + rotary / 2 : 2 * p + 1;
    const double a = x[i];
    const double b = x[j];
    const Turn t = turn(position, base, p, rotary);
    out.value[begin + i] = a * t.cos - b * t.sin;
    out.value[begin + j] = b * t.cos + a * t.sin;
    const double limit =
        (std::fabs(a) + std::fabs(b)) * (0x1p-25 + 0x1p-28 + relative_limit(2.0)) + 2 * smallest;
    out.limit[begin + i] = out.limit[begin + j] = limit;
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ROPE_HPP_
