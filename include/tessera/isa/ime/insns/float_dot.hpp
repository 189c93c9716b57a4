// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the floating products share.
#ifndef TESSERA_ISA_IME_INSNS_FLOAT_DOT_HPP_
#define TESSERA_ISA_IME_INSNS_FLOAT_DOT_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/numerics.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// vd:vd+1 (fp32, M x N, row-major) += vs1 (M rows of K 16-bit floats) * transposed vs2 (N rows of
/// K). Distance 1 to 3: A is read Distance * K elements further on in vs1:vs1+1 (vs1 even).
template <int Distance>
struct FloatDot {
  static_assert(Distance >= 0 && Distance <= 3);
  static constexpr Element element = Element::float16;
  static constexpr Extension extension = Extension::xsmtvdotii;
  static constexpr Signature signature{Form::registers, 2, Distance == 0 ? 1 : 2};
  static constexpr Encoding encoding = matrix_encoding(element, 0b111, 0b100 | Distance);

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& operands) {
    return register_bits(operands) | unmasked_bit;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    return register_operands(word);
  }
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("C (vd:vd+1, fp32, M x N) += A (vs1");
    if (Distance != 0) text.put(":vs1+1 from element ").decimal(Distance).put("*K on");
    text.put(", fp16 or bf16, M x K) * transposed B (vs2, N x K)");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands&) {
    return check_matrix_state(profile, state);
  }

  /// `c` holds M * N fp32 bit patterns; `a` (one register's bytes, two for a slide) and `b` hold
  /// floats in P's 16-bit format.
  template <Profile P, class Numerics = DefaultNumerics>
  TESSERA_INLINE static constexpr void tile(std::uint32_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b) {
    static_assert(dot_tile(P, element).m > 0, "this profile has no floating tile");
    multiply<Numerics>(P.half, c, a, b);
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile& profile, VectorState& state,
                                            const Operands& o) {
    constexpr Tile t = dot_tile(k3, element);
    std::uint32_t c[t.m * t.n];
    std::uint8_t* vd = state.regs.reg(o.vd);
    for (int e = 0; e < t.m * t.n; ++e) c[e] = static_cast<std::uint32_t>(load_int32(vd, e));
    multiply<Numerics>(profile.half, c, state.regs.reg(o.vs1), state.regs.reg(o.vs2));
    for (int e = 0; e < t.m * t.n; ++e) store_int32(vd, e, static_cast<std::int32_t>(c[e]));
  }

 private:
  template <class Numerics>
  TESSERA_INLINE static constexpr void multiply(HalfFormat half, std::uint32_t* c,
                                                const std::uint8_t* a, const std::uint8_t* b) {
    constexpr Tile t = dot_tile(k3, element);
    for (int i = 0; i < t.m; ++i) {
      for (int j = 0; j < t.n; ++j) {
        std::uint16_t row_a[t.k];
        std::uint16_t row_b[t.k];
        for (int q = 0; q < t.k; ++q) row_a[q] = load_uint16(a, t.k * (i + Distance) + q);
        for (int q = 0; q < t.k; ++q) row_b[q] = load_uint16(b, t.k * j + q);
        c[t.n * i + j] = Numerics::accumulate_float(half, c[t.n * i + j], row_a, row_b, t.k);
      }
    }
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_FLOAT_DOT_HPP_
