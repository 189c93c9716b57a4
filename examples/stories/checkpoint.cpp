// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/checkpoint.hpp"

#include <cmath>
#include <cstdint>

#include "examples/stories/byte_reader.hpp"

namespace stories {
namespace {

constexpr const char* word_names[Checkpoint::header_words] = {
    "dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
constexpr std::size_t vocab_word = 5;

constexpr const char* tensor_names[tensor_count] = {
    "embedding", "rms_att", "wq", "wk",        "wv",          "wo",        "rms_ffn",
    "w1",        "w2",      "w3", "rms_final", "rope_cosine", "rope_sine", "classifier"};

bool check_header(const std::int32_t (&words)[Checkpoint::header_words], std::string* error) {
  for (std::size_t i = 0; i < Checkpoint::header_words; ++i) {
    const bool negated = i == vocab_word && words[i] < 0 && words[i] > INT32_MIN;
    if (words[i] > 0 || negated) continue;
    *error = std::string("header: ") + word_names[i] + " is " + std::to_string(words[i]) +
             " and must be positive";
    return false;
  }
  return true;
}

Shape shape_of(const std::int32_t (&words)[Checkpoint::header_words]) {
  const auto size = [&](std::size_t i) { return static_cast<std::size_t>(std::abs(words[i])); };
  return {size(0), size(1), size(2), size(3), size(4), size(5), size(6), words[vocab_word] > 0};
}

bool check_shape(const Shape& s, std::string* error) {
  if (s.dim % s.heads != 0) {
    *error = "header: dim " + std::to_string(s.dim) + " is not a multiple of n_heads " +
             std::to_string(s.heads);
  } else if (s.head_dim() % 2 != 0) {
    *error = "header: the head size " + std::to_string(s.head_dim()) +
             " is odd, but rotation works on pairs";
  } else if (s.heads % s.kv_heads != 0) {
    *error = "header: n_heads " + std::to_string(s.heads) + " is not a multiple of n_kv_heads " +
             std::to_string(s.kv_heads);
  } else if (s.vocab < 2) {
    *error = "header: vocab_size is 1, but token 1 begins every text";
  } else {
    return true;
  }
  return false;
}

}  // namespace

bool place_tensors(const Shape& s, std::array<TensorPlace, tensor_count>* places,
                   std::size_t* floats) {
  const std::size_t layers = s.layers;
  const std::size_t pairs = s.head_dim() / 2;
  *places = {{{0, 1, s.vocab, s.dim},
              {0, layers, 1, s.dim},
              {0, layers, s.dim, s.dim},
              {0, layers, s.kv_dim(), s.dim},
              {0, layers, s.kv_dim(), s.dim},
              {0, layers, s.dim, s.dim},
              {0, layers, 1, s.dim},
              {0, layers, s.hidden_dim, s.dim},
              {0, layers, s.dim, s.hidden_dim},
              {0, layers, s.hidden_dim, s.dim},
              {0, 1, 1, s.dim},
              {0, 1, s.seq_len, pairs},
              {0, 1, s.seq_len, pairs},
              {0, s.shared_classifier ? std::size_t{0} : 1, s.vocab, s.dim}}};
  *floats = 0;
  for (TensorPlace& place : *places) {
    place.offset = *floats;
    std::size_t size = 0;
    if (__builtin_mul_overflow(place.rows, place.cols, &size) ||
        __builtin_mul_overflow(size, place.layers, &size) ||
        __builtin_add_overflow(*floats, size, floats))
      return false;
  }
  return *floats <= PTRDIFF_MAX / sizeof(float);
}

std::optional<Checkpoint> Checkpoint::parse(std::span<const std::byte> bytes, std::string* error) {
  ByteReader reader(bytes);
  std::int32_t words[header_words];
  for (std::int32_t& word : words) {
    if (!reader.read(&word)) {
      *error = "the file ends inside the header of seven numbers";
      return std::nullopt;
    }
  }
  Checkpoint result;
  if (!check_header(words, error)) return std::nullopt;
  result.shape_ = shape_of(words);
  if (!check_shape(result.shape_, error)) return std::nullopt;
  std::size_t floats = 0;
  if (!place_tensors(result.shape_, &result.places_, &floats)) {
    *error = "header: the tensors of these sizes do not fit into memory";
    return std::nullopt;
  }
  if (reader.left() != floats * sizeof(float)) {  // before anything of that size is allocated
    *error = "the header promises " + std::to_string(floats * sizeof(float)) +
             " bytes of tensors, the file has " + std::to_string(reader.left());
    return std::nullopt;
  }
  result.values_.resize(floats);
  if (!reader.read(std::span<float>(result.values_)) || !result.check_values(error))
    return std::nullopt;
  return result;
}

bool Checkpoint::check_values(std::string* error) const {
  for (std::size_t t = 0; t < tensor_count; ++t) {
    const TensorPlace& place = places_[t];
    const std::size_t size = place.layers * place.rows * place.cols;
    for (std::size_t i = 0; i < size; ++i) {
      if (std::isfinite(values_[place.offset + i])) continue;
      *error = std::string("tensor ") + tensor_names[t] + ": element " + std::to_string(i) +
               " is not a finite number";
      return false;
    }
  }
  return true;
}

tessera::MatrixView<const float> Checkpoint::matrix(Tensor tensor, std::size_t layer) const {
  const TensorPlace& place = places_[static_cast<std::size_t>(tensor)];
  return tessera::matrix(values_.data() + place.offset + layer * place.rows * place.cols,
                         place.rows, place.cols);
}

}  // namespace stories
