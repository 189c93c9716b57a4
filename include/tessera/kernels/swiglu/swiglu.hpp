// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One row of the gated activation.
#ifndef TESSERA_KERNELS_SWIGLU_SWIGLU_HPP_
#define TESSERA_KERNELS_SWIGLU_SWIGLU_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = silu(gate[i]) * up[i]. y may be gate or up.
template <class B>
void swiglu_row(const float* gate, const float* up, float* y, std::size_t n) noexcept {
  B::Vectors::template for_lanes<2>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(y + i, d.rounded(d.mul(silu(d, d.load(gate + i)), d.load(up + i))));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SWIGLU_SWIGLU_HPP_
