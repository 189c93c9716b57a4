// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/generate.hpp"

#include "examples/shared/digest.hpp"

namespace stories {
namespace {

std::int32_t largest(std::span<const float> logits) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < logits.size(); ++i)
    if (logits[i] > logits[best]) best = i;
  return static_cast<std::int32_t>(best);
}

void print(std::FILE* out, const std::string& text) {
  if (out == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

void print_prompt(std::FILE* out, const Tokenizer& tokenizer,
                  std::span<const std::int32_t> prompt) {
  for (std::size_t i = 1; i < prompt.size(); ++i)
    print(out, tokenizer.piece(prompt[i - 1], prompt[i]));
}

}  // namespace

Generated generate(Transformer& model, const Shape& shape, const Tokenizer& tokenizer,
                   std::span<const std::int32_t> prompt, const GenerateOptions& options,
                   std::FILE* out) {
  Generated result;
  std::vector<float> logits(shape.vocab);
  std::vector<std::int32_t> batch(prompt.begin(), prompt.end());
  std::size_t position = 0;
  examples::Digest digest;
  print_prompt(out, tokenizer, prompt);
  examples::reset_retired();
  while (result.tokens.size() < options.tokens) {
    if (position + batch.size() > shape.seq_len) {
      result.stopped = "length";
      break;
    }
    const bool in_prefix = result.steps < options.prefix;
    result.status = model.forward(batch, position, logits, in_prefix ? options.trace : nullptr);
    if (result.status != tessera::Status::ok) return result;
    digest.add(logits);
    ++result.steps;
    if (in_prefix) {
      result.prefix_steps = result.steps;
      result.prefix_digest = digest.value();
      result.retired = examples::retired_counts();
    }
    position += batch.size();
    const std::int32_t previous = batch.back();
    const std::int32_t next = largest(logits);
    if (next == begin_token) {
      result.stopped = "end";
      break;
    }
    result.tokens.push_back(next);
    print(out, tokenizer.piece(previous, next));
    batch.assign(1, next);
  }
  result.digest = digest.value();
  print(out, "\n");
  return result;
}

}  // namespace stories
