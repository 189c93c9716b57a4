// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/backends/packed_kinds.hpp"

namespace stories {

std::vector<WeightsKind> block_weights() {
  return packed_kinds<false>();
}

}  // namespace stories
