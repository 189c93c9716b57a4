// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the narrowing layout instructions share.
#ifndef TESSERA_ISA_IME_INSNS_NARROW_HPP_
#define TESSERA_ISA_IME_INSNS_NARROW_HPP_

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

enum class Narrowing : std::uint8_t { truncates, saturates };

/// vd = blocks of the narrowed vs1 and vs2 in turn. SEW is the result's; the sources have twice that.
/// vxrm is not used, vxsat is not set.
template <Narrowing N>
struct NarrowHalf : Layout<0b011000, N == Narrowing::saturates ? 1 : 0, 1> {
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("vd (SEW) = blocks of vs1 and vs2 (2*SEW) in turn, each element ");
    text.put(N == Narrowing::saturates ? "saturated as signed" : "truncated");
    text.put("; a block of the result is 32, 64, 128 or 256 bits");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands& o) {
    if (!state.vtype.illegal() && state.vtype.sew() > 32) return Rule::sew_too_wide;
    return check_layout_state(profile, state, 2 * narrow_block_bytes(o.imm));
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const int bytes = state.vtype.sew() / 8;
    const int per_block = narrow_block_bytes(o.imm) / bytes;
    const int total = state.regs.vlenb / bytes;
    std::uint8_t* to = state.regs.reg(o.vd);
    for (int e = 0; e < total; ++e) {
      const int block = e / per_block;
      const int source = block / 2 * per_block + e % per_block;
      std::int64_t value =
          signed_element(state.regs.reg(block % 2 == 0 ? o.vs1 : o.vs2), source, 2 * bytes);
      if (N == Narrowing::saturates) value = saturate(value, 8 * bytes);
      for (int i = 0; i < bytes; ++i) {
        to[bytes * e + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
      }
    }
  }
};

/// vd = blocks of the nibbles of vs1 and vs2 in turn. The sources are bytes whatever SEW is; element
/// 2i becomes the low nibble of a byte, 2i+1 the high one.
template <Narrowing N>
struct NarrowNibble : Layout<0b010000, N == Narrowing::saturates ? 1 : 0, 1> {
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("vd (nibbles) = blocks of vs1 and vs2 (bytes) in turn, each element ");
    text.put(N == Narrowing::saturates ? "saturated as signed" : "truncated");
    text.put("; a block of the result is 32, 64, 128 or 256 bits");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands& o) {
    return check_layout_state(profile, state, 2 * narrow_block_bytes(o.imm));
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const int per_block = narrow_block_bytes(o.imm);
    std::uint8_t* to = state.regs.reg(o.vd);
    for (int byte = 0; byte < state.regs.vlenb; ++byte) {
      const int block = byte / per_block;
      const std::uint8_t* from = state.regs.reg(block % 2 == 0 ? o.vs1 : o.vs2);
      const int source = 2 * (block / 2 * per_block + byte % per_block);
      const int low = nibble(from[source]);
      to[byte] = static_cast<std::uint8_t>(low | nibble(from[source + 1]) << 4);
    }
  }

 private:
  TESSERA_INLINE static constexpr int nibble(std::uint8_t byte) {
    const auto value = static_cast<std::int8_t>(byte);
    return static_cast<int>(N == Narrowing::saturates ? saturate(value, 4) : value) & 15;
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_NARROW_HPP_
