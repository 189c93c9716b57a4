// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One group of root-mean-square normalisation with a gate.
#ifndef TESSERA_KERNELS_GATED_RMS_NORM_GATED_RMS_NORM_HPP_
#define TESSERA_KERNELS_GATED_RMS_NORM_GATED_RMS_NORM_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/rms_norm/rms_norm.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = x[i] * silu(z[i]), rounded. x may be y.
template <class B>
TESSERA_INLINE void gate_row(const float* x, const float* z, float* y, std::size_t n) noexcept {
  B::Vectors::template for_lanes<2>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(y + i, d.rounded(d.mul(silu(d, d.load(z + i)), d.load(x + i))));
  });
}

/// The gate before or after the norm; z null: no gate. x may be y.
template <class B>
void gated_rms_norm_row(const float* x, const float* z, const float* w, float* y, std::size_t n,
                        float eps, bool gate_first) noexcept {
  if (z != nullptr && gate_first) {
    gate_row<B>(x, z, y, n);
    x = y;
  }
  rms_norm_row<B>(x, w, y, n, eps);
  if (z != nullptr && !gate_first) gate_row<B>(y, z, y, n);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_GATED_RMS_NORM_GATED_RMS_NORM_HPP_
