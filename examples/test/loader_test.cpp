// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Files that are not what they should be: refused with a sentence, nothing read past their end. Each
// file lies in memory of exactly its size, so the address sanitizer sees every byte too far.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "examples/stories/checkpoint.hpp"
#include "examples/stories/synthetic.hpp"
#include "examples/stories/tokenizer.hpp"

namespace {

using stories::Checkpoint;
using stories::Shape;
using stories::synthetic_shape;
using stories::Tensor;
using stories::Tokenizer;

constexpr std::size_t truncation_step = 997;
constexpr std::int32_t bad_words[] = {-1, 0, 1, std::numeric_limits<std::int32_t>::max()};

/// The first bytes of a file, on the heap and without a byte behind.
class Exact {
 public:
  explicit Exact(std::span<const std::byte> bytes)
      : bytes_(std::make_unique<std::byte[]>(bytes.size())), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), bytes_.get());
  }
  std::span<std::byte> bytes() { return {bytes_.get(), size_}; }
  template <class T>
  void set(std::size_t at, T value) {
    std::memcpy(bytes_.get() + at, &value, sizeof value);
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

std::span<const std::byte> head(const std::vector<std::byte>& file, std::size_t n) {
  return std::span(file).first(n);
}

/// The sentence of a refusal; empty if the file was accepted.
std::string checkpoint_error(std::span<const std::byte> bytes) {
  std::string error;
  const bool accepted = Checkpoint::parse(bytes, &error).has_value();
  EXPECT_EQ(accepted, error.empty()) << error;
  return error;
}
std::string tokenizer_error(std::span<const std::byte> bytes,
                            std::size_t vocab = synthetic_shape.vocab) {
  std::string error;
  const bool accepted = Tokenizer::parse(bytes, vocab, &error).has_value();
  EXPECT_EQ(accepted, error.empty()) << error;
  return error;
}

/// A file of header words alone.
std::string header_error(const std::vector<std::int32_t>& words) {
  return checkpoint_error(std::as_bytes(std::span(words)));
}

TEST(Checkpoint, AcceptsWholeFile) {
  const auto file = stories::synthetic_checkpoint(synthetic_shape);
  std::string error;
  const auto checkpoint = Checkpoint::parse(file, &error);
  ASSERT_TRUE(checkpoint) << error;
  EXPECT_EQ(checkpoint->shape().hidden_dim, 172u);
  EXPECT_EQ(checkpoint->shape().kv_dim(), 32u);
  EXPECT_EQ(checkpoint->matrix(Tensor::wk, 2).rows, 32u);
  EXPECT_EQ(checkpoint->matrix(Tensor::w2, 2).cols, 172u);
}

TEST(Checkpoint, TensorsLieInFileOrder) {
  auto file = stories::synthetic_checkpoint(synthetic_shape);
  // Behind 7 words, the embedding (512 x 64), rms_att (3 x 64), wq (3 x 64 x 64), one layer of wk.
  const std::size_t at = 28 + 4 * (512 * 64 + 3 * 64 + 3 * 64 * 64 + 32 * 64);
  const float mark = 12345.0f;
  std::memcpy(file.data() + at, &mark, sizeof mark);
  std::string error;
  const auto checkpoint = Checkpoint::parse(file, &error);
  ASSERT_TRUE(checkpoint) << error;
  EXPECT_EQ(checkpoint->matrix(Tensor::wk, 1).data[0], mark);
}

TEST(Checkpoint, RefusesEveryTruncation) {
  const auto file = stories::synthetic_checkpoint(synthetic_shape);
  for (std::size_t n = 0; n < file.size(); n += truncation_step) {
    Exact cut(head(file, n));
    EXPECT_NE(checkpoint_error(cut.bytes()), "") << n << " bytes";
  }
  for (std::size_t n = 0; n < 40; ++n) {
    Exact cut(head(file, n));
    EXPECT_NE(checkpoint_error(cut.bytes()), "") << n << " bytes";
  }
}

TEST(Checkpoint, RefusesBytesBehind) {
  auto file = stories::synthetic_checkpoint(synthetic_shape);
  file.resize(file.size() + 4);
  EXPECT_NE(checkpoint_error(file), "");
}

TEST(Checkpoint, RefusesWrongHeaderWords) {
  const auto file = stories::synthetic_checkpoint(synthetic_shape);
  for (std::size_t word = 0; word < Checkpoint::header_words; ++word) {
    for (const std::int32_t bad : bad_words) {
      Exact copy(file);
      copy.set(word * 4, bad);
      EXPECT_NE(checkpoint_error(copy.bytes()), "") << "word " << word << " is " << bad;
    }
  }
}

TEST(Checkpoint, RefusesAllExtremesTogether) {
  // Seven words of the extreme values: every product of sizes overflows somewhere.
  std::vector<std::int32_t> words(Checkpoint::header_words);
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < words.size(); ++i) combinations *= std::size(bad_words);
  for (std::size_t c = 0; c < combinations; ++c) {
    std::size_t rest = c;
    for (std::int32_t& word : words) {
      word = bad_words[rest % std::size(bad_words)];
      rest /= std::size(bad_words);
    }
    EXPECT_NE(header_error(words), "") << "combination " << c;
  }
}

