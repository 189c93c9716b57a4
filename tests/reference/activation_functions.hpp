// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// softplus, sigmoid and silu in double.
#ifndef TESSERA_TESTS_REFERENCE_ACTIVATION_FUNCTIONS_HPP_
#define TESSERA_TESTS_REFERENCE_ACTIVATION_FUNCTIONS_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

enum class Activation { softplus, sigmoid, silu };

/// One row, appended to `out`. The functions are documented with 2, 2.5 and 3 ulp (two roundings each)
/// where they are normal, and with less than 2^-142 below.
inline void activation(Activation f, const float* x, std::size_t n, Expected& out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double v = x[i];
    const double half = v < 0 ? std::exp(v) / (1 + std::exp(v)) : 1 / (1 + std::exp(-v));
    const double y = f == Activation::softplus  ? (v > 40 ? v : std::log1p(std::exp(v)))
                     : f == Activation::sigmoid ? half
                                                : v * half;
    out.value.push_back(y);
    out.limit.push_back(relative_limit(6.0) * std::fabs(y) + 0x1p-142);
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ACTIVATION_FUNCTIONS_HPP_
