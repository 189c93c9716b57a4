// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/kinds.hpp"

namespace stories {

std::vector<ModelKind> model_kinds() {
  std::vector<ModelKind> kinds = float_kinds();
  for (const ModelKind& kind : block_kinds()) kinds.push_back(kind);
  return kinds;
}

const char* default_backend_name() {
  return tessera::default_backend::name;
}

}  // namespace stories
