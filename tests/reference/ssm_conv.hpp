// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The causal depthwise convolution in double.
#ifndef TESSERA_TESTS_REFERENCE_SSM_CONV_HPP_
#define TESSERA_TESTS_REFERENCE_SSM_CONV_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// One output from `width` inputs and taps, appended to `out`. Roundings: one per tap and the bias;
/// silu is documented with 3 ulp and has slope at most 1.1.
inline void ssm_conv(const float* x, const float* w, std::size_t width, float bias, bool silu,
                     Expected& out) {
  double sum = double{bias};
  double magnitude = std::fabs(double{bias});
  for (std::size_t k = 0; k < width; ++k) {
    sum += double{x[k]} * double{w[k]};
    magnitude += std::fabs(double{x[k]} * double{w[k]});
  }
  double limit = relative_limit(width + 1) * magnitude + smallest * static_cast<double>(width + 1);
  if (silu) {
    sum = sum / (1.0 + std::exp(-sum));
    limit = 1.1 * limit + relative_limit(7.0) * std::fabs(sum) + 0x1p-142;
  }
  out.value.push_back(sum);
  out.limit.push_back(limit);
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_SSM_CONV_HPP_
