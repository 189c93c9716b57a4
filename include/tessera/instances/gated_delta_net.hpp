// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The delta rule, sequential and in chunks, and its relatives.
#ifndef TESSERA_INSTANCES_GATED_DELTA_NET_HPP_
#define TESSERA_INSTANCES_GATED_DELTA_NET_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/kernels/gated_delta_net/chunked.hpp"
#include "tessera/kernels/gated_delta_net/recurrence.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

#define TESSERA_INSTANCES_(B)                                               \
  TESSERA_INSTANCE(run_chunks<typename B::Vectors, false>)                  \
  TESSERA_INSTANCE(run_chunks<typename B::Vectors, true>)                   \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::delta, false>) \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::delta, true>)  \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::linear, true>) \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::bonus, true>)  \
  TESSERA_INSTANCE(run_recurrence<typename B::Vectors, Rule::pair, true>)
TESSERA_EACH_VECTORS(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_GATED_DELTA_NET_HPP_
