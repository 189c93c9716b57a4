// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a float64 reference answers: values, and how far a float result may be from each.
#ifndef TESSERA_TESTS_REFERENCE_EXPECTED_HPP_
#define TESSERA_TESTS_REFERENCE_EXPECTED_HPP_

#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

/// Element i of a result must satisfy |result - value[i]| <= limit[i].
struct Expected {
  std::vector<double> value;
  std::vector<double> limit;
};

/// Relative error of one rounding to float, and the smallest positive float.
inline constexpr double epsilon = 0x1p-24;
inline constexpr double smallest = 0x1p-149;

/// Relative error of n roundings, second order included: n * eps / (1 - n * eps).
inline double relative_limit(double n) {
  return n * epsilon / (1 - n * epsilon);
}
inline double relative_limit(std::size_t n) {
  return relative_limit(static_cast<double>(n));
}

/// Index of the first element outside its limit, or the size if there is none. A NaN is outside; the
/// same infinity is not.
inline std::size_t first_outside(const Expected& e, const float* x) {
  std::size_t i = 0;
  while (i < e.value.size() &&
         (double{x[i]} == e.value[i] || std::fabs(double{x[i]} - e.value[i]) <= e.limit[i]))
    ++i;
  return i;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_EXPECTED_HPP_
