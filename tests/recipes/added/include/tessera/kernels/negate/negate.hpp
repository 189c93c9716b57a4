// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The negation of one row.
#ifndef TESSERA_KERNELS_NEGATE_NEGATE_HPP_
#define TESSERA_KERNELS_NEGATE_NEGATE_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// y[i] = -x[i]. x may be y.
template <class B>
void negate_row(const float* x, float* y, std::size_t n) noexcept {
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<1>(
      n, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(y + i, d.neg(d.load(x + i))); });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_NEGATE_NEGATE_HPP_
