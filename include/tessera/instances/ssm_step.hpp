// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Fused steps of one token.
#ifndef TESSERA_INSTANCES_SSM_STEP_HPP_
#define TESSERA_INSTANCES_SSM_STEP_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/ssm_step.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

#define TESSERA_INSTANCES_(B) TESSERA_INSTANCE(convolve_step<typename B::Vectors>)
TESSERA_EACH_VECTORS(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

#define TESSERA_INSTANCES_(B)                    \
  TESSERA_INSTANCE(run_phase<B, Mamba2StepArgs>) \
  TESSERA_INSTANCE(run_phase<B, GatedDeltaNetStepArgs>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_SSM_STEP_HPP_
