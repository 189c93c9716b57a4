// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VUPACK_HPP_
#define TESSERA_ISA_IME_INSNS_VUPACK_HPP_

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

/// smt.vupack.vv vd, vs1, vs2, imm: vd = the even blocks of vs1, then of vs2; vd+1 = the odd ones.
struct Vupack : Layout<0b011001, 1, 2> {
  static constexpr const char* mnemonic = "smt.vupack.vv";

  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put(
        "vd = the even blocks of vs1, then of vs2; vd+1 = the odd ones; a block is SEW bits, 128, "
        "256 or 512");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands& o) {
    return check_layout_state(profile, state, wide_block_bytes(state, o.imm));
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const int block = wide_block_bytes(state, o.imm);
    const int half = state.regs.vlenb / 2;
    for (int source = 0; source < 2; ++source) {
      const std::uint8_t* from = state.regs.reg(source == 0 ? o.vs1 : o.vs2);
      std::uint8_t* even = state.regs.reg(o.vd) + source * half;
      std::uint8_t* odd = even + state.regs.vlenb;
      for (int at = 0; at < half; at += block) {
        copy_block(even + at, from + 2 * at, block);
        copy_block(odd + at, from + 2 * at + block, block);
      }
    }
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VUPACK_HPP_
