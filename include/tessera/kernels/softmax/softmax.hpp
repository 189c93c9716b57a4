// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The softmax of one row, in pieces that attention shares.
#ifndef TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_
#define TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// What is subtracted from scores whose largest is this one.
TESSERA_INLINE float origin_of(float largest) noexcept {
  return largest == -infinity ? 0.0f : largest;
}

/// use(d, i, z, origin) with z = x * scale, rounded, for all of a row; returns the largest z, -inf if there
/// is none; NaN is ignored, a zero is positive. x may be where z is kept.
template <class B, class Use>
TESSERA_INLINE float scale_and_max(const float* x, float scale, float* z, std::size_t n,
                                   Use&& use) noexcept {
  using Vectors = typename B::Vectors;
  const auto scaled = [&](auto d, std::size_t i)
                          TESSERA_LAMBDA { return d.rounded(d.mul(scale, d.load(x + i))); };
  const auto with_origin = [&](auto d, std::size_t i, auto v, float largest)
                               TESSERA_LAMBDA { use(d, i, v, origin_of(largest + 0.0f)); };
  if constexpr (requires { Vectors::with_largest(n, scaled, with_origin); }) {
    (void)z;
    return Vectors::with_largest(n, scaled, with_origin) + 0.0f;
  } else {
    const auto full = Vectors::full_virtual();
    auto largest = full.set(-infinity);
    Vectors::for_virtual(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto v = scaled(d, i);
      d.store(z + i, v);
      largest = d.keep(largest, d.max(v, largest));
    });
    const float m = full.max_lane(largest) + 0.0f;
    Vectors::template for_lanes<Vectors::state_registers>(
        n, [&](auto d, std::size_t i) TESSERA_LAMBDA { use(d, i, d.load(z + i), origin_of(m)); });
    return m;
  }
}

/// z[i] = exp(x[i] * scale - largest), and the largest. Where nothing is larger than -inf, zeros.
template <class B>
TESSERA_INLINE float exp_row(const float* x, float scale, float* z, std::size_t n) noexcept {
  return scale_and_max<B>(x, scale, z, n,
                          [&](auto d, std::size_t i, auto v, float origin) TESSERA_LAMBDA {
                            d.store(z + i, exp_below_40(d, d.sub(v, origin)));
                          });
}

/// The sum of a row: virtual lanes, then the tree.
template <class B>
TESSERA_INLINE float sum_row(const float* z, std::size_t n) noexcept {
  using Vectors = typename B::Vectors;
  const auto full = Vectors::full_virtual();
  auto sum = full.set(0.0f);
  const std::size_t whole = n / virtual_lanes * virtual_lanes;
  for (std::size_t i = 0; i < whole; i += virtual_lanes) sum = full.add(sum, full.load(z + i));
  if (whole < n)
    Vectors::for_virtual(n - whole, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      sum = d.keep(sum, d.add(sum, d.load(z + whole + i)));
    });
  return full.sum(sum);
}

/// z = exp(z * scale - the row's largest) for rows of n, ld apart, and each row's largest and sum.
template <class B>
TESSERA_NOINLINE void exp_rows(float* z, std::size_t ld, std::size_t rows, float scale,
                               std::size_t n, float* largest, float* sums) noexcept {
  using Vectors = typename B::Vectors;
  if (n <= ld &&
      ld - n <= ld / 8) {  // one stretch of exponentials over all rows and what is between
    for (std::size_t r = 0; r < rows; ++r) {
      float* const row = z + r * ld;
      largest[r] = scale_and_max<B>(row, scale, row, n,
                                    [&](auto d, std::size_t i, auto v, float origin)
                                        TESSERA_LAMBDA { d.store(row + i, d.sub(v, origin)); });
    }
    Vectors::template for_lanes<Vectors::state_registers>(
        (rows - 1) * ld + n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
          d.store(z + i, exp_below_40(d, d.load(z + i)));
        });
  } else {
    for (std::size_t r = 0; r < rows; ++r)
      largest[r] = exp_row<B>(z + r * ld, scale, z + r * ld, n);
  }
  for (std::size_t r = 0; r < rows; ++r) sums[r] = sum_row<B>(z + r * ld, n);
}

/// 1 / sum, and 0 for an empty sum: a row with nothing to attend to gives zeros.
TESSERA_INLINE float inverse_of_sum(float sum) noexcept {
  return sum == 0.0f ? 0.0f : rounded(1.0f / sum);
}

/// y[i] = exp(x[i] * scale - max) / sum. x may be y.
template <class B>
void softmax_row(const float* x, float scale, float* y, std::size_t n) noexcept {
  exp_row<B>(x, scale, y, n);
  const float inverse = inverse_of_sum(sum_row<B>(y, n));
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<Vectors::state_registers>(
      n, [&](auto d, std::size_t i)
             TESSERA_LAMBDA { d.store(y + i, d.rounded(d.mul(inverse, d.load(y + i)))); });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SOFTMAX_SOFTMAX_HPP_
