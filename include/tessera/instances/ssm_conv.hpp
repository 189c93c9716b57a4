// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Causal convolution.
#ifndef TESSERA_INSTANCES_SSM_CONV_HPP_
#define TESSERA_INSTANCES_SSM_CONV_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/kernels/ssm_conv/step.hpp"
#include "tessera/ssm_conv.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

#define TESSERA_INSTANCES_(B)                                            \
  TESSERA_EXTERN_ template Status check<B>(const SsmConvArgs&) noexcept; \
  TESSERA_EXTERN_ template Status ssm_conv<B>(const SsmConvArgs&, UnitRange) noexcept;
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

namespace detail {

#define TESSERA_INSTANCES_(B) TESSERA_INSTANCE(conv_step<typename B::Vectors>)
TESSERA_EACH_VECTORS(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_SSM_CONV_HPP_
