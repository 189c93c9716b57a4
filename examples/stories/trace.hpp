// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a model computed, tensor by tensor: two traces show where two runs part.
#ifndef TESSERA_EXAMPLES_STORIES_TRACE_HPP_
#define TESSERA_EXAMPLES_STORIES_TRACE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stories {

/// Digests of tensors in the order they were computed.
class Trace {
 public:
  static constexpr int no_layer = -1;

  /// `name` must outlive the trace.
  void add(std::size_t position, int layer, const char* name, std::span<const float> values);

  /// One line per tensor: "token 3 layer 2 ffn_gate DIGEST", or "token 3 logits DIGEST".
  [[nodiscard]] std::string text() const;

 private:
  struct Entry {
    std::size_t position;
    int layer;
    const char* name;
    std::uint64_t digest;
  };
  std::vector<Entry> entries_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_TRACE_HPP_
