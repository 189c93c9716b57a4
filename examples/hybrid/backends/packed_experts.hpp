// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One weight matrix per expert, packed for a backend in a storage format.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_PACKED_EXPERTS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_PACKED_EXPERTS_HPP_

#include <cstddef>
#include <span>

#include "examples/hybrid/experts.hpp"
#include "examples/shared/memory.hpp"
#include "tessera/matmul_experts.hpp"

namespace hybrid {

/// Weights in format F with the layout that backend B reads without rearranging.
template <class B, class F>
class PackedExperts final : public Experts {
 public:
  using tile = tessera::tile_for<F, B>;

  tessera::Status pack(const tessera::MatrixView<const float>& weights,
                       std::size_t experts) override {
    experts_ = experts;
    rows_ = weights.rows / experts;
    cols_ = weights.cols;
    const std::size_t bytes = tessera::packed_size<F, tile>(rows_, cols_);
    images_.resize(experts * bytes);
    for (std::size_t e = 0; e < experts; ++e) {
      const auto one = tessera::matrix(weights.row(e * rows_), rows_, cols_);
      const auto image = std::span(images_).subspan(e * bytes, bytes);
      if (const tessera::Status s = tessera::pack_weights<F, tile>(one, image);
          s != tessera::Status::ok)
        return s;
    }
    return tessera::Status::ok;
  }

  tessera::Status multiply(const tessera::SlotView<const float>& a,
                           const tessera::SlotView<const std::int32_t>& ids,
                           const tessera::SlotView<float>& c,
                           examples::WorkspaceMemory* memory) const override {
    tessera::MatmulExpertsArgs<F, tile> args{a, {images_, rows_, cols_}, experts_, ids, c};
    args.workspace = memory->fit(tessera::workspace_size<B>(args));
    return tessera::matmul_experts<B>(args);
  }

 private:
  examples::AlignedBytes images_;
  std::size_t experts_ = 0;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_PACKED_EXPERTS_HPP_
