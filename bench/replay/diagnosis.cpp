// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/replay/diagnosis.hpp"

#include <dirent.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "bench/dumps/refusal.hpp"
#include "bench/replay/attempt.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

/// Quantised queries are an approximation that the replay does not repeat.
constexpr double quantised_limit = 2e-2;
constexpr double largest_f16 = 65504;

tessera::RoundingLimits limits_of(const dumps::OperatorRecord& r, const dumps::Tensor& out) {
  const std::string cache = r.text_of("cache", "f32");
  if (r.kind == "attention" && cache != "f32" && cache != "f16" && cache != "bf16")
    return tessera::rounding_limits(quantised_limit);
  return tessera::rounding_limits(out.type);
}

/// A result beside what it should be.
struct Judged {
  tessera::Comparison comparison;
  tessera::Judgement judgement;
};

Judged judged(const dumps::Tensor& out, const Values& want, tessera::RoundingLimits limits) {
  const tessera::Elements a = out.elements();
  const tessera::Elements b = {want.data(), want.size(), tessera::Element::f64};
  std::vector<std::uint32_t> workspace(tessera::compare_workspace(a.count));
  Judged result = {};
  if (tessera::compare(a, b, workspace, &result.comparison) != tessera::Status::ok)
    result.judgement.verdict = tessera::Verdict::wrong;
  else
    result.judgement = tessera::judge(result.comparison, a, b, out.shape, limits);
  return result;
}

/// Are all wrong elements infinite or the largest f16, where the right ones are beyond it?
bool overflowed_f16(const dumps::Tensor& out, const Values& want, tessera::RoundingLimits limits) {
  const tessera::Elements a = out.elements();
  bool beyond = false;
  Values capped = want;
  for (std::size_t i = 0; i < a.count; ++i) {
    const double x = tessera::internal::element(a, i);
    if (!(std::fabs(want[i]) > largest_f16)) continue;
    if (!std::isinf(x) && std::fabs(x) != largest_f16) return false;
    capped[i] = x;
    beyond = true;
  }
  // What is left has passed through f16 and is as precise as that.
  const double coarse =
      std::max(limits.sensitive, tessera::rounding_limits(tessera::Element::f16).sensitive);
  return beyond && !tessera::diverges(
                       judged(out, capped, tessera::rounding_limits(coarse)).judgement.verdict);
}

Finding found(const dumps::OperatorRecord& r, Blame blame, const std::string& mistake,
              const std::string& sentence) {
  return {blame, r.number, r.name, mistake, sentence, {}};
}

/// The first input that is not what its producer had written.
std::optional<Finding> changed_input(const dumps::OperatorRecord& r) {
  for (const dumps::RecordedTensor& t : r.inputs) {
    if (!t.changed()) continue;
    const std::string writer = t.produced->by == 0
                                   ? "a constant"
                                   : "written by operator " + std::to_string(t.produced->by);
    if (t.produced->stale)
      return found(r, Blame::buffer_changed, "stale_buffer",
                   "input " + t.role + ", " + writer + ", holds what operator " +
                       std::to_string(*t.produced->stale) + " had written there before");
    return found(r, Blame::buffer_changed, "changed_buffer",
                 "input " + t.role + ", " + writer + ", holds something else");
  }
  return std::nullopt;
}

/// What the difference looks like when no attempt explains it.
void describe(const Judged& j, tessera::RoundingLimits limits, Finding& finding) {
  const tessera::Comparison& c = j.comparison;
  char text[96];
  if (j.judgement.verdict == tessera::Verdict::layout) {
    finding.mistake = std::string("layout_") + tessera::name(j.judgement.layout.layout);
    finding.sentence = std::string("the right values at other places: ") +
                       tessera::name(j.judgement.layout.layout);
  } else if (c.mismatched == 0 && c.factor == 0) {
    finding.mistake = "zeros";
    finding.sentence = "nothing but zeros";
  } else if (c.mismatched == 0 && c.beside <= limits.sensitive) {
    finding.mistake = "factor";
    std::snprintf(text, sizeof text, "%.6g times what it should be", c.factor);
    finding.sentence = text;
  } else {
    finding.mistake = "unknown";
    std::snprintf(text, sizeof text, "relative error %.3g, first at element %zu of %zu",
                  c.sensitive, c.first, c.count);
    finding.sentence = text;
  }
}

/// The output, or several one behind the other: outputs and states.
dumps::Tensor all_outputs(const dumps::OperatorRecord& r) {
  dumps::Tensor all = r.outputs[0].tensor;
  for (std::size_t i = 1; i < r.outputs.size(); ++i) {
    const dumps::Tensor& next = r.outputs[i].tensor;
    if (next.type != all.type) refuse(r, "has outputs of unlike types");
    all.bytes.insert(all.bytes.end(), next.bytes.begin(), next.bytes.end());
    all.shape = {all.elements().count};
  }
  return all;
}

