// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/kinds.hpp"

namespace stories {

std::vector<ModelKind> float_kinds() {
  return kinds_of<true>();
}

}  // namespace stories
