// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/backends/packed_kinds.hpp"

namespace examples {

std::vector<WeightsKind> float_weights() {
  return packed_kinds<float_formats>();
}

}  // namespace examples
