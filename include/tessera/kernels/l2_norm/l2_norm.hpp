// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One row brought to unit length.
#ifndef TESSERA_KERNELS_L2_NORM_L2_NORM_HPP_
#define TESSERA_KERNELS_L2_NORM_L2_NORM_HPP_

#include <cstddef>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = x[i] * r, r = 1 / max(sqrt(sum of squares), eps); a NaN stays one. x may be y.
template <class B>
void l2_norm_row(const float* x, float* y, std::size_t n, float eps) noexcept {
  using Vectors = typename B::Vectors;
  const auto full = Vectors::full_virtual();
  auto acc = full.set(0.0f);
  Vectors::for_virtual(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    const auto v = d.load(x + i);
    acc = d.keep(acc, d.fma(v, v, acc));
  });
  const float length = scalar_sqrt(full.sum(acc));
  const float r = rounded(1.0f / (length < eps ? eps : length));
  Vectors::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(y + i, d.rounded(d.mul(d.load(x + i), d.set(r))));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_L2_NORM_L2_NORM_HPP_
