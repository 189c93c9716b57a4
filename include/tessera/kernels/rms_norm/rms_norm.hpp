// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One row of root-mean-square normalisation.
#ifndef TESSERA_KERNELS_RMS_NORM_RMS_NORM_HPP_
#define TESSERA_KERNELS_RMS_NORM_RMS_NORM_HPP_

#include <cstddef>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = (x[i] * r) * w[i], r = 1 / sqrt(sum of squares / n + eps); w may be null. x may be y.
template <class B>
void rms_norm_row(const float* x, const float* w, float* y, std::size_t n, float eps) noexcept {
  using Vectors = typename B::Vectors;
  const auto full = Vectors::full_virtual();
  auto acc = full.set(0.0f);
  Vectors::for_virtual(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    const auto v = d.load(x + i);
    acc = d.keep(acc, d.fma(v, v, acc));
  });
  const float mean = rounded(full.sum(acc) / static_cast<float>(n));
  const float r = rounded(1.0f / scalar_sqrt(mean + eps));
  Vectors::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    const auto normed = d.mul(d.load(x + i), d.set(r));
    d.store(y + i, w == nullptr ? d.rounded(normed) : d.rounded(d.mul(normed, d.load(w + i))));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_RMS_NORM_RMS_NORM_HPP_
