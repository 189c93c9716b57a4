// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Experts as matrices of their own: for formats in which this program has no matmul_experts.
#ifndef TESSERA_EXAMPLES_HYBRID_GATHERED_EXPERTS_HPP_
#define TESSERA_EXAMPLES_HYBRID_GATHERED_EXPERTS_HPP_

#include <cstddef>
#include <memory>
#include <vector>

#include "examples/hybrid/experts.hpp"
#include "examples/shared/weights.hpp"

namespace hybrid {

/// One product per expert with the rows that chose it: a row's bits are those of matmul_experts.
class GatheredExperts final : public Experts {
 public:
  explicit GatheredExperts(examples::WeightsMaker make) : make_(make) {}

  tessera::Status pack(const tessera::MatrixView<const float>& weights,
                       std::size_t experts) override;
  tessera::Status multiply(const tessera::SlotView<const float>& a,
                           const tessera::SlotView<const std::int32_t>& ids,
                           const tessera::SlotView<float>& c,
                           examples::WorkspaceMemory* memory) const override;

 private:
  examples::WeightsMaker make_;
  std::vector<std::unique_ptr<examples::Weights>> matrices_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_GATHERED_EXPERTS_HPP_
