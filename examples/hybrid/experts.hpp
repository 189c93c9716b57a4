// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One weight matrix per expert, whatever its backend and storage format.
#ifndef TESSERA_EXAMPLES_HYBRID_EXPERTS_HPP_
#define TESSERA_EXAMPLES_HYBRID_EXPERTS_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "examples/shared/memory.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul_experts/arguments.hpp"

namespace hybrid {

/// The matrices of `experts` experts, one row per output column.
class Experts {
 public:
  virtual ~Experts() = default;

  /// Takes rows of floats into the format, expert by expert.
  [[nodiscard]] virtual tessera::Status pack(const tessera::MatrixView<const float>& weights,
                                             std::size_t experts) = 0;

  /// c[t][s] = a[t][s % slots of a] * (weights of expert ids[t][s])^T.
  [[nodiscard]] virtual tessera::Status multiply(const tessera::SlotView<const float>& a,
                                                 const tessera::SlotView<const std::int32_t>& ids,
                                                 const tessera::SlotView<float>& c,
                                                 examples::WorkspaceMemory* memory) const = 0;
};

using ExpertsMaker = std::unique_ptr<Experts> (*)();

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_EXPERTS_HPP_
