// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the block-scaled products share.
#ifndef TESSERA_ISA_IME_INSNS_SCALED_HPP_
#define TESSERA_ISA_IME_INSNS_SCALED_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/dot.hpp"
#include "tessera/isa/ime/insns/elements.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/numerics.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// vd (16-bit floats, M x N, row-major): C = round(C + sum * scale[j]) once, where the sum is the
/// exact integer product and the scales are lanes imm*N to imm*N + N-1 of v0 or v1.
template <Element E, Reading A, Reading B>
struct Scaled {
  static constexpr Element element = E;
  static constexpr Extension extension = Extension::xsmtvdotii;
  static constexpr Signature signature{Form::registers_vmask_imm, 1, 1, 8};
  static constexpr std::uint32_t group = A == Reading::as_signed && B == Reading::as_signed ? 0b100
                                         : A == Reading::as_signed                          ? 0b101
                                         : B == Reading::as_signed                          ? 0b110
                                                                                            : 0b011;
  // Bits 14:12 are the immediate.
  static constexpr Encoding encoding{matrix_encoding(E, group, 0).match,
                                     matrix_encoding(E, group, 0).mask & ~(std::uint32_t{7} << 12)};

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& o) {
    return register_bits(o) | std::uint32_t{o.vmask} << 25 | std::uint32_t{o.imm} << 12;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    Operands o = register_operands(word);
    o.vmask = static_cast<std::uint8_t>(field(word, 25, 1));
    o.imm = static_cast<std::uint8_t>(field(word, 12, 3));
    return o;
  }
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put(
        "C (vd, fp16 or bf16, M x N) = round(C + scale * sum), scale in lane 8*imm + column of");
    text.put(" v0 or v1, sum exact of A (vs1, ").put(element_name<E, A>());
    text.put(", M x K) * transposed B (vs2, ").put(element_name<E, B>()).put(", N x K)");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands&) {
    return check_matrix_state(profile, state);
  }

  /// `c` is M * N 16-bit floats in P's format, `scales` N of them.
  template <Profile P, class Numerics = DefaultNumerics>
  TESSERA_INLINE static constexpr void tile(std::uint16_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b, const std::uint16_t* scales) {
    constexpr Tile t = dot_tile(P, E);
    std::int32_t sums[t.m * t.n];
    IntegerTile<E, A, B>::template sum<P>(sums, a, b);
    for (int i = 0; i < t.m; ++i) {
      for (int j = 0; j < t.n; ++j) {
        c[t.n * i + j] =
            Numerics::accumulate_scaled(P.half, c[t.n * i + j], sums[t.n * i + j], scales[j]);
      }
    }
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile& profile, VectorState& state,
                                            const Operands& o) {
    constexpr Tile t = dot_tile(k3, E);
    const RegFile& regs = state.regs;
    std::int32_t sums[t.m * t.n];
    IntegerTile<E, A, B>::template sum<k3>(sums, regs.reg(o.vs1), regs.reg(o.vs2));
    std::uint8_t* vd = regs.reg(o.vd);
    std::uint16_t scales[t.n];  // read first: vd may be their register
    for (int j = 0; j < t.n; ++j) scales[j] = load_uint16(regs.reg(o.vmask), t.n * o.imm + j);
    for (int e = 0; e < t.m * t.n; ++e) {
      store_uint16(
          vd, e,
          Numerics::accumulate_scaled(profile.half, load_uint16(vd, e), sums[e], scales[e % t.n]));
    }
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_SCALED_HPP_
