// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The parts of models that only this program has, on all backends.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_

#include <vector>

#include "examples/hybrid/experts.hpp"
#include "examples/shared/backends/weights_kinds.hpp"

namespace hybrid {

/// The experts of one backend in one format.
struct ExpertsKind {
  const char* backend;
  const char* format;
  ExpertsMaker make;
};

/// Matrices and experts of all backends. Formats share their kernels with those of one kind, so a kind is in one translation
/// unit, and matmul_experts in one format of each.
struct FormatKinds {
  std::vector<examples::WeightsKind> weights;
  std::vector<ExpertsKind> experts;
};

/// Formats of floats, and those whose values are a scale times a code.
FormatKinds scaled_formats();
/// Formats with a minimum per group beside the scale.
FormatKinds formats_with_minima();

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_KINDS_HPP_
