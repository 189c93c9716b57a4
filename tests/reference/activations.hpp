// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Activations as a block format's product sees them: codes and scales by the documented rule, in
/// double (a float quotient or product rounded once from double is correctly rounded).
#ifndef TESSERA_TESTS_REFERENCE_ACTIVATIONS_HPP_
#define TESSERA_TESTS_REFERENCE_ACTIVATIONS_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

/// What became of one activation row of any length: code * scale, exact in double, and the largest
/// possible difference to the row itself.
struct QuantizedRow {
  std::vector<double> value;
  std::vector<double> error;
};

/// Nearest integer, ties to even, without the rounding mode's help.
inline double nearest_even(double x) {
  const double down = std::floor(x);
  const double rest = x - down;
  if (rest > 0.5) return down + 1;
  if (rest < 0.5) return down;
  return std::fmod(down, 2.0) == 0.0 ? down : down + 1;
}

/// Groups of 32 (or of `group`): d = amax / 127, code = nearest even of x * (1 / d), within -127..127; a group whose
/// amax is below 2^-120 is zero. Precondition: finite.
inline QuantizedRow quantize_row(const float* x, std::size_t n, std::size_t group = 32) {
  QuantizedRow row;
  for (std::size_t begin = 0; begin < n; begin += group) {
    const std::size_t end = std::min(n, begin + group);
    double amax = 0;
    for (std::size_t i = begin; i < end; ++i) amax = std::max(amax, std::fabs(double{x[i]}));
    const auto d = static_cast<float>(amax / 127.0);
    const bool zero = amax < 0x1p-120;
    const float inverse = zero ? 0.0f : static_cast<float>(1.0 / double{d});
    for (std::size_t i = begin; i < end; ++i) {
      const auto scaled = static_cast<float>(double{x[i]} * double{inverse});
      const double code = zero ? 0.0 : std::clamp(nearest_even(scaled), -127.0, 127.0);
      row.value.push_back(code * double{d});
      // Half a step, and what the rounding of d, 1 / d and the product moves at 127 steps.
      row.error.push_back(zero ? std::fabs(double{x[i]}) : (0.5 + 127 * 0x1p-22) * double{d});
    }
  }
  return row;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ACTIVATIONS_HPP_
