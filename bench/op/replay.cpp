// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/replay.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/op/run.hpp"
#include "bench/replay/diagnosis.hpp"

namespace op {
namespace {

constexpr const char* replay_usage = "usage: tessera-op --in FOLDER [--against FOLDER]";

/// The first input that is not the reference's, in words; empty if there is none.
std::string other_input(const dumps::OperatorRecord& record,
                        const dumps::OperatorRecord& reference) {
  for (const dumps::RecordedTensor& t : record.inputs) {
    const dumps::Tensor* same = reference.input(t.role);
    if (same == nullptr || same->shape != t.tensor.shape)
      return "input " + t.role + " has no counterpart in the reference";
    const tessera::Elements a = t.tensor.elements();
    const tessera::Elements b = same->elements();
    std::vector<std::uint32_t> workspace(tessera::compare_workspace(a.count));
    tessera::Comparison c;
    if (tessera::compare(a, b, workspace, &c) != tessera::Status::ok) continue;
    const auto limits = tessera::rounding_limits(a.type < b.type ? a.type : b.type);
    const tessera::Verdict verdict = tessera::judge(c, a, b, same->shape, limits).verdict;
    if (tessera::diverges(verdict))
      return "input " + t.role + " is not the reference's: " + tessera::name(verdict);
  }
  return "";
}

replay::Finding with_reference(replay::Finding finding, const std::string& folder,
                               const std::string& against) {
  if (against.empty() || finding.blame > replay::Blame::rounding) return finding;
  dumps::OperatorRecord record = dumps::read_operator_record(folder);
  dumps::OperatorRecord reference = dumps::read_operator_record(against);
  dumps::load_tensors(record);
  dumps::load_tensors(reference);
  const std::string other = other_input(record, reference);
  if (other.empty()) return finding;
  finding.blame = replay::Blame::input_wrong;
  finding.number = 0;
  finding.sentence = other;
  return finding;
}

}  // namespace

int run_replay(int argc, char** argv) {
  const bool compared = argc == 5 && std::string(argv[3]) == "--against";
  if (argc != 3 && !compared) throw Refusal(replay_usage);
  const std::string folder = argv[2];
  const replay::Finding finding =
      with_reference(replay::diagnose_folder(folder), folder, compared ? argv[4] : "");
  const dumps::OperatorRecord record = dumps::read_operator_record(folder);
  std::printf("operator %s\nkind %s\nsensitive %.3g\ninsensitive %.3g\nverdict %s\n",
              record.title().c_str(), record.kind.c_str(), finding.comparison.sensitive,
              finding.comparison.insensitive, replay::verdict_of(finding).c_str());
  return replay::faulty(finding.blame) ? wrong : good;
}

}  // namespace op
