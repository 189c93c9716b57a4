// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Greedy generation.
#ifndef TESSERA_EXAMPLES_STORIES_GENERATE_HPP_
#define TESSERA_EXAMPLES_STORIES_GENERATE_HPP_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "examples/shared/retired.hpp"
#include "examples/stories/tokenizer.hpp"
#include "examples/stories/trace.hpp"
#include "examples/stories/transformer.hpp"

namespace stories {

/// What to generate.
struct GenerateOptions {
  std::size_t tokens = 0;  ///< at most this many
  std::size_t prefix = 0;  ///< over how many of them prefix_digest and retired go
  Trace* trace = nullptr;  ///< covers the prefix; null for none
};

/// What came out.
struct Generated {
  tessera::Status status = tessera::Status::ok;
  std::vector<std::int32_t> tokens;  ///< without the prompt, without the ending token
  const char* stopped = "count";     ///< "count", "end" (token 1 came) or "length" (of the model)
  std::size_t steps = 0;             ///< positions whose logits were computed
  std::size_t prefix_steps = 0;      ///< those in the prefix
  std::uint64_t digest = 0;          ///< of all logits
  std::uint64_t prefix_digest = 0;
  std::vector<examples::RetiredCount> retired;  ///< in the prefix
};

/// Runs the prompt as one batch, then one token at a time: always the token of the largest logit
/// (of equal ones the lowest), until token 1 comes. `out` (may be null) gets the text.
/// Precondition: 1 <= prompt.size() <= seq_len.
Generated generate(Transformer& model, const Shape& shape, const Tokenizer& tokenizer,
                   std::span<const std::int32_t> prompt, const GenerateOptions& options,
                   std::FILE* out);

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_GENERATE_HPP_
