// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/kinds.hpp"
#include "examples/shared/backends/packed_kinds.hpp"

namespace hybrid {

std::vector<examples::WeightsKind> k_weights() {
  return examples::packed_kinds<tessera::TypeList<tessera::format::q6_K, tessera::format::q4_K>>();
}

}  // namespace hybrid
