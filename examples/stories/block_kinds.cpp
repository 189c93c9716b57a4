// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/kinds.hpp"

namespace stories {

std::vector<ModelKind> block_kinds() {
  return kinds_of<false>();
}

}  // namespace stories
