// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One row through an activation function.
#ifndef TESSERA_KERNELS_ACTIVATION_ACTIVATION_HPP_
#define TESSERA_KERNELS_ACTIVATION_ACTIVATION_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

enum class Activation : unsigned char { softplus, sigmoid, silu };

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = A(x[i]). y may be x.
template <class B, Activation A>
void activation_row(const float* x, float* y, std::size_t n) noexcept {
  B::Vectors::template for_lanes<2>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    const auto v = d.load(x + i);
    if constexpr (A == Activation::softplus)
      d.store(y + i, softplus(d, v));
    else if constexpr (A == Activation::sigmoid)
      d.store(y + i, sigmoid(d, v));
    else
      d.store(y + i, silu(d, v));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ACTIVATION_ACTIVATION_HPP_
