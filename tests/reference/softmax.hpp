// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Softmax in double.
#ifndef TESSERA_TESTS_REFERENCE_SOFTMAX_HPP_
#define TESSERA_TESTS_REFERENCE_SOFTMAX_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

/// One row: exp(x * scale - max) / sum, appended to `out`. -inf elements and rows of nothing else are
/// 0. Preconditions: no NaN, no +inf.
/// Roundings of an exponent are absolute errors of it, so relative ones of the exponential: of z, of
/// the maximum and of their difference; then 1 ulp of exp, the sum and two of the division.
inline void softmax(const float* x, float scale, std::size_t n, Expected& out) {
  std::vector<double> z(n);
  double largest = -std::numeric_limits<double>::infinity();
  double widest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    z[i] = double{x[i]} * double{scale};
    largest = std::max(largest, z[i]);
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double d = z[i] - largest;
    // Terms below e^-104 are 0 on both sides of the rounding that matters here.
    if (d > -110) widest = std::max(widest, std::fabs(z[i]) + std::fabs(largest) + std::fabs(d));
    if (d == d) sum += std::exp(d);
  }
  const double roundings = 2 * (widest + 2) + static_cast<double>((n + 31) / 32) + 5 + 2;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = sum == 0 ? 0.0 : std::exp(z[i] - largest) / sum;
    out.value.push_back(y);
    out.limit.push_back(relative_limit(roundings) * y + 2 * smallest);
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_SOFTMAX_HPP_
