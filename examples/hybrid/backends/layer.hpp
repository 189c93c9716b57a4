// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the layers of a model have in common: the batch they work on, and their weights.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_LAYER_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_LAYER_HPP_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "examples/hybrid/experts.hpp"
#include "examples/hybrid/model.hpp"
#include "examples/hybrid/network.hpp"
#include "examples/shared/backends/calls.hpp"
#include "examples/shared/backends/float_matrix.hpp"
#include "examples/shared/memory.hpp"
#include "examples/shared/weights.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/states.hpp"
#include "tessera/core/status.hpp"
#include "tessera/ssm_conv.hpp"

namespace hybrid {

/// The tokens of all runs, one row each.
struct Batch {
  std::size_t tokens = 0;
  std::vector<tessera::Sequence> prompts;  ///< runs of several tokens: in chunks, or one by one
  std::vector<tessera::Sequence> steps;    ///< runs of one token
  std::vector<std::size_t> positions;      ///< per slot: tokens before this batch
  bool sequential = false;
  examples::FloatMatrix x;       ///< the residual stream
  examples::FloatMatrix normed;  ///< a layer's input
  examples::FloatMatrix added;   ///< a layer's output
  examples::FloatMatrix cosine, sine;
  examples::WorkspaceMemory workspace;
};

/// What a layer is made with.
struct LayerSource {
  const Network& network;
  std::size_t index;
  const ModelKind& kind;
  examples::WeightsMaker make_float;  ///< f32, for what chooses and gates
  const ModelOptions& options;

  [[nodiscard]] tessera::MatrixView<const float> matrix(const char* name) const {
    return network.matrix(index, name);
  }
  [[nodiscard]] const float* vector(const char* name) const { return matrix(name).data; }
};

/// A layer with its part of every sequence's state.
class Layer {
 public:
  virtual ~Layer() = default;
  [[nodiscard]] virtual tessera::Status load(const LayerSource& source) = 0;
  /// Reads batch.normed, writes batch.added.
  [[nodiscard]] virtual tessera::Status run(Batch& batch) = 0;
  virtual void clear(std::size_t) {}
  virtual bool plant() { return false; }
};

/// Packs a matrix of the source.
[[nodiscard]] inline tessera::Status pack(std::unique_ptr<examples::Weights>& weights,
                                          const LayerSource& source, const char* name,
                                          examples::WeightsMaker make) {
  weights = make();
  return weights->pack(source.matrix(name));
}
[[nodiscard]] inline tessera::Status pack(std::unique_ptr<examples::Weights>& weights,
                                          const LayerSource& source, const char* name) {
  return pack(weights, source, name, source.kind.make_weights);
}

/// out = in * weights^T, of as many columns as the weights have rows.
[[nodiscard]] inline tessera::Status product(const examples::Weights& weights,
                                             const tessera::MatrixView<const float>& in,
                                             std::size_t cols, examples::FloatMatrix& out,
                                             Batch& batch) {
  out.resize(in.rows, cols);
  return weights.multiply(in, out.view(), &batch.workspace);
}

/// Heads that lie side by side from column `first` of the rows on.
template <class T>
[[nodiscard]] tessera::HeadView<T> heads_of(const tessera::MatrixView<T>& rows, std::size_t first,
                                            std::size_t heads, std::size_t dim) {
  return {rows.data + first, heads, rows.rows, dim, static_cast<std::ptrdiff_t>(dim),
          rows.row_stride};
}

/// Columns [first, first + channels) of the rows.
template <class T>
[[nodiscard]] tessera::ChannelView<T> channels_of(const tessera::MatrixView<T>& rows,
                                                  std::size_t first, std::size_t channels) {
  return {rows.data + first, rows.rows, channels, rows.row_stride, 1};
}

/// States of `size` floats per slot, zero at first.
class SlotStates {
 public:
  void resize(std::size_t slots, std::size_t size) {
    size_ = size;
    values_.assign(slots * size, 0.0f);
  }
  void clear(std::size_t slot) {
    std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(slot * size_), size_, 0.0f);
  }
  [[nodiscard]] tessera::States states() {
    return {values_.data(), values_.size() / size_, static_cast<std::ptrdiff_t>(size_)};
  }
  /// As the last rows of a convolution's input.
  [[nodiscard]] tessera::ConvStates conv_states(std::size_t channels) {
    return {values_.data(), values_.size() / size_, static_cast<std::ptrdiff_t>(size_),
            static_cast<std::ptrdiff_t>(channels)};
  }

 private:
  std::vector<float> values_;
  std::size_t size_ = 1;
};

/// Adds a bias to columns [first, first + n) of the rows.
inline void add_bias(const tessera::MatrixView<float>& rows, std::size_t first, std::size_t n,
                     const float* bias) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < n; ++j) rows.row(i)[first + j] += bias[j];
}

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_LAYER_HPP_
