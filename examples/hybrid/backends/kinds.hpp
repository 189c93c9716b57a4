// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The parts of models that only this program has, on all backends.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_

#include <vector>

#include "examples/hybrid/experts.hpp"
#include "examples/shared/backends/weights_kinds.hpp"

namespace hybrid {

/// Matrices in the formats with blocks of 256. Rows that are no whole blocks are filled up with zeros.
std::vector<examples::WeightsKind> k_weights();

/// The experts of one backend in one format.
struct ExpertsKind {
  const char* backend;
  const char* format;
  ExpertsMaker make;
};
std::vector<ExpertsKind> float_experts();
std::vector<ExpertsKind> block_experts();

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_
