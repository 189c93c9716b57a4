// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The softmax of one row, in pieces that attention shares.
#ifndef TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_
#define TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// z[i] = x[i] * scale, rounded; returns the largest (virtual lanes, then the tree; NaN ignored),
/// -inf if there is none. x may be z.
template <class B>
TESSERA_INLINE float scale_and_max(const float* x, float scale, float* z, std::size_t n) noexcept {
  using Vectors = typename B::Vectors;
  const auto full = Vectors::full_virtual();
  auto largest = full.set(-infinity);
  Vectors::for_virtual(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    const auto v = d.rounded(d.mul(d.load(x + i), d.set(scale)));
    d.store(z + i, v);
    largest = d.keep(largest, d.max(v, largest));
  });
  return full.max_lane(largest);
}

/// z[i] = exp(z[i] - largest); returns their sum (virtual lanes, then the tree). Where nothing is
/// larger than -inf the exponentials are 0 and so is the sum.
template <class B>
TESSERA_INLINE float exp_and_sum(float* z, float largest, std::size_t n) noexcept {
  using Vectors = typename B::Vectors;
  const float origin = largest == -infinity ? 0.0f : largest;
  Vectors::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(z + i, exp(d, d.sub(d.load(z + i), d.set(origin))));
  });
  const auto full = Vectors::full_virtual();
  auto sum = full.set(0.0f);
  Vectors::for_virtual(n, [&](auto d, std::size_t i)
                              TESSERA_LAMBDA { sum = d.keep(sum, d.add(sum, d.load(z + i))); });
  return full.sum(sum);
}

/// 1 / sum, and 0 for an empty sum: a row with nothing to attend to gives zeros.
TESSERA_INLINE float inverse_of_sum(float sum) noexcept {
  return sum == 0.0f ? 0.0f : rounded(1.0f / sum);
}

/// y[i] = exp(x[i] * scale - max) / sum. x may be y.
template <class B>
void softmax_row(const float* x, float scale, float* y, std::size_t n) noexcept {
  const float largest = scale_and_max<B>(x, scale, y, n);
  const float inverse = inverse_of_sum(exp_and_sum<B>(y, largest, n));
  B::Vectors::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(y + i, d.rounded(d.mul(d.load(y + i), d.set(inverse))));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_
