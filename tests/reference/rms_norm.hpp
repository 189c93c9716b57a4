// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Root-mean-square normalisation in double.
#ifndef TESSERA_TESTS_REFERENCE_RMS_NORM_HPP_
#define TESSERA_TESTS_REFERENCE_RMS_NORM_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// One row: x / sqrt(mean(x^2) + eps) * w (w null: 1), appended to `out`.
/// Roundings: a lane's share of the squares, five folds, quotient and sum under the root count half;
/// the root, its inverse and two products count whole.
inline void rms_norm(const float* x, const float* w, std::size_t n, float eps, Expected& out) {
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += double{x[i]} * double{x[i]};
  const double r = 1.0 / std::sqrt(squares / static_cast<double>(n) + double{eps});
  const double roundings = (static_cast<double>((n + 31) / 32) + 7) / 2 + 4;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = double{x[i]} * r * (w == nullptr ? 1.0 : double{w[i]});
    out.value.push_back(y);
    out.limit.push_back(relative_limit(roundings) * std::fabs(y) +
                        smallest * (1 + (w == nullptr ? 1.0 : std::fabs(double{w[i]}))));
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_RMS_NORM_HPP_
