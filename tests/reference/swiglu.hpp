// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// silu(gate) * up in double.
#ifndef TESSERA_TESTS_REFERENCE_SWIGLU_HPP_
#define TESSERA_TESTS_REFERENCE_SWIGLU_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// One row, appended to `out`. silu is documented with 3 ulp (6 roundings) where it is normal; a
/// subnormal sigmoid is off by 2 spacings, and the gate multiplies them by up to 104.
inline void swiglu(const float* gate, const float* up, std::size_t n, Expected& out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double g = gate[i];
    const double y = g / (1.0 + std::exp(-g)) * double{up[i]};
    out.value.push_back(y);
    out.limit.push_back(relative_limit(7.0) * std::fabs(y) +
                        smallest * (1 + 2 * 105 * std::fabs(double{up[i]})));
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_SWIGLU_HPP_
