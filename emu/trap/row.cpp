// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/row.hpp"

#include "emu/trap/counters.hpp"
#include "emu/trap/entry.hpp"
#include "emu/trap/semantics.hpp"
#include "emu/trap/site.hpp"
#include "emu/trap/trace.hpp"

#include "tessera/isa/ime/all.hpp"

namespace tessera::trap {
namespace {

// What follows on another page may not be mapped. The first word, which trapped, is.
constexpr unsigned long page_bytes = 4096;

bool same_page(unsigned long pc, unsigned long other) {
  return pc / page_bytes == other / page_bytes;
}

std::uint32_t registers(int first, int count) {
  return ((std::uint32_t{1} << count) - 1) << first;
}

// Not inlined: in one function for all instructions the registers do not suffice.
template <class Insn>
[[gnu::noinline]] void execute_alone(const ime::Profile& profile, ime::VectorState& state,
                                     const ime::Operands& operands) {
  Semantics::execute<Insn>(profile, state, operands);
}

template <class... Insns>
void execute_step(ime::InstructionList<Insns...>, const ime::Profile& profile,
                  ime::VectorState& state, const Step& step) {
  int i = 0;
  ((i++ == step.index ? execute_alone<Insns>(profile, state, step.operands) : void()), ...);
}

}  // namespace

void append_step(Row& row, const Step& step) {
  const ime::Operands& o = step.operands;
  const ime::Signature& s = ime::Instructions::table[step.index].signature;
  const std::uint32_t result = registers(o.vd, s.vd_registers);
  // The result too: all products add to it.
  row.reads |= result | registers(o.vs1, s.vs1_registers) | registers(o.vs2, 1);
  if (s.form == ime::Form::registers_vmask_imm) row.reads |= registers(o.vmask, 1);
  row.writes |= result;
  row.steps[row.count++] = step;
}

ime::Rule decode_row(Row& row, const ime::Profile& profile, const ime::VectorState& state,
                     unsigned long pc, std::uint32_t word, int longest) {
  row.reads = 0;
  row.writes = 0;
  row.count = 0;
  ime::Rule rule = Semantics::check(profile, state, word);
  const ime::Rule first = rule;
  while (rule == ime::Rule::none) {
    const int index = ime::identify(word).index;
    append_step(row,
                {word, static_cast<std::int16_t>(index), ime::Instructions::operands(index, word)});
    if (row.count == longest || row.count == Row::capacity) break;
    pc += 4;
    if (!same_page(pc - 4, pc + 3)) break;
    word = original_word(pc, fetch(pc));
    rule = Semantics::check(profile, state, word);
  }
  return first;
}

void execute_row(const Row& row, const ime::Profile& profile, ime::VectorState& state,
                 unsigned long pc) {
  for (int i = 0; i < row.count; ++i) {
    const Step& step = row.steps[i];
    execute_step(ime::Instructions{}, profile, state, step);
    if (tracing()) trace_executed(pc + 4 * static_cast<unsigned long>(i), step.word);
    count_retired(step.index);
  }
}

}  // namespace tessera::trap
