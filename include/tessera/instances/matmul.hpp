// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Products of any format: what is the same for all formats of a kind.
#ifndef TESSERA_INSTANCES_MATMUL_HPP_
#define TESSERA_INSTANCES_MATMUL_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

#define TESSERA_INSTANCES_(B)                                         \
  TESSERA_INSTANCE(multiply_floats<B>)                                \
  TESSERA_INSTANCE(multiply_blocks<B, 32, false>)                     \
  TESSERA_INSTANCE(multiply_blocks<B, 32, true>)                      \
  TESSERA_INSTANCE(multiply_blocks<B, 16, false>)                     \
  TESSERA_INSTANCE(multiply_blocks<B, 16, true>)                      \
  TESSERA_INSTANCE(multiply_blocks<B, 0, false>)                      \
  TESSERA_INSTANCE(quantize_rows_to<B, typename B::DotAtom, float>)   \
  TESSERA_INSTANCE(quantize_rows_to<B, typename B::DotAtom, Float16>) \
  TESSERA_INSTANCE(quantize_rows_to<B, typename B::DotAtom, BFloat16>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_MATMUL_HPP_
