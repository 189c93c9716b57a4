// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/text_report.hpp"

#include <cstdio>

namespace board {
namespace {

void print_first(const std::string& text) {
  if (text.empty()) return;
  std::string indented = "  ";
  for (const char c : text) indented += c == '\n' ? std::string("\n    ") : std::string(1, c);
  std::printf("%s\n", indented.c_str());
}

}  // namespace

void print_machine(const Report& report) {
  std::printf("version %s\nsystem %s\n", report.version.c_str(), report.system.c_str());
  if (!report.emulator.empty())
    std::printf("speed not measured: this is %s\n", report.emulator.c_str());
}

void print_core(const CoreReport& r) {
  const Processor& p = r.processor;
  std::printf("core %d %s vlen %u mvendorid 0x%llx marchid 0x%llx mimpid 0x%llx alike %s\n",
              p.number, r.core.c_str(), static_cast<unsigned>(8 * r.vlenb),
              static_cast<unsigned long long>(p.mvendorid),
              static_cast<unsigned long long>(p.marchid), static_cast<unsigned long long>(p.mimpid),
              r.same.c_str());
  if (!r.error.empty()) std::printf("refused %s\n", r.error.c_str());
  if (!r.profile.empty()) std::printf("model %s\n", r.profile.c_str());
  std::fflush(stdout);
}

void print_matrix(const CoreReport& r) {
  for (const InstructionResult& i : r.instructions) {
    std::printf("instruction %s %s", i.name.c_str(), name(i.found));
    if (i.found == Found::right) std::printf(" %zu vectors", i.vectors);
    if (i.found == Found::wrong) std::printf(" %zu of %zu vectors", i.mismatched, i.vectors);
    std::printf("\n");
    if (i.found == Found::wrong || i.found == Found::unexpected) print_first(i.first);
  }
  for (const QuestionResult& q : r.questions) {
    std::printf("question %s %s%s\n", q.name.c_str(), q.answer.c_str(),
                q.agrees() ? "" : (", the model: " + q.model).c_str());
    print_first("of " + q.candidates + (q.detail.empty() ? "" : "\n" + q.detail));
  }
  std::fflush(stdout);
}

void print_kernels(const CoreReport& r) {
  for (const KernelsResult& k : r.kernels) {
    if (!k.refused.empty()) {
      std::printf("kernels %s not here: %s\n", k.backend.c_str(), k.refused.c_str());
      continue;
    }
    std::printf("kernels %s checked %zu mismatched %zu left out %zu\n", k.backend.c_str(),
                k.checked, k.mismatched, k.left_out);
    print_first(k.first);
  }
  std::fflush(stdout);
}

void print_speeds(const CoreReport& r) {
  if (r.clock_ghz > 0) std::printf("clock %.3f GHz\n", r.clock_ghz);
  for (const SpeedResult& s : r.speeds) {
    std::printf("speed %s %s %.3f", s.name.c_str(), s.what.c_str(), s.measured);
    if (s.expected > 0) std::printf(" expected %.3f", s.expected);
    std::printf("\n");
  }
  std::fflush(stdout);
}

void print_totals(const Totals& t) {
  std::printf("checked %zu mismatched %zu open %zu\n", t.checked, t.mismatched, t.open);
}

}  // namespace board
