// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/compare.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "examples/shared/digest.hpp"
#include "examples/stories/generate.hpp"
#include "examples/stories/trace.hpp"
#include "examples/stories/transformer.hpp"

namespace stories {
namespace {

/// The first line of `trace` that is another one in `reference`, without its digest.
std::string first_difference(std::string_view trace, std::string_view reference) {
  while (!trace.empty()) {
    const std::string_view line = trace.substr(0, trace.find('\n'));
    if (!reference.starts_with(line)) return std::string(line.substr(0, line.rfind(' ')));
    trace.remove_prefix(line.size() + 1);
    reference.remove_prefix(line.size() + 1);
  }
  return "the number of tokens";
}

std::uint64_t digest_of(std::span<const float> values) {
  examples::Digest digest;
  digest.add(values);
  return digest.value();
}

/// What a kind computed; `problem` is empty if it agrees with itself.
struct Outcome {
  std::string trace;
  std::uint64_t digest = 0;
  std::string problem;
};

Outcome run_kind(const ModelKind& kind, const Checkpoint& checkpoint, const Tokenizer& tokenizer,
                 tessera::FormatId cache, std::size_t tokens) {
  Outcome outcome;
  const std::unique_ptr<Transformer> model = kind.make(checkpoint, cache);
  tessera::Status status = model->load();
  Trace trace;
  Generated text;
  if (status == tessera::Status::ok) {
    const std::vector<std::int32_t> prompt = {begin_token};
    text =
        generate(*model, checkpoint.shape(), tokenizer, prompt, {tokens, tokens, &trace}, nullptr);
    status = text.status;
  }
  // All but the newest token again, in one batch: rows of a batch do not see each other.
  std::vector<std::int32_t> batch = {begin_token};
  batch.insert(batch.end(), text.tokens.begin(), text.tokens.end());
  batch.resize(text.steps);
  std::vector<float> logits(checkpoint.shape().vocab);
  if (status == tessera::Status::ok) status = model->forward(batch, 0, logits, nullptr);
  outcome.trace = trace.text();
  outcome.digest = text.digest;
  if (status != tessera::Status::ok)
    outcome.problem = std::string("refused: ") + tessera::message(status);
  else if (!outcome.trace.ends_with(examples::hexadecimal(digest_of(logits)) + "\n"))
    outcome.problem = "differs: one batch from token by token";
  return outcome;
}

}  // namespace

std::size_t compare_backends(const Checkpoint& checkpoint, const Tokenizer& tokenizer,
                             std::string_view backend, tessera::FormatId cache, std::size_t tokens,
                             std::FILE* out) {
  std::map<std::string_view, Outcome> references;  // by format; scalar is the first backend
  std::size_t failed = 0;
  std::size_t count = 0;
  for (const ModelKind& kind : model_kinds()) {
    const std::string_view name = kind.backend.name;
    if (!backend.empty() && name != backend && name != "scalar") continue;
    if (kind.backend.usable != tessera::Status::ok) {
      std::fprintf(out, "%s %s not run: %s\n", kind.backend.name, kind.weights,
                   tessera::message(kind.backend.usable));
      continue;
    }
    Outcome outcome = run_kind(kind, checkpoint, tokenizer, cache, tokens);
    const Outcome& reference = references.try_emplace(kind.weights, outcome).first->second;
    if (outcome.problem.empty() && outcome.trace != reference.trace)
      outcome.problem = "differs: " + first_difference(outcome.trace, reference.trace);
    ++count;
    failed += outcome.problem.empty() ? 0 : 1;
    std::fprintf(out, "%s %s %s %s\n", kind.backend.name, kind.weights,
                 examples::hexadecimal(outcome.digest).c_str(),
                 outcome.problem.empty() ? "identical" : outcome.problem.c_str());
  }
  std::fprintf(out, "compared %zu failed %zu\n", count, failed);
  return failed;
}

}  // namespace stories
