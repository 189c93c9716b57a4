// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The weights of all backends, one list per translation unit to keep each quick to compile.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_WEIGHTS_KINDS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_WEIGHTS_KINDS_HPP_

#include <vector>

#include "examples/shared/weights.hpp"

namespace examples {

/// The weights of one backend in one format.
struct WeightsKind {
  const char* backend;
  const char* format;
  bool is_float;
  WeightsMaker make;
};
std::vector<WeightsKind> float_weights();
std::vector<WeightsKind> block_weights();

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_WEIGHTS_KINDS_HPP_
