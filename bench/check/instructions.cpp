// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/instructions.hpp"

#include <algorithm>
#include <csignal>

#include "bench/check/execution.hpp"
#include "bench/check/vectors.hpp"
#include "tessera/isa/ime/all.hpp"
#include "tests/isa/model.hpp"

namespace board {
namespace {

std::string hex_word(std::uint32_t word) {
  char text[16];
  ime::Text(text, sizeof text).hex(word, 8);
  return text;
}

std::string step_of(std::size_t number, const Vector& v) {
  return "vector " + std::to_string(number) + ": " + hex_word(v.word) + " " +
         isa_tests::disassembled(v.word) + ", " + text_of_state(v.state) + ", " + v.data;
}

std::string named(const char* what, int first, int count, const State& state) {
  std::string text = std::string("\n") + what + " v" + std::to_string(first);
  return text + " " + hex(state.reg(first), count * state.vlenb());
}

// Every operand, and what became of the result.
std::string operands_text(const Vector& v, int instruction, const State& want, const State& got) {
  const ime::Signature& s = ime::Instructions::table[instruction].signature;
  const ime::Operands o = ime::Instructions::operands(instruction, v.word);
  std::string text = named("vs1", o.vs1, s.vs1_registers, v.state);
  text += named("vs2", o.vs2, 1, v.state);
  if (s.form == ime::Form::registers_vmask_imm) text += named("mask", o.vmask, 1, v.state);
  text += named("vd before", o.vd, s.vd_registers, v.state);
  text += named("vd expected", o.vd, s.vd_registers, want);
  return text + named("vd here", o.vd, s.vd_registers, got);
}

std::string difference(const Vector& v, int instruction, const State& want, const State& got) {
  const auto at = std::mismatch(want.bytes.begin(), want.bytes.end(), got.bytes.begin()).first;
  std::string text;
  if (at != want.bytes.end()) {
    const auto byte = at - want.bytes.begin();
    text = "byte " + std::to_string(byte % want.vlenb()) + " of v" +
           std::to_string(byte / want.vlenb()) + " differs";
  } else if (want.vl != got.vl || want.vtype != got.vtype || want.vcsr != got.vcsr ||
             got.vstart != 0) {
    text = "the state behind it is " + text_of_state(got);
  } else {
    return "";
  }
  return text + operands_text(v, instruction, want, got);
}

std::string compare(const ime::Profile& profile, int instruction, std::size_t vectors,
                    Progress& progress) {
  std::size_t mismatched = 0;
  std::string first;
  for (std::size_t n = 0; n < vectors; ++n) {
    const Vector v = make_vector(profile, instruction, n);
    const std::string step = step_of(n, v);
    State want = v.state;
    const ime::Rule rule = run_model(profile, want, {&v.word, 1});
    if (rule != ime::Rule::none) return "refused\t" + step + ": " + ime::message(rule);
    progress.begin(step);
    const State got = run(v.state, {&v.word, 1});
    progress.end();
    const std::string text = difference(v, instruction, want, got);
    if (text.empty()) continue;
    if (mismatched++ == 0) first = step + ": " + text;
  }
  for (char& c : first)
    if (c == '\n') c = '\t';
  return std::to_string(vectors) + "\t" + std::to_string(mismatched) + "\t" + first;
}

std::string probe(const ime::Profile& profile, int instruction, Progress& progress) {
  const Vector v = make_vector(profile, instruction, 0);
  progress.begin(step_of(0, v));
  run(v.state, {&v.word, 1});
  return "there\t" + step_of(0, v);
}

std::string joined(const std::vector<std::string>& fields, std::size_t from) {
  std::string text;
  for (; from < fields.size(); ++from) text += (text.empty() ? "" : "\n") + fields[from];
  return text;
}

InstructionResult result_of(const Outcome& outcome, int index, bool expected) {
  InstructionResult r{.name = isa_tests::name_of(index)};
  const auto lines = fields_of(outcome.text);
  if (!outcome.finished) {
    r.vectors = outcome.steps;
    r.first = killed_by(outcome.signal) + " at " + outcome.step;
    const bool illegal = outcome.signal == SIGILL && outcome.steps == 0;
    if (illegal && !expected) {
      r.found = Found::absent;
    } else {
      r.found = illegal ? Found::missing : Found::wrong;
      r.vectors += 1;
      r.mismatched = 1;
    }
  } else if (lines[0][0] == "there" || lines[0][0] == "refused") {
    r.found = lines[0][0] == "there" ? Found::unexpected : Found::wrong;
    r.vectors = r.mismatched = 1;
    r.first = joined(lines[0], 1);
  } else {
    r.vectors = std::stoul(lines[0][0]);
    r.mismatched = std::stoul(lines[0][1]);
    r.found = r.mismatched == 0 ? Found::right : Found::wrong;
    r.first = joined(lines[0], 2);
  }
  return r;
}

}  // namespace

std::vector<Item> instruction_items(const tessera::ime::Profile& profile, std::size_t vectors) {
  std::vector<Item> items;
  for (int i = 0; i < ime::instruction_count; ++i) {
    const bool there = profile.has(ime::Instructions::table[i].extension);
    items.push_back([=](Progress& progress) {
      return there ? compare(profile, i, vectors, progress) : probe(profile, i, progress);
    });
  }
  return items;
}

std::vector<InstructionResult> instruction_results(const tessera::ime::Profile& profile,
                                                   const std::vector<Outcome>& outcomes,
                                                   bool has_matrix) {
  // Where one is, all of the profile's must be.
  bool expected = has_matrix;
  for (const Outcome& outcome : outcomes) expected |= outcome.finished || outcome.steps > 0;
  std::vector<InstructionResult> results;
  for (int i = 0; i < ime::instruction_count; ++i) {
    const bool there = profile.has(ime::Instructions::table[i].extension);
    results.push_back(result_of(outcomes[static_cast<std::size_t>(i)], i, there && expected));
  }
  return results;
}

}  // namespace board
