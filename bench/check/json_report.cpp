// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <cstdio>

#include "bench/check/report.hpp"
#include "bench/dumps/json_writer.hpp"

namespace board {
namespace {

using dumps::json_array;
using dumps::json_quoted;
using dumps::JsonObject;

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string json_instruction(const InstructionResult& i) {
  JsonObject o;
  o.add("name", i.name);
  o.add("found", std::string(name(i.found)));
  o.add("vectors", i.vectors);
  o.add("mismatched", i.mismatched);
  if (!i.first.empty()) o.add("first", i.first);
  return o.text();
}

std::string json_question(const QuestionResult& q) {
  JsonObject o;
  o.add("name", q.name);
  o.add("question", q.text);
  o.add("candidates", q.candidates);
  o.add("answer", q.answer);
  o.add("model", q.model);
  o.add("seen", q.detail);
  return o.text();
}

std::string json_kernels(const KernelsResult& k) {
  JsonObject o;
  o.add("backend", k.backend);
  o.add("checked", k.checked);
  o.add("mismatched", k.mismatched);
  o.add("left_out", k.left_out);
  if (!k.first.empty()) o.add("first", k.first);
  if (!k.refused.empty()) o.add("not_here", k.refused);
  return o.text();
}

std::string json_speed(const SpeedResult& s) {
  JsonObject o;
  o.add("name", s.name);
  o.add("what", s.what);
  o.add("measured", s.measured);
  if (s.expected > 0) o.add("expected", s.expected);
  return o.text();
}

std::string json_core(const CoreReport& r) {
  JsonObject o;
  o.add("processor", static_cast<std::size_t>(r.processor.number));
  o.add("alike", r.same);
  o.add("core", r.core);
  o.add("name", r.processor.name);
  o.add("isa", r.processor.isa);
  o.add("vlenb", static_cast<std::size_t>(r.vlenb));
  o.add("mvendorid", hexadecimal(r.processor.mvendorid));
  o.add("marchid", hexadecimal(r.processor.marchid));
  o.add("mimpid", hexadecimal(r.processor.mimpid));
  if (!r.error.empty()) o.add("refused", r.error);
  o.add("model", r.profile);
  o.raw("instructions", json_array(r.instructions, json_instruction));
  o.raw("questions", json_array(r.questions, json_question));
  o.raw("kernels", json_array(r.kernels, json_kernels));
  if (r.clock_ghz > 0) o.add("clock_ghz", r.clock_ghz);
  o.raw("speeds", json_array(r.speeds, json_speed));
  return o.text();
}

}  // namespace

std::string json_of(const Report& report) {
  const Totals t = report.totals();
  JsonObject o;
  o.add("format", std::string("tessera-check 1"));
  o.add("version", report.version);
  o.add("compiler", report.compiler);
  o.add("system", report.system);
  o.add("emulator", report.emulator);
  o.raw("quick", report.quick ? "true" : "false");
  o.raw("cores", json_array(report.cores, json_core));
  o.add("checked", t.checked);
  o.add("mismatched", t.mismatched);
  o.add("open", t.open);
  return o.text() + "\n";
}

}  // namespace board
