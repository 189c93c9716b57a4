// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The Walsh-Hadamard transform by its definition, in double.
#ifndef TESSERA_TESTS_REFERENCE_HADAMARD_HPP_
#define TESSERA_TESTS_REFERENCE_HADAMARD_HPP_

#include <bit>
#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// One block of n elements, appended to `out`: log2 n additions, the factor and the product round.
inline void hadamard(const float* x, std::size_t n, Expected& out) {
  const double scale = 1 / std::sqrt(static_cast<double>(n));
  const double roundings = static_cast<double>(std::bit_width(n)) + 2;
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      sum += std::popcount(i & j) % 2 == 0 ? double{x[i]} : -double{x[i]};
      magnitude += std::fabs(double{x[i]});
    }
    out.value.push_back(sum * scale);
    out.limit.push_back(relative_limit(roundings) * magnitude * scale + 2 * smallest);
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_HADAMARD_HPP_
