// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The causal convolution of rows that lie at one stride: lanes run across channels.
#ifndef TESSERA_KERNELS_SSM_CONV_ROWS_HPP_
#define TESSERA_KERNELS_SSM_CONV_ROWS_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y row t = bias + sum over taps k of weight row k * x row (t + k). Channels are contiguous.
struct ConvRows {
  const float* x;
  std::ptrdiff_t x_stride;
  const float* weight;
  std::ptrdiff_t weight_stride;
  const float* bias;  ///< may be null
  float* y;
  std::ptrdiff_t y_stride;
  std::size_t width;
  std::size_t tokens;
  std::size_t channels;
};

// By value: a store to y might be one to a row's description for all the compiler knows.

/// Width 4: weights and the last three rows stay in registers, whose roles rotate every token.
template <class V>
TESSERA_INLINE void conv_rows_of_4(const ConvRows r) noexcept {
  V::template for_lanes<2>(r.channels, [&](auto d, std::size_t c) TESSERA_LAMBDA {
    const float* w = r.weight + c;
    const auto w0 = d.load(w), w1 = d.load(w + r.weight_stride);
    const auto w2 = d.load(w + 2 * r.weight_stride), w3 = d.load(w + 3 * r.weight_stride);
    const auto bias = r.bias == nullptr ? d.set(0.0f) : d.load(r.bias + c);
    const float* x = r.x + c;
    float* y = r.y + c;
    auto x0 = d.load(x), x1 = d.load(x += r.x_stride), x2 = d.load(x += r.x_stride), x3 = x2;
    const auto step = [&](auto& a0, auto& a1, auto& a2, auto& a3) TESSERA_LAMBDA {
      a3 = d.load(x += r.x_stride);
      auto sum = d.fma(w0, a0, bias);
      sum = d.fma(w1, a1, sum);
      sum = d.fma(w2, a2, sum);
      sum = d.fma(w3, a3, sum);
      d.store(y, sum);
      y += r.y_stride;
    };
    std::size_t t = r.tokens;
    for (; t >= 4; t -= 4) {
      step(x0, x1, x2, x3);
      step(x1, x2, x3, x0);
      step(x2, x3, x0, x1);
      step(x3, x0, x1, x2);
    }
    for (; t != 0; --t) {
      step(x0, x1, x2, x3);
      x0 = x1, x1 = x2, x2 = x3;
    }
  });
}

/// Any width: one output row after the other, weights from memory.
template <class V>
TESSERA_INLINE void conv_rows_of_any(const ConvRows r) noexcept {
  V::template for_lanes<4>(r.channels, [&](auto d, std::size_t c) TESSERA_LAMBDA {
    const auto bias = r.bias == nullptr ? d.set(0.0f) : d.load(r.bias + c);
    for (std::size_t t = 0; t < r.tokens; ++t) {
      const float* x = r.x + static_cast<std::ptrdiff_t>(t) * r.x_stride + c;
      const float* w = r.weight + c;
      auto sum = bias;
      for (std::size_t k = 0; k < r.width; ++k, w += r.weight_stride, x += r.x_stride)
        sum = d.fma(d.load(w), d.load(x), sum);
      d.store(r.y + static_cast<std::ptrdiff_t>(t) * r.y_stride + c, sum);
    }
  });
}

/// silu of the outputs, in place.
template <class V>
TESSERA_INLINE void conv_silu(const ConvRows r) noexcept {
  for (std::size_t t = 0; t < r.tokens; ++t) {
    float* y = r.y + static_cast<std::ptrdiff_t>(t) * r.y_stride;
    V::template for_lanes<4>(r.channels, [&](auto d, std::size_t c) TESSERA_LAMBDA {
      d.store(y + c, silu(d, d.load(y + c)));
    });
  }
}

template <class V>
TESSERA_NOINLINE void conv_rows(const ConvRows& r, bool with_silu) noexcept {
  if (r.width == 4)
    conv_rows_of_4<V>(r);
  else
    conv_rows_of_any<V>(r);
  if (with_silu) conv_silu<V>(r);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_CONV_ROWS_HPP_
