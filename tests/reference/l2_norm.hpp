// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of unit length in double.
#ifndef TESSERA_TESTS_REFERENCE_L2_NORM_HPP_
#define TESSERA_TESTS_REFERENCE_L2_NORM_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// One row: x / max(|x|, eps), appended to `out`. Roundings: a lane's share of the squares and five folds
/// count half under the root; the root, its inverse and the product count whole.
inline void l2_norm(const float* x, std::size_t n, float eps, Expected& out) {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += double{x[i]} * double{x[i]};
  const double r = 1.0 / std::max(std::sqrt(squares), double{eps});
  const double roundings = (static_cast<double>((n + 31) / 32) + 5) / 2 + 3;
  for (std::size_t i = 0; i < n; ++i) {
    out.value.push_back(double{x[i]} * r);
    out.limit.push_back(relative_limit(roundings) * std::fabs(double{x[i]} * r) + smallest);
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_L2_NORM_HPP_
