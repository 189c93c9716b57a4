// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Row-wise kernels: softmax, norms, rotary embedding.
#ifndef TESSERA_INSTANCES_ROWS_HPP_
#define TESSERA_INSTANCES_ROWS_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/kernels/activation/activation.hpp"
#include "tessera/kernels/gated_rms_norm/gated_rms_norm.hpp"
#include "tessera/kernels/l2_norm/l2_norm.hpp"
#include "tessera/kernels/rms_norm/rms_norm.hpp"
#include "tessera/kernels/rope/rope.hpp"
#include "tessera/kernels/softmax/softmax.hpp"
#include "tessera/kernels/swiglu/swiglu.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

// clang-format off
#define TESSERA_INSTANCES_(B) \
  TESSERA_INSTANCE(exp_rows<B>) \
  TESSERA_INSTANCE(softmax_row<B>) \
  TESSERA_INSTANCE(rms_norm_row<B>) \
  TESSERA_INSTANCE(gated_rms_norm_row<B>) \
  TESSERA_INSTANCE(l2_norm_row<B>) \
  TESSERA_INSTANCE(swiglu_row<B>) \
  TESSERA_INSTANCE(activation_row<B, Activation::softplus>) \
  TESSERA_INSTANCE(activation_row<B, Activation::sigmoid>) \
  TESSERA_INSTANCE(activation_row<B, Activation::silu>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

#define TESSERA_INSTANCES_(B) \
  TESSERA_INSTANCE(rotate_run<B, false, false, float, float>) \
  TESSERA_INSTANCE(rotate_run<B, false, true, float, float>) \
  TESSERA_INSTANCE(rotate_run<B, true, false, float, float>) \
  TESSERA_INSTANCE(rotate_run<B, true, true, float, float>) \
  TESSERA_INSTANCE(rotate_run<B, false, false, Float16, float>) \
  TESSERA_INSTANCE(rotate_run<B, false, true, Float16, float>) \
  TESSERA_INSTANCE(rotate_run<B, true, false, Float16, float>) \
  TESSERA_INSTANCE(rotate_run<B, true, true, Float16, float>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_
// clang-format on

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_ROWS_HPP_
