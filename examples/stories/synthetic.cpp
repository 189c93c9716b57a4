// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace stories {
namespace {

constexpr std::size_t readable_token = 3 + 256;  ///< the first one behind marks and bytes

template <class T>
void append(std::vector<std::byte>* bytes, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes->insert(bytes->end(), first, first + sizeof value);
}

/// splitmix64: integers only, so every machine draws the same numbers.
class Random {
 public:
  /// A multiple of 2^-23 in [-1, 1): exact in f32.
  float next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<float>(static_cast<std::int64_t>(z >> 40) - (1 << 23)) * 0x1p-23f;
  }

 private:
  std::uint64_t state_ = 2024;
};

bool is_norm(Tensor tensor) {
  return tensor == Tensor::rms_att || tensor == Tensor::rms_ffn || tensor == Tensor::rms_final;
}

/// About 1 for norm weights; elsewhere a power of two near sqrt(3 / row length), which keeps the
/// size of the activations from layer to layer.
float weight(Tensor tensor, std::size_t cols, Random* random) {
  const float x = random->next();
  if (is_norm(tensor)) return 1.0f + 0.25f * x;
  float scale = 1.0f;
  while (scale * scale * static_cast<float>(cols) > 6.0f) scale *= 0.5f;
  return x * scale;
}

/// Rows of the output matrix that an untrained text should rather not show: marks and raw bytes.
bool is_quiet(Tensor tensor, std::size_t row) {
  return (tensor == Tensor::embedding || tensor == Tensor::classifier) && row < readable_token;
}

}  // namespace

std::vector<std::byte> synthetic_checkpoint(const Shape& shape) {
  std::vector<std::byte> bytes;
  const std::size_t words[] = {shape.dim,      shape.hidden_dim, shape.layers, shape.heads,
                               shape.kv_heads, shape.vocab,      shape.seq_len};
  for (std::size_t i = 0; i < Checkpoint::header_words; ++i) {
    const bool negated = i == 5 && !shape.shared_classifier;
    const auto word = static_cast<std::int32_t>(words[i]);
    append(&bytes, negated ? -word : word);
  }
  std::array<TensorPlace, tensor_count> places;
  std::size_t floats = 0;
  if (!place_tensors(shape, &places, &floats)) return {};
  bytes.reserve(bytes.size() + floats * sizeof(float));
  Random random;
  for (std::size_t t = 0; t < tensor_count; ++t) {
    const TensorPlace& place = places[t];
    const auto tensor = static_cast<Tensor>(t);
    for (std::size_t i = 0; i < place.layers * place.rows * place.cols; ++i)
      append(&bytes, weight(tensor, place.cols, &random) *
                         (is_quiet(tensor, i / place.cols) ? 0.125f : 1.0f));
  }
  return bytes;
}

std::vector<std::byte> synthetic_tokenizer(std::size_t vocab) {
  std::vector<std::string> texts = {"<unk>", "\n<s>\n", "\n</s>\n"};
  constexpr char digits[] = "0123456789ABCDEF";
  for (std::size_t i = 0; i < 256; ++i)
    texts.push_back(std::string("<0x") + digits[i / 16] + digits[i % 16] + ">");
  for (const char c : std::string(" abcdefghijklmnopqrstuvwxyz.")) texts.push_back({c});
  for (const char* lead : {"", " "})
    for (const char consonant : std::string("bdfgklmnprstvwz"))
      for (const char vowel : std::string("aeiou"))
        texts.push_back({lead + std::string{consonant, vowel}});
  while (texts.size() < vocab) texts.push_back("[" + std::to_string(texts.size()) + "]");
  texts.resize(vocab);
  std::size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::vector<std::byte> bytes;
  append(&bytes, static_cast<std::int32_t>(longest));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    append(&bytes, i < readable_token ? 0.0f : -static_cast<float>(i - readable_token));
    append(&bytes, static_cast<std::int32_t>(texts[i].size()));
    for (const char c : texts[i]) append(&bytes, c);
  }
  return bytes;
}

}  // namespace stories
