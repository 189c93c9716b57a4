// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/answer.hpp"

#include <algorithm>

#include "examples/shared/digest.hpp"
#include "tessera/core/views.hpp"

namespace hybrid {
namespace {

constexpr std::int32_t line_feed = 0;

/// A sequence at work.
struct Active {
  std::size_t index = 0;             ///< of the prompt
  std::vector<std::int32_t> tokens;  ///< still to be computed
  bool step = false;                 ///< are they an answer's last token?
  examples::Digest digest;
};

std::int32_t largest(const float* logits, std::size_t n) {
  return static_cast<std::int32_t>(std::max_element(logits, logits + n) - logits);
}

}  // namespace

Answers answer(Model& model, const Network& network,
               std::span<const std::vector<std::int32_t>> prompts, const AnswerOptions& options) {
  Answers result;
  result.answers.resize(prompts.size());
  const std::size_t vocab = network.shape().vocab;
  std::vector<Active> active(std::min(options.sequences, prompts.size()));
  std::vector<float> logits(active.size() * vocab);
  std::size_t next = 0;
  const auto take_next = [&](std::size_t slot) {
    if (next == prompts.size()) {
      active[slot].tokens.clear();
      return;
    }
    active[slot] = {next, {line_feed}, options.piece == 1, {}};
    active[slot].tokens.insert(active[slot].tokens.end(), prompts[next].begin(),
                               prompts[next].end());
    model.clear(slot);
    ++next;
  };
  for (std::size_t slot = 0; slot < active.size(); ++slot) take_next(slot);
  for (;;) {
    std::vector<Run> runs;
    for (std::size_t slot = 0; slot < active.size(); ++slot) {
      const std::span<const std::int32_t> tokens = active[slot].tokens;
      const std::size_t most = options.piece == 0 ? tokens.size() : options.piece;
      if (!tokens.empty())
        runs.push_back({tokens.first(std::min(tokens.size(), most)), slot, active[slot].step});
    }
    if (runs.empty()) return result;
    result.status = model.forward(runs, tessera::matrix(logits.data(), runs.size(), vocab));
    if (result.status != tessera::Status::ok) return result;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Active& a = active[runs[i].slot];
      const std::size_t computed = runs[i].tokens.size();
      result.tokens += computed;
      a.tokens.erase(a.tokens.begin(), a.tokens.begin() + static_cast<std::ptrdiff_t>(computed));
      if (!a.tokens.empty()) continue;  // the rest of the prompt
      const float* row = logits.data() + i * vocab;
      a.digest.add({row, vocab});
      const std::int32_t token = largest(row, vocab);
      Answer& answer = result.answers[a.index];
      if (token != line_feed && answer.text.size() < longest_answer) {
        answer.text += network.character(token);
        a.tokens = {token};
        a.step = true;
        continue;
      }
      answer.digest = a.digest.value();
      take_next(runs[i].slot);
    }
  }
}

std::uint64_t digest_of(std::span<const Answer> answers) {
  examples::Digest digest;
  for (const Answer& a : answers) digest.add(a.digest);
  return digest.value();
}

}  // namespace hybrid