TEST(Checkpoint, NamesWhatIsWrong) {
  EXPECT_NE(header_error({64, 172, 3, 0, 4, 512, 512}).find("n_heads"), std::string::npos);
  EXPECT_NE(header_error({63, 172, 3, 8, 4, 512, 512}).find("multiple of n_heads"),
            std::string::npos);
  EXPECT_NE(header_error({56, 172, 3, 8, 4, 512, 512}).find("odd"), std::string::npos);
  EXPECT_NE(header_error({64, 172, 3, 8, 3, 512, 512}).find("multiple of n_kv_heads"),
            std::string::npos);
  EXPECT_NE(header_error({64, 172, 3, 8, 4, 1, 512}).find("vocab_size"), std::string::npos);
  EXPECT_NE(header_error({64, 172, 3, 8, 4, std::numeric_limits<std::int32_t>::min(), 512})
                .find("vocab_size"),
            std::string::npos);
  EXPECT_NE(header_error({64, 172, 3, 8, 4, 512, 512}).find("bytes"), std::string::npos);
}

TEST(Checkpoint, RefusesValuesThatAreNotFinite) {
  const auto file = stories::synthetic_checkpoint(synthetic_shape);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Exact copy(file);
    copy.set(file.size() - 4, bad);
    EXPECT_NE(checkpoint_error(copy.bytes()).find("rope_sine"), std::string::npos);
  }
}

TEST(Checkpoint, NegativeVocabularyHasItsOwnOutputMatrix) {
  Shape shape = synthetic_shape;
  shape.shared_classifier = false;
  const auto file = stories::synthetic_checkpoint(shape);
  std::string error;
  const auto checkpoint = Checkpoint::parse(file, &error);
  ASSERT_TRUE(checkpoint) << error;
  EXPECT_EQ(checkpoint->shape().vocab, 512u);
  EXPECT_EQ(checkpoint->classifier().rows, 512u);
  EXPECT_NE(checkpoint->classifier().data, checkpoint->matrix(Tensor::embedding).data);
  EXPECT_NE(checkpoint_error(head(file, file.size() - 4)), "");
}

TEST(TokenizerFile, AcceptsWholeFile) {
  EXPECT_EQ(tokenizer_error(stories::synthetic_tokenizer(512)), "");
}

TEST(TokenizerFile, RefusesEveryTruncation) {
  const auto file = stories::synthetic_tokenizer(512);
  for (std::size_t n = 0; n < file.size(); ++n) {  // every 997th among them
    Exact cut(head(file, n));
    EXPECT_NE(tokenizer_error(cut.bytes()), "") << n << " bytes";
  }
}

TEST(TokenizerFile, RefusesWrongHeaderWord) {
  const auto file = stories::synthetic_tokenizer(512);
  for (const std::int32_t bad : bad_words) {
    Exact copy(file);
    copy.set(0, bad);
    EXPECT_NE(tokenizer_error(copy.bytes()), "") << bad;
  }
}

TEST(TokenizerFile, RefusesWrongLengths) {
  const auto file = stories::synthetic_tokenizer(512);
  for (const std::int32_t bad : {-1, 0, 1, std::numeric_limits<std::int32_t>::max(),
                                 std::numeric_limits<std::int32_t>::min()}) {
    Exact copy(file);
    copy.set(8, bad);  // the first token's
    EXPECT_NE(tokenizer_error(copy.bytes()), "") << bad;
  }
}

TEST(TokenizerFile, RefusesOtherVocabularies) {
  const auto file = stories::synthetic_tokenizer(512);
  EXPECT_NE(tokenizer_error(file, 511), "");
  EXPECT_NE(tokenizer_error(file, 513), "");
}

TEST(TokenizerFile, RefusesScoresThatAreNotFinite) {
  Exact copy(stories::synthetic_tokenizer(512));
  copy.set(4, std::numeric_limits<float>::quiet_NaN());
  EXPECT_NE(tokenizer_error(copy.bytes()).find("score"), std::string::npos);
}

}  // namespace
