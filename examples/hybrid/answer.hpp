// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Greedy answers to several prompts at once.
#ifndef TESSERA_EXAMPLES_HYBRID_ANSWER_HPP_
#define TESSERA_EXAMPLES_HYBRID_ANSWER_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "examples/hybrid/model.hpp"
#include "examples/hybrid/network.hpp"

namespace hybrid {

/// Characters of an answer at most.
inline constexpr std::size_t longest_answer = 32;

/// How prompts are computed.
struct AnswerOptions {
  std::size_t sequences = 8;  ///< at once, at most the model's slots
  std::size_t piece = 0;      ///< prompts in pieces of so many tokens; 0: whole
};

/// An answer to one prompt, without the line feed at its end.
struct Answer {
  std::string text;
  std::uint64_t digest = 0;  ///< of all its logits
};

/// What came out; `answers` are in the order of the prompts.
struct Answers {
  tessera::Status status = tessera::Status::ok;
  std::vector<Answer> answers;
  std::size_t tokens = 0;  ///< that were computed
};

/// Puts a line feed before each prompt, then takes the token of the largest logit (of equal ones the first) until a line feed
/// comes. Precondition: prompts are tokens of the network, and each fits the model's capacity with longest_answer more.
Answers answer(Model& model, const Network& network,
               std::span<const std::vector<std::int32_t>> prompts, const AnswerOptions& options);

/// A digest over the answers' digests, in their order.
std::uint64_t digest_of(std::span<const Answer> answers);

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_ANSWER_HPP_
