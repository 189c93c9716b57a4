// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the four vmadot instructions share. The instructions themselves are one struct each, in the
// files beside this one; they add a name, an encoding and how A and B are read.
#ifndef TESSERA_ISA_IME_INSNS_DOT_HPP_
#define TESSERA_ISA_IME_INSNS_DOT_HPP_

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

/// How the bits of an element are read.
enum class Reading : std::uint8_t { as_unsigned, as_signed };

/// Element `index` of a packed row. int4: element 2n is the low nibble of byte n.
template <Element E, Reading R>
TESSERA_INLINE constexpr std::int16_t element_at(const std::uint8_t* row, int index) {
  if constexpr (E == Element::int8) {
    if constexpr (R == Reading::as_signed) return static_cast<std::int8_t>(row[index]);
    return row[index];
  } else {
    const int nibble = row[index / 2] >> (4 * (index % 2)) & 15;
    if constexpr (R == Reading::as_signed) return static_cast<std::int16_t>((nibble ^ 8) - 8);
    return static_cast<std::int16_t>(nibble);
  }
}

/// Encoding of a vmadot: bit 31 = 1, DT, bits 28:26 = 000, funct3 = signedness. Bit 25 is left to
/// the legality check, so that a masked word is named rather than unknown.
TESSERA_INLINE constexpr Encoding dot_encoding(Element element, std::uint32_t funct3) {
  return {std::uint32_t{1} << 31 | data_type_bits(element) | funct3 << 12 | opcode_custom1,
          std::uint32_t{1} << 31 | data_type_mask | std::uint32_t{7} << 26 |
              std::uint32_t{7} << 12 | opcode_mask};
}

/// vd:vd+1 (int32, M x N, row-major) += vs1 (M rows of K) * transposed vs2 (N rows of K).
template <Element E, Reading A, Reading B>
struct Dot {
  static constexpr Element element = E;
  static constexpr Extension extension =
      E == Element::int4 ? Extension::xsmtvdotii : Extension::xsmtvdot;

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& operands) {
    return register_bits(operands) | unmasked_bit;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    return register_operands(word);
  }
  TESSERA_INLINE static constexpr void write_operands(Text& text, std::uint32_t word) {
    const Operands o = operands(word);
    text.vreg(o.vd).put(", ").vreg(o.vs1).put(", ").vreg(o.vs2);
    if (E == Element::int4) text.put(", i4");
  }

  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("C (vd:vd+1, int32, M x N) += A (vs1, ").put(type_name(A));
    text.put(", M x K) * transposed B (vs2, ").put(type_name(B)).put(", N x K)");
  }

  /// Rules that the word alone decides.
  TESSERA_INLINE static constexpr Rule check_word(const Profile& profile, std::uint32_t word) {
    const Operands o = operands(word);
    if (!profile.has(extension)) return Rule::not_in_profile;
    if ((word & unmasked_bit) == 0) return Rule::masked;
    if (o.vd % 2 != 0) return Rule::vd_odd;
    if (o.vs1 / 2 == o.vd / 2) return Rule::vd_overlaps_vs1;
    if (o.vs2 / 2 == o.vd / 2) return Rule::vd_overlaps_vs2;
    return Rule::none;
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile,
                                                   const VectorState& state) {
    return check_matrix_state(profile, state);
  }

  /// The definition: c[N*i + j] += sum over q of a[K*i + q] * b[K*j + q].
  /// `a` and `b` are the register bytes, `c` is M * N accumulators, row-major.
  template <Profile P>
  TESSERA_INLINE static constexpr void tile(std::int32_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b) {
    constexpr Tile t = dot_tile(P, E);
    static_assert(t.m > 0, "this profile has no tile of this element type");
    // Widened first: two elements of 9 bits then multiply in one packed step on most machines.
    std::int16_t wide_a[t.m * t.k];
    std::int16_t wide_b[t.n * t.k];
    for (int e = 0; e < t.m * t.k; ++e) wide_a[e] = element_at<E, A>(a, e);
    for (int e = 0; e < t.n * t.k; ++e) wide_b[e] = element_at<E, B>(b, e);
    for (int i = 0; i < t.m; ++i) {
      for (int j = 0; j < t.n; ++j) {
        std::int32_t sum = 0;
        for (int q = 0; q < t.k; ++q) sum += wide_a[t.k * i + q] * wide_b[t.k * j + q];
        c[t.n * i + j] = accumulate_int32(c[t.n * i + j], sum);
      }
    }
  }

  /// Executes on the registers. Precondition: check_word and check_state returned Rule::none.
  TESSERA_INLINE static constexpr void exec(const Profile& profile, VectorState& state,
                                            const Operands& o) {
    if constexpr (E == Element::int8) {
      if (profile.vlen == k1.vlen) return exec_on<k1>(state, o);
    }
    return exec_on<k3>(state, o);
  }

 private:
  TESSERA_INLINE static constexpr const char* type_name(Reading reading) {
    if (reading == Reading::as_signed) return E == Element::int4 ? "int4" : "int8";
    return E == Element::int4 ? "uint4" : "uint8";
  }
  template <Profile P>
  TESSERA_INLINE static constexpr void exec_on(VectorState& state, const Operands& o) {
    constexpr Tile t = dot_tile(P, E);
    std::int32_t c[t.m * t.n];
    std::uint8_t* vd = state.regs.reg(o.vd);
    for (int e = 0; e < t.m * t.n; ++e) c[e] = load_int32(vd, e);
    tile<P>(c, state.regs.reg(o.vs1), state.regs.reg(o.vs2));
    for (int e = 0; e < t.m * t.n; ++e) store_int32(vd, e, c[e]);
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_DOT_HPP_
