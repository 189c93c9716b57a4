// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/backends/packed_kinds.hpp"

namespace examples {

std::vector<WeightsKind> block_weights() {
  return packed_kinds<block_formats>();
}

}  // namespace examples
