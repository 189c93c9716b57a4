// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/expert_kinds.hpp"

namespace hybrid {

std::vector<ExpertsKind> float_experts() {
  return expert_kinds<tessera::TypeList<tessera::format::f32, tessera::format::f16>>();
}

}  // namespace hybrid