Finding wrong_operator(const dumps::OperatorRecord& r, const dumps::Tensor& out,
                       const std::vector<Attempt>& attempts, const Values& want, const Judged& j,
                       tessera::RoundingLimits limits) {
  Finding finding = found(r, Blame::operator_wrong, "", "");
  finding.comparison = j.comparison;
  if (overflowed_f16(out, want, limits)) {
    finding.mistake = "f16_overflow";
    finding.sentence = "values beyond 65504 have overflowed in f16";
    return finding;
  }
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    if (tessera::diverges(judged(out, attempts[i].compute(), limits).judgement.verdict)) continue;
    finding.mistake = attempts[i].name;
    finding.sentence = attempts[i].sentence;
    return finding;
  }
  describe(j, limits, finding);
  return finding;
}

}  // namespace

Finding examine(const dumps::OperatorRecord& r) {
  if (const auto changed = changed_input(r)) return *changed;
  const std::vector<Attempt> attempts = attempts_of(r);
  if (r.outputs.empty()) refuse(r, "has no output");
  const dumps::Tensor out = all_outputs(r);
  const Values want = attempts[0].compute();
  if (want.size() != out.elements().count)
    refuse(r, "the output is of another size than its inputs give");
  const tessera::RoundingLimits limits = limits_of(r, out);
  const Judged j = judged(out, want, limits);
  if (tessera::diverges(j.judgement.verdict))
    return wrong_operator(r, out, attempts, want, j, limits);
  const bool equal = j.judgement.verdict == tessera::Verdict::equal;
  Finding finding = found(r, equal ? Blame::equal : Blame::rounding, "", "");
  finding.comparison = j.comparison;
  return finding;
}

Finding diagnose(const dumps::OperatorRecord& record, const FindRecord& find) {
  const Finding own = examine(record);
  if (faulty(own.blame)) return own;
  std::set<std::size_t> waiting;
  std::set<std::size_t> seen;
  std::optional<Finding> first;
  const auto add_producers = [&](const dumps::OperatorRecord& r) {
    for (const dumps::RecordedTensor& t : r.inputs) {
      const std::size_t by = t.produced ? t.produced->by : t.within.value_or(0);
      if (by != 0 && seen.insert(by).second) waiting.insert(by);
    }
  };
  add_producers(record);
  while (!waiting.empty()) {
    const std::size_t number = *waiting.rbegin();
    waiting.erase(number);
    const auto before = find(number);
    if (!before) continue;
    add_producers(*before);
    Finding finding;
    try {
      finding = examine(*before);
    } catch (const dumps::Refusal&) {
      continue;  // of another kind: what it computed is taken as right
    }
    if (faulty(finding.blame) && (!first || finding.number < first->number)) first = finding;
  }
  if (!first) return own;
  first->sentence = verdict_of(*first);
  first->blame = Blame::input_wrong;
  return *first;
}

Finding diagnose_folder(const std::string& folder) {
  dumps::OperatorRecord record = dumps::read_operator_record(folder);
  dumps::load_tensors(record);
  std::string path = folder;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::string parent =
      path.find('/') == std::string::npos ? "." : path.substr(0, path.rfind('/') + 1);
  struct Close {
    void operator()(DIR* d) const { closedir(d); }
  };
  const auto find = [&](std::size_t number) -> std::optional<dumps::OperatorRecord> {
    char prefix[32];
    std::snprintf(prefix, sizeof prefix, "%06zu_", number);
    const std::unique_ptr<DIR, Close> open(opendir(parent.c_str()));
    while (const dirent* item = open == nullptr ? nullptr : readdir(open.get())) {
      if (!std::string(item->d_name).starts_with(prefix)) continue;
      auto sibling = dumps::read_operator_record(parent + "/" + item->d_name);
      dumps::load_tensors(sibling);
      return sibling;
    }
    return std::nullopt;
  };
  return diagnose(record, find);
}

std::string verdict_of(const Finding& finding) {
  switch (finding.blame) {
    case Blame::equal:
      return "equal";
    case Blame::rounding:
      return "only rounding";
    case Blame::operator_wrong:
      return "this operator is wrong: " + finding.mistake + ": " + finding.sentence;
    case Blame::input_wrong:
      if (finding.number == 0) return "its input was already wrong: " + finding.sentence;
      return "its input was already wrong: operator " + std::to_string(finding.number) + " " +
             finding.name + ": " + finding.sentence;
    case Blame::buffer_changed:
      break;
  }
  return "a buffer changed in between: " + finding.mistake + ": " + finding.sentence;
}

}  // namespace replay
