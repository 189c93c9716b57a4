// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Root-mean-square normalisation with a gate, in double.
#ifndef TESSERA_TESTS_REFERENCE_GATED_RMS_NORM_HPP_
#define TESSERA_TESTS_REFERENCE_GATED_RMS_NORM_HPP_

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

/// One row, appended to `out`: the gate silu(z) (z null: 1) before or after the norm. Roundings: as in
/// rms_norm, and 8 more for the gate (silu has 3 ulp), which count twice where they come before it.
inline void gated_rms_norm(const float* x, const float* z, const float* w, std::size_t n, float eps,
                           bool gate_first, Expected& out) {
  std::vector<double> gate(n, 1.0);
  for (std::size_t i = 0; z != nullptr && i < n; ++i)
    gate[i] = double{z[i]} / (1 + std::exp(-double{z[i]}));
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = double{x[i]} * (gate_first ? gate[i] : 1.0);
    squares += v * v;
  }
  const double r = 1.0 / std::sqrt(squares / static_cast<double>(n) + double{eps});
  const double roundings = (static_cast<double>((n + 31) / 32) + 7) / 2 + 4 + 16;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = w == nullptr ? 1.0 : double{w[i]};
    const double y = double{x[i]} * gate[i] * r * weight;
    out.value.push_back(y);
    out.limit.push_back(relative_limit(roundings) * std::fabs(y) +
                        smallest * (2 + std::fabs(weight)) * (1 + r + std::fabs(gate[i])));
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_GATED_RMS_NORM_HPP_
