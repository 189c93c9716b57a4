// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The causal convolution of one token: outputs and the new state in one pass over the old one.
#ifndef TESSERA_KERNELS_SSM_CONV_STEP_HPP_
#define TESSERA_KERNELS_SSM_CONV_STEP_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Channels are contiguous everywhere.
struct ConvStep {
  const float* x;
  const float* weight;
  std::ptrdiff_t weight_stride;
  const float* bias;  ///< may be null
  float* state;       ///< width - 1 rows, oldest first
  std::ptrdiff_t state_stride;
  float* y;
  std::size_t width;
  std::size_t channels;
  bool silu;
};

// By value: a store might be one to the description for all the compiler knows.
template <class V>
TESSERA_NOINLINE void conv_step(const ConvStep s) noexcept {
  V::template for_lanes<2>(s.channels, [&](auto d, std::size_t c) TESSERA_LAMBDA {
    auto sum = s.bias == nullptr ? d.set(0.0f) : d.load(s.bias + c);
    const float* w = s.weight + c;
    const auto now = d.load(s.x + c);
    float* row = s.state + c;
    auto old = d.load(row);
    sum = d.fma(d.load(w), old, sum);
    for (std::size_t k = 2; k < s.width; ++k) {
      float* next = row + s.state_stride;
      old = d.load(next);
      d.store(row, old);
      sum = d.fma(d.load(w += s.weight_stride), old, sum);
      row = next;
    }
    d.store(row, now);
    sum = d.fma(d.load(w + s.weight_stride), now, sum);
    d.store(s.y + c, s.silu ? silu(d, sum) : sum);
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_CONV_STEP_HPP_
