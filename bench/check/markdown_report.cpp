// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <cstdio>

#include "bench/check/report.hpp"

namespace board {
namespace {

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string cell(std::string text) {
  for (char& c : text)
    if (c == '|' || c == '\n') c = ' ';
  return text;
}

std::string fenced(const std::string& title, const std::string& text) {
  return "\n" + title + "\n\n```\n" + text + "\n```\n";
}

std::string heading(const CoreReport& r) {
  const Processor& p = r.processor;
  std::string text = print("\n## Core %d: %s, VLEN %u\n\n", p.number, r.core.c_str(),
                           static_cast<unsigned>(8 * r.vlenb));
  text +=
      "- " + (p.name.empty() ? "" : p.name + ", ") +
      print("mvendorid 0x%llx, marchid 0x%llx, mimpid 0x%llx\n",
            static_cast<unsigned long long>(p.mvendorid),
            static_cast<unsigned long long>(p.marchid), static_cast<unsigned long long>(p.mimpid));
  if (!p.isa.empty()) text += "- " + p.isa + "\n";
  text += "- processors of this kind: " + r.same + "\n";
  if (!r.profile.empty()) text += "- compared with the model's " + r.profile + "\n";
  if (!r.error.empty()) text += "- **not checked**: " + r.error + "\n";
  return text;
}

std::string instructions(const CoreReport& r) {
  if (r.instructions.empty()) return "";
  std::size_t counts[5] = {};
  std::string rest;
  for (const InstructionResult& i : r.instructions) {
    ++counts[static_cast<int>(i.found)];
    if (i.found != Found::right && i.found != Found::absent)
      rest += fenced("`" + i.name + "` is " + name(i.found) + ":", i.first);
  }
  std::string text = "\n### Instructions\n\n";
  for (const Found found :
       {Found::right, Found::absent, Found::wrong, Found::missing, Found::unexpected}) {
    const std::size_t n = counts[static_cast<int>(found)];
    if (n > 0) text += print("- %s: %zu\n", name(found), n);
  }
  return text + rest;
}

std::string questions(const CoreReport& r) {
  if (r.questions.empty()) return "";
  std::string text =
      "\n### Questions\n\n| question | this core | the model | seen | of "
      "|\n|---|---|---|---|---|\n";
  for (const QuestionResult& q : r.questions) {
    const std::string answer = q.agrees() ? q.answer : "**" + q.answer + "**";
    text += "| " + q.name + ": " + q.text + " | " + answer + " | " + q.model + " | " +
            cell(q.detail) + " | " + q.candidates + " |\n";
  }
  return text;
}

std::string kernels(const CoreReport& r) {
  if (r.kernels.empty()) return "";
  std::string text =
      "\n### Kernels\n\n| backend | cases | mismatched | left out | |\n|---|---|---|---|---|\n";
  for (const KernelsResult& k : r.kernels)
    text += "| " + k.backend + print(" | %zu | %zu | %zu | ", k.checked, k.mismatched, k.left_out) +
            cell(k.refused + k.first) + " |\n";
  return text;
}

std::string speeds(const CoreReport& r) {
  if (r.speeds.empty()) return "";
  std::string text = "\n### Speed\n\n" + print("Clock %.3f GHz, measured. ", r.clock_ghz) +
                     "Cycles, except where it says otherwise.\n\n"
                     "| | | measured | expected |\n|---|---|---|---|\n";
  for (const SpeedResult& s : r.speeds) {
    text += "| " + s.name + " | " + s.what + print(" | %.3f | ", s.measured);
    text += (s.expected > 0 ? print("%.3f", s.expected) : std::string("")) + " |\n";
  }
  return text;
}

}  // namespace

std::string markdown_of(const Report& report) {
  const Totals t = report.totals();
  std::string text = "# tessera-check " + report.version + "\n\n";
  text += print("**checked %zu, mismatched %zu, open %zu**\n\n", t.checked, t.mismatched, t.open);
  text += "- system: " + report.system + "\n- compiler: " + report.compiler + "\n";
  if (report.quick) text += "- a quick run: fewer vectors, fewer kernels\n";
  if (!report.emulator.empty())
    text += "- no speed was measured: this is " + report.emulator + "\n";
  for (const CoreReport& r : report.cores)
    text += heading(r) + instructions(r) + questions(r) + kernels(r) + speeds(r);
  return text;
}

}  // namespace board
