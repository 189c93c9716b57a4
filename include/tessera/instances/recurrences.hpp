// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// State-space kernels: convolution, scan, delta net and its relatives, fused steps.
#ifndef TESSERA_INSTANCES_RECURRENCES_HPP_
#define TESSERA_INSTANCES_RECURRENCES_HPP_

#include "tessera/gated_delta_net.hpp"
#include "tessera/instances/lists.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_scan.hpp"
#include "tessera/ssm_step.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

#define TESSERA_INSTANCES_(B)                                                          \
  TESSERA_EXTERN_ template Status check<B>(const SsmConvArgs&) noexcept;               \
  TESSERA_EXTERN_ template Status check<B>(const SsmScanArgs&) noexcept;               \
  TESSERA_EXTERN_ template Status ssm_conv<B>(const SsmConvArgs&, UnitRange) noexcept; \
  TESSERA_EXTERN_ template Status ssm_scan<B>(const SsmScanArgs&, UnitRange) noexcept;
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

namespace detail {

#define TESSERA_INSTANCES_(B)                                               \
  TESSERA_INSTANCE(run_chunks<typename B::Vectors, false>)                  \
  TESSERA_INSTANCE(run_chunks<typename B::Vectors, true>)                   \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::delta, false>) \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::delta, true>)  \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::linear, true>) \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::bonus, true>)  \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::pair, true>)   \
  TESSERA_INSTANCE(conv_step<typename B::Vectors>)                          \
  TESSERA_INSTANCE(convolve_step<typename B::Vectors>)
TESSERA_EACH_VECTORS(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

#define TESSERA_INSTANCES_(B)                    \
  TESSERA_INSTANCE(run_phase<B, Mamba2StepArgs>) \
  TESSERA_INSTANCE(run_phase<B, GatedDeltaNetStepArgs>)
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_RECURRENCES_HPP_
