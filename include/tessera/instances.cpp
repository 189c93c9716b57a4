// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The functions that TESSERA_EXTERN_KERNELS declares (tessera/instances/lists.hpp): one unit of the program, or one per
/// part, each with one of the macros below. Options as in the units that use them.
#ifdef TESSERA_EXTERN_KERNELS
#undef TESSERA_EXTERN_KERNELS
#endif
#define TESSERA_DEFINE_INSTANCES

#if !defined(TESSERA_INSTANCES_PACKING) && !defined(TESSERA_INSTANCES_MATMUL) && \
    !defined(TESSERA_INSTANCES_ATTENTION) && !defined(TESSERA_INSTANCES_ROWS) && \
    !defined(TESSERA_INSTANCES_RECURRENCES)
#define TESSERA_INSTANCES_PACKING
#define TESSERA_INSTANCES_MATMUL
#define TESSERA_INSTANCES_ATTENTION
#define TESSERA_INSTANCES_ROWS
#define TESSERA_INSTANCES_RECURRENCES
#endif

#ifdef TESSERA_INSTANCES_PACKING
#include "tessera/instances/packing.hpp"
#endif
#ifdef TESSERA_INSTANCES_MATMUL
#include "tessera/instances/matmul.hpp"
#endif
#ifdef TESSERA_INSTANCES_ATTENTION
#include "tessera/instances/attention.hpp"
#endif
#ifdef TESSERA_INSTANCES_ROWS
#include "tessera/instances/rows.hpp"
#endif
#ifdef TESSERA_INSTANCES_RECURRENCES
#include "tessera/instances/gated_delta_net.hpp"
#include "tessera/instances/ssm_conv.hpp"
#include "tessera/instances/ssm_scan.hpp"
#include "tessera/instances/ssm_step.hpp"
#endif
