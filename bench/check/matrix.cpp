// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/matrix.hpp"

#include <string>

#include "bench/check/execution.hpp"
#include "bench/check/instructions.hpp"
#include "bench/check/questions.hpp"
#include "bench/check/vectors.hpp"
#include "tessera/backend/core.hpp"

namespace board {
namespace {

enum : std::size_t { by_system, by_register, by_vmadot, by_half, identity_count };

ime::Profile profile_of(const CoreReport& report, const std::vector<Outcome>& identity) {
  if (report.vlenb == static_cast<std::uint64_t>(ime::k3.vlen_bytes()))
    return profile_by_half_format(identity[by_half]);
  return report.core == "x100" ? ime::x100 : ime::k1;
}

}  // namespace

std::vector<Item> identity_items() {
  std::vector<Item> items(identity_count);
  items[by_system] = [](Progress&) {
    const tessera::CoreFacts facts = tessera::core_facts();
    return std::string(facts.core) + "\t" + std::to_string(facts.vlenb) + "\t" +
           std::to_string(facts.mvendorid) + "\t" + std::to_string(facts.marchid);
  };
  items[by_register] = [](Progress&) { return std::to_string(vector_bytes()); };
  items[by_vmadot] = [](Progress&) {
    const bool long_registers = vector_bytes() == static_cast<std::uint64_t>(ime::k3.vlen_bytes());
    const Vector v = make_vector(long_registers ? ime::k3 : ime::k1, 0, 0);
    if (static_cast<std::uint64_t>(v.state.vlenb()) != vector_bytes())
      return std::string("no model");
    run(v.state, {&v.word, 1});
    return std::string("there");
  };
  items[by_half] = half_format_item();
  return items;
}

void identify(const std::vector<Outcome>& outcomes, CoreReport& report) {
  report.core = "none";
  if (outcomes[by_register].finished) {
    report.core = "rvv";
    report.vlenb = std::stoull(outcomes[by_register].text);
  }
  if (outcomes[by_system].finished) {
    const auto fields = fields_of(outcomes[by_system].text)[0];
    if (fields[0] != "none") report.core = fields[0];
    if (fields[2] != "0") report.processor.mvendorid = std::stoull(fields[2]);
    if (fields[3] != "0") report.processor.marchid = std::stoull(fields[3]);
  }
  // A kernel without riscv_hwprobe still has /proc/cpuinfo.
  if (report.core == "rvv") {
    tessera::CoreFacts facts{.vlenb = report.vlenb,
                             .mvendorid = report.processor.mvendorid,
                             .marchid = report.processor.marchid};
    tessera::detail::name_core(facts);
    report.core = facts.core;
  }
  const bool modelled = report.vlenb == static_cast<std::uint64_t>(ime::k1.vlen_bytes()) ||
                        report.vlenb == static_cast<std::uint64_t>(ime::k3.vlen_bytes());
  if (modelled) report.profile = profile_of(report, outcomes).name();
}

bool has_vmadot(const std::vector<Outcome>& outcomes) {
  return outcomes[by_vmadot].finished && outcomes[by_vmadot].text == "there";
}

void check_matrix(const Options& options, const std::vector<Outcome>& identity,
                  CoreReport& report) {
  if (report.profile.empty()) return;
  const ime::Profile profile = profile_of(report, identity);
  const auto prepare = [&] { return move_to(report.processor); };
  const bool known = report.core == "a100" || report.core == "x100" || report.core == "a60";
  if (options.instructions) {
    const std::size_t vectors = options.quick ? kinds_of_data : 20 * kinds_of_data;
    report.instructions = instruction_results(
        profile, in_workers(prepare, instruction_items(profile, vectors)), known);
  }
  if (options.questions && (known || has_vmadot(identity)))
    report.questions = question_results(profile, in_workers(prepare, question_items(profile)));
}

}  // namespace board
