// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the runtime takes the instructions to be: which words are legal in which state, and what they do.
// That of isa/ime, except where a test compiles row.cpp with TESSERA_TRAP_SEMANTICS, the name of a header
// that defines another tessera::trap::Semantics, to have cores that are not as the model says.
#ifndef TESSERA_EMU_TRAP_SEMANTICS_HPP_
#define TESSERA_EMU_TRAP_SEMANTICS_HPP_

#include "emu/trap/scalar_product.hpp"

#include "tessera/isa/ime/all.hpp"

namespace tessera::trap {

struct DocumentedSemantics {
  /// The first rule that the word breaks in this state.
  TESSERA_INLINE static ime::Rule check(const ime::Profile& profile, const ime::VectorState& state,
                                        std::uint32_t word) {
    return ime::check(profile, state, word);
  }
  /// Executes a word that breaks none.
  template <class Insn>
  TESSERA_INLINE static void execute(const ime::Profile& profile, ime::VectorState& state,
                                     const ime::Operands& operands) {
    execute_insn<Insn>(profile, state, operands);
  }
};

}  // namespace tessera::trap

#ifdef TESSERA_TRAP_SEMANTICS
#include TESSERA_TRAP_SEMANTICS
#else
namespace tessera::trap {
using Semantics = DocumentedSemantics;
}
#endif

#endif  // TESSERA_EMU_TRAP_SEMANTICS_HPP_
