// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/expert_kinds.hpp"

namespace hybrid {

std::vector<ExpertsKind> block_experts() {
  return expert_kinds<tessera::TypeList<tessera::format::q8_0, tessera::format::q6_K,
                                        tessera::format::q4_K, tessera::format::q4_0>>();
}

}  // namespace hybrid
