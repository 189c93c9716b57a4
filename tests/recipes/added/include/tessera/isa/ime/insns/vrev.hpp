// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VREV_HPP_
#define TESSERA_ISA_IME_INSNS_VREV_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/layout.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vrev.vv vd, vs1, vs2, imm: vd:vd+1 = the bytes of vs1, last first, then those of vs2.
struct Vrev : Layout<0b011010, 0, 2> {
  static constexpr const char* mnemonic = "smt.vrev.vv";

  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("vd:vd+1 = the bytes of vs1, last first, then those of vs2");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands& o) {
    return check_layout_state(profile, state, wide_block_bytes(state, o.imm));
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const int bytes = state.regs.vlenb;
    std::uint8_t* to = state.regs.reg(o.vd);
    for (int i = 0; i < bytes; ++i) {
      to[i] = state.regs.reg(o.vs1)[bytes - 1 - i];
      to[bytes + i] = state.regs.reg(o.vs2)[bytes - 1 - i];
    }
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VREV_HPP_
