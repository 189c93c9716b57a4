// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Matrix instructions that follow one another directly: one trap serves them all.
#ifndef TESSERA_EMU_TRAP_ROW_HPP_
#define TESSERA_EMU_TRAP_ROW_HPP_

#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"

#include <cstdint>

namespace tessera::trap {

/// One legal instruction, decoded.
struct Step {
  std::uint32_t word;
  std::int16_t index;  ///< in the list of instructions
  ime::Operands operands;
};

/// Instructions at pc, pc + 4, ... that are all legal in one state: none of them changes vtype, vl
/// or vstart.
struct Row {
  static constexpr int capacity = 16;
  std::uint32_t reads;   ///< bit n: some step reads vn
  std::uint32_t writes;  ///< bit n: some step writes vn
  std::int32_t count;
  Step steps[capacity];
};

/// Appends a step.
void append_step(Row& row, const Step& step);

/// Decodes the row at `pc`, whose first word is `word`, as far as every rule is kept, `longest` words
/// and the end of the page. Looks at no register but those in `state`, which need no bytes. Returns
/// the rule that the first word breaks; then the row is empty.
ime::Rule decode_row(Row& row, const ime::Profile& profile, const ime::VectorState& state,
                     unsigned long pc, std::uint32_t word, int longest);

/// Executes and counts the row (and traces it). Of state.regs only the registers that the row reads
/// and writes are looked at.
void execute_row(const Row& row, const ime::Profile& profile, ime::VectorState& state,
                 unsigned long pc);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_ROW_HPP_
