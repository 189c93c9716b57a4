// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/compare.hpp"

#include <map>
#include <memory>
#include <string>

#include "examples/hybrid/answer.hpp"
#include "examples/hybrid/model.hpp"
#include "examples/shared/digest.hpp"
#include "tessera/kernels/gated_delta_net/operands.hpp"
#include "tessera/kernels/ssm_scan/arguments.hpp"

namespace hybrid {
namespace {

using Prompts = std::span<const std::vector<std::int32_t>>;

/// Pieces that end where chunks of both recurrences do.
constexpr std::size_t whole_chunks = tessera::scan_chunk;
static_assert(whole_chunks % tessera::delta_net_chunk == 0);

/// A way to cut the work, and the one whose bits it must give.
struct Way {
  const char* name;
  bool sequential;
  AnswerOptions options;
  const char* like;
  bool gathered = false;  ///< experts as matrices of their own, though there is matmul_experts
};
constexpr Way ways[] = {
    {"all at once", false, {8, 0}, "all at once"},
    {"one sequence at a time", false, {1, 0}, "all at once"},
    {"pieces of whole chunks", false, {3, whole_chunks}, "all at once"},
    {"each expert by itself", false, {8, 0}, "all at once", true},
    {"token by token", true, {8, 0}, "token by token"},
    {"decode steps alone", true, {5, 1}, "token by token"},
};

/// The answers of a kind, the work cut in one way.
Answers run_way(const ModelKind& kind, const Network& network, Prompts prompts,
                tessera::FormatId cache, const Way& way) {
  ModelOptions options;
  options.cache = cache;
  options.slots = way.options.sequences;
  options.sequential = way.sequential;
  ModelKind made = kind;
  if (way.gathered) made.make_experts = nullptr;
  const std::unique_ptr<Model> model = made.make(network, options);
  Answers answers;
  answers.status = model->load();
  return answers.status == tessera::Status::ok ? answer(*model, network, prompts, way.options)
                                               : answers;
}

bool same_texts(const Answers& a, const Answers& b) {
  for (std::size_t i = 0; i < a.answers.size(); ++i)
    if (a.answers[i].text != b.answers[i].text) return false;
  return true;
}

}  // namespace

std::size_t compare_backends(const Network& network, Prompts prompts, const CompareOptions& options,
                             std::FILE* out) {
  std::map<std::string_view, std::uint64_t> references;  // by format; scalar is the first backend
  std::size_t failed = 0, count = 0;
  for (const ModelKind& kind : model_kinds()) {
    const std::string_view name = kind.backend.name;
    if (!options.backend.empty() && name != options.backend && name != "scalar") continue;
    if (!options.weights.empty() && kind.weights != options.weights) continue;
    if (kind.backend.usable != tessera::Status::ok) {
      std::fprintf(out, "%s %s not run: %s\n", kind.backend.name, kind.weights,
                   tessera::message(kind.backend.usable));
      continue;
    }
    const Answers answers = run_way(kind, network, prompts, options.cache, ways[0]);
    const std::uint64_t digest = digest_of(answers.answers);
    const std::uint64_t reference = references.try_emplace(kind.weights, digest).first->second;
    const bool refused = answers.status != tessera::Status::ok;
    ++count;
    failed += refused || digest != reference ? 1 : 0;
    std::fprintf(out, "%s %s %s %s\n", kind.backend.name, kind.weights,
                 examples::hexadecimal(digest).c_str(),
                 refused               ? tessera::message(answers.status)
                 : digest == reference ? "identical"
                                       : "differs");
  }
  std::fprintf(out, "compared %zu failed %zu\n", count, failed);
  return failed + (count == 0 ? 1 : 0);
}

std::size_t compare_ways(const ModelKind& kind, const Network& network, Prompts prompts,
                         tessera::FormatId cache, std::FILE* out) {
  std::map<std::string_view, Answers> all;
  std::size_t failed = 0;
  for (const Way& way : ways) {
    const Answers& answers =
        all.try_emplace(way.name, run_way(kind, network, prompts, cache, way)).first->second;
    const Answers& like = all.at(way.like);
    const char* verdict = "identical";
    if (answers.status != tessera::Status::ok)
      verdict = tessera::message(answers.status);
    else if (digest_of(answers.answers) != digest_of(like.answers))
      verdict = "differs";
    else if (!same_texts(answers, all.at(ways[0].name)))
      verdict = "differs: the text";
    failed += std::string_view(verdict) == "identical" ? 0 : 1;
    std::fprintf(out, "%s %s %s\n", way.name,
                 examples::hexadecimal(digest_of(answers.answers)).c_str(), verdict);
  }
  return failed;
}

}  // namespace hybrid
