// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The scans of Mamba-1 and Mamba-2.
#ifndef TESSERA_INSTANCES_SSM_SCAN_HPP_
#define TESSERA_INSTANCES_SSM_SCAN_HPP_

#include "tessera/instances/lists.hpp"
#include "tessera/ssm_scan.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

#define TESSERA_INSTANCES_(B)                                            \
  TESSERA_EXTERN_ template Status check<B>(const SsmScanArgs&) noexcept; \
  TESSERA_EXTERN_ template Status ssm_scan<B>(const SsmScanArgs&, UnitRange) noexcept;
TESSERA_EACH_BACKEND(TESSERA_INSTANCES_)
#undef TESSERA_INSTANCES_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_INSTANCES_SSM_SCAN_HPP_
