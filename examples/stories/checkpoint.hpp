// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A llama2.c checkpoint: seven int32 (dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size,
/// seq_len), then f32 tensors in a fixed order. A negative vocab_size says that the output matrix
/// is not the embedding but stands at the end of the file.
#ifndef TESSERA_EXAMPLES_STORIES_CHECKPOINT_HPP_
#define TESSERA_EXAMPLES_STORIES_CHECKPOINT_HPP_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/views.hpp"

namespace stories {

/// The header's numbers, proven to fit together.
struct Shape {
  std::size_t dim = 0;
  std::size_t hidden_dim = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t vocab = 0;
  std::size_t seq_len = 0;
  bool shared_classifier = true;

  [[nodiscard]] std::size_t head_dim() const { return dim / heads; }
  [[nodiscard]] std::size_t kv_dim() const { return head_dim() * kv_heads; }
};

/// The tensors in the order of the file. All but the first and the last four exist once per layer.
enum class Tensor {
  embedding,
  rms_att,
  wq,
  wk,
  wv,
  wo,
  rms_ffn,
  w1,
  w2,
  w3,
  rms_final,
  rope_cosine,  ///< written by old exporters, used by nobody
  rope_sine,
  classifier,  ///< absent if shared
  count
};

inline constexpr std::size_t tensor_count = static_cast<std::size_t>(Tensor::count);

/// Where a tensor lies among the file's floats.
struct TensorPlace {
  std::size_t offset = 0;
  std::size_t layers = 0;
  std::size_t rows = 0;
  std::size_t cols = 0;
};

/// A checkpoint in memory.
class Checkpoint {
 public:
  static constexpr std::size_t header_words = 7;

  /// Reads a file's bytes. Without a value, `error` says which number or tensor is wrong and why.
  static std::optional<Checkpoint> parse(std::span<const std::byte> bytes, std::string* error);

  [[nodiscard]] const Shape& shape() const { return shape_; }

  /// A tensor of one layer as a matrix (vectors have one row); layer 0 for those that exist once.
  [[nodiscard]] tessera::MatrixView<const float> matrix(Tensor tensor, std::size_t layer = 0) const;

  /// The output matrix, vocab x dim.
  [[nodiscard]] tessera::MatrixView<const float> classifier() const {
    return matrix(shape_.shared_classifier ? Tensor::embedding : Tensor::classifier);
  }

 private:
  bool check_values(std::string* error) const;

  Shape shape_;
  std::array<TensorPlace, tensor_count> places_ = {};
  std::vector<float> values_;
};

/// The places of all tensors of a model and the sum of their sizes; false if a size overflows.
bool place_tensors(const Shape& shape, std::array<TensorPlace, tensor_count>* places,
                   std::size_t* floats);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_CHECKPOINT_HPP_
