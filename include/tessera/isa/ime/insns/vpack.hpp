// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VPACK_HPP_
#define TESSERA_ISA_IME_INSNS_VPACK_HPP_

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

/// smt.vpack.vv vd, vs1, vs2, imm: vd:vd+1 = blocks of vs1 and vs2 in turn.
struct Vpack : Layout<0b011001, 0, 2> {
  static constexpr const char* mnemonic = "smt.vpack.vv";

  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("vd:vd+1 = blocks of vs1 and vs2 in turn; a block is SEW bits, 128, 256 or 512");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands& o) {
    return check_layout_state(profile, state, wide_block_bytes(state, o.imm));
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const int block = wide_block_bytes(state, o.imm);
    const std::uint8_t* first = state.regs.reg(o.vs1);
    const std::uint8_t* second = state.regs.reg(o.vs2);
    std::uint8_t* to = state.regs.reg(o.vd);
    for (int from = 0; from < state.regs.vlenb; from += block) {
      copy_block(to + 2 * from, first + from, block);
      copy_block(to + 2 * from + block, second + from, block);
    }
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VPACK_HPP_
