// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One weight matrix, whatever its backend and storage format.
#ifndef TESSERA_EXAMPLES_SHARED_WEIGHTS_HPP_
#define TESSERA_EXAMPLES_SHARED_WEIGHTS_HPP_

#include <memory>

#include "examples/shared/memory.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"

namespace examples {

/// A weight matrix, one row per output column.
class Weights {
 public:
  virtual ~Weights() = default;

  /// Takes rows of floats into the format, quantised if it is a block format; a short last group
  /// is filled with zeros.
  [[nodiscard]] virtual tessera::Status pack(const tessera::MatrixView<const float>& weights) = 0;

  /// c = a * weights^T.
  [[nodiscard]] virtual tessera::Status multiply(const tessera::MatrixView<const float>& a,
                                                 const tessera::MatrixView<float>& c,
                                                 WorkspaceMemory* memory) const = 0;

  /// The name of the storage format.
  [[nodiscard]] virtual const char* format() const = 0;

  /// Flips the highest bit of the first packed byte that holds a code (of a float other than 0:
  /// its sign). False if there is none.
  [[nodiscard]] virtual bool plant() = 0;
};

using WeightsMaker = std::unique_ptr<Weights> (*)();

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_WEIGHTS_HPP_
