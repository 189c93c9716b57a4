// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Heads x tokens x dim in any order and with any padding, between guard pages.
#ifndef TESSERA_TESTS_KERNELS_HEADS_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_HEADS_HARNESS_HPP_

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/kernels/rows_harness.hpp"

namespace tessera_test {

/// Which of the two outer dimensions lies outside, what follows each row, and how many tokens the
/// memory has room for beyond those that count.
struct HeadLayout {
  bool token_major = false;
  std::size_t row_padding = 0;
  std::size_t more_tokens = 0;
  bool backwards = false;  ///< tokens in descending order
  Guard side = Guard::rear;
};

/// Layouts to go through: dense ones, padded ones, both guards, descending tokens.
inline constexpr HeadLayout head_layouts[] = {
    {false, 0, 0, false, Guard::rear}, {true, 0, 0, false, Guard::rear},
    {false, 3, 2, false, Guard::rear}, {true, 1, 5, false, Guard::front},
    {false, 0, 0, true, Guard::front}, {true, 2, 1, true, Guard::rear},
};

/// A tensor of floats; what is not filled stays a signalling NaN.
class Heads {
 public:
  Heads(std::size_t heads, std::size_t tokens, std::size_t dim, HeadLayout layout = {})
      : heads_(heads), tokens_(tokens), dim_(dim), layout_(layout), buffer_(count(), layout.side) {}

  float* row(std::size_t h, std::size_t t) { return origin() + offset(h, t); }
  const float* row(std::size_t h, std::size_t t) const { return origin() + offset(h, t); }
  std::size_t heads() const { return heads_; }
  std::size_t tokens() const { return tokens_; }
  std::size_t dim() const { return dim_; }

  tessera::HeadView<float> view() {
    return {origin(), heads_, tokens_, dim_, head_stride(), token_stride()};
  }
  tessera::HeadView<const float> input() const {
    return {origin(), heads_, tokens_, dim_, head_stride(), token_stride()};
  }

  /// The same values whatever the layout.
  Heads& fill_with(std::uint64_t seed, Fill kind = Fill::gaussian) {
    Random random(seed);
    for (std::size_t h = 0; h < heads_; ++h)
      for (std::size_t t = 0; t < tokens_; ++t) fill(std::span(row(h, t), dim_), kind, random);
    return *this;
  }
  /// Head by head.
  std::vector<float> values() const {
    std::vector<float> all;
    for (std::size_t h = 0; h < heads_; ++h)
      for (std::size_t t = 0; t < tokens_; ++t) all.insert(all.end(), row(h, t), row(h, t) + dim_);
    return all;
  }

  GuardedBuffer<float>& buffer() { return buffer_; }
  /// Were only elements of rows written?
  testing::AssertionResult untouched_outside() const {
    std::vector<bool> inside(buffer_.size());
    for (std::size_t h = 0; h < heads_; ++h)
      for (std::size_t t = 0; t < tokens_; ++t)
        for (std::size_t d = 0; d < dim_; ++d)
          inside[static_cast<std::size_t>(row(h, t) - buffer_.data()) + d] = true;
    return buffer_.untouched_unless([&](std::size_t i) { return inside[i]; });
  }

 private:
  std::size_t pitch() const { return dim_ + layout_.row_padding; }
  std::size_t room() const { return tokens_ + layout_.more_tokens; }
  std::size_t count() const {
    if (heads_ == 0 || room() == 0) return 0;
    return heads_ * room() * pitch() - layout_.row_padding;  // nothing follows the last row
  }
  std::ptrdiff_t head_stride() const {
    return static_cast<std::ptrdiff_t>(layout_.token_major ? pitch() : room() * pitch());
  }
  std::ptrdiff_t token_stride() const {
    const auto step = static_cast<std::ptrdiff_t>(layout_.token_major ? heads_ * pitch() : pitch());
    return layout_.backwards ? -step : step;
  }
  std::ptrdiff_t offset(std::size_t h, std::size_t t) const {
    return static_cast<std::ptrdiff_t>(h) * head_stride() +
           static_cast<std::ptrdiff_t>(t) * token_stride();
  }
  std::ptrdiff_t first() const {
    return layout_.backwards && tokens_ > 0
               ? -static_cast<std::ptrdiff_t>(tokens_ - 1) * token_stride()
               : 0;
  }
  float* origin() { return buffer_.data() + first(); }
  const float* origin() const { return buffer_.data() + first(); }

  std::size_t heads_;
  std::size_t tokens_;
  std::size_t dim_;
  HeadLayout layout_;
  GuardedBuffer<float> buffer_;
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_HEADS_HARNESS_HPP_
