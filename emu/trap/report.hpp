// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the runtime says on stderr: one write(2) per report, usable in a signal handler.
#ifndef TESSERA_EMU_TRAP_REPORT_HPP_
#define TESSERA_EMU_TRAP_REPORT_HPP_

#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"

#include <cstdint>

namespace tessera::trap {

/// An IME instruction broke a rule: pc, word, mnemonic, vtype, vl, vstart, core and the rule.
void report_breach(unsigned long pc, std::uint32_t word, const ime::Profile& profile,
                   const ime::VectorState& state, ime::Rule rule);

/// An ordinary vector instruction trapped, and vtype is illegal.
void report_vill(unsigned long pc, std::uint32_t word);

/// An IME instruction on a machine without vector registers.
void report_no_vector(unsigned long pc, std::uint32_t word);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_REPORT_HPP_
