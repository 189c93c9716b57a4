// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The Walsh-Hadamard transform of one block.
#ifndef TESSERA_KERNELS_HADAMARD_HADAMARD_HPP_
#define TESSERA_KERNELS_HADAMARD_HADAMARD_HPP_

#include <cstddef>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// 1 / sqrt(n) of a power of two, rounded once.
TESSERA_INLINE float hadamard_scale(std::size_t n) noexcept {
  float scale = 1.0f;
  for (; n >= 4; n /= 4) scale *= 0.5f;  // exact
  return n == 2 ? scale * 0x1.6a09e6p-1f : scale;
}

/// One stage over pairs of neighbours: sums to the lower half, differences to the upper. After log2 n
/// of them every bit of the index has been a neighbour's, and the order is the natural one again.
template <class B, bool Last>
TESSERA_INLINE void hadamard_stage(const float* in, float* out, std::size_t n,
                                   float scale) noexcept {
  const std::size_t half = n / 2;
  B::Vectors::template for_lanes<2>(half, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    auto a = d.set(0.0f);
    auto b = d.set(0.0f);
    d.load_pairs(in + 2 * i, a, b);
    const auto sum = d.add(a, b);
    const auto difference = d.sub(a, b);
    if constexpr (Last) {
      d.store(out + i, d.rounded(d.mul(scale, sum)));
      d.store(out + half + i, d.rounded(d.mul(scale, difference)));
    } else {
      d.store(out + i, sum);
      d.store(out + half + i, difference);
    }
  });
}

/// n a power of two, at least 2; scratch of 2 n floats. y may be x.
template <class B>
TESSERA_NOINLINE void hadamard_block(const float* x, float* y, std::size_t n,
                                     float* scratch) noexcept {
  const float scale = hadamard_scale(n);
  float* to = scratch;
  float* other = scratch + n;
  if (n == 2) {  // the only stage would read what it has written
    scratch[0] = x[0], scratch[1] = x[1];
    x = scratch;
  }
  for (std::size_t left = n; left > 2; left /= 2) {
    hadamard_stage<B, false>(x, to, n, scale);
    x = to;
    to = other;
    other = to == scratch ? scratch + n : scratch;
  }
  hadamard_stage<B, true>(x, y, n, scale);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_HADAMARD_HADAMARD_HPP_
