// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the sliding products share.
#ifndef TESSERA_ISA_IME_INSNS_SLIDE_HPP_
#define TESSERA_ISA_IME_INSNS_SLIDE_HPP_

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

/// As Dot on int8, with A read Distance * K elements further on in the pair vs1:vs1+1 (vs1 even).
/// The distance is in bit 15, which an even vs1 leaves free, and in bit 14.
template <int Distance, Reading A, Reading B>
struct Slide {
  static_assert(Distance >= 1 && Distance <= 3);
  static constexpr Element element = Element::int8;
  static constexpr Extension extension = Extension::xsmtvdot;
  static constexpr Signature signature{Form::registers, 2, 2};
  static constexpr std::uint32_t low_vs1_bit = std::uint32_t{1} << 15;
  static constexpr std::uint32_t distance_bits =
      (Distance == 2 ? std::uint32_t{1} << 14 : 0) | (Distance == 3 ? low_vs1_bit : 0);
  static constexpr Encoding encoding{
      matrix_encoding(element, 0b001, signedness_bits<A, B>).match | distance_bits,
      matrix_encoding(element, 0b001, 0).mask | low_vs1_bit};

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& operands) {
    return register_bits(operands) | unmasked_bit;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    return register_operands(word & ~low_vs1_bit);
  }
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("C (vd:vd+1, int32, M x N) += A (vs1:vs1+1 from element ");
    text.decimal(Distance).put("*K on, ").put(element_name<element, A>());
    text.put(", M x K) * transposed B (vs2, ").put(element_name<element, B>()).put(", N x K)");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands&) {
    return check_matrix_state(profile, state);
  }

  /// c[N*i + j] += sum over q of a[K*(i + Distance) + q] * b[K*j + q]; `a` is two registers' bytes.
  template <Profile P, class Numerics = DefaultNumerics>
  TESSERA_INLINE static constexpr void tile(std::int32_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b) {
    IntegerTile<element, A, B>::template multiply<P, Numerics>(
        c, a + Distance * dot_tile(P, element).k, b);
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile& profile, VectorState& state,
                                            const Operands& o) {
    if (profile.vlen == k1.vlen) return exec_on<k1, Numerics>(state.regs, o);
    return exec_on<k3, Numerics>(state.regs, o);
  }

 private:
  template <Profile P, class Numerics>
  TESSERA_INLINE static constexpr void exec_on(const RegFile& regs, const Operands& o) {
    on_int32_tile<dot_tile(P, element)>(regs, o.vd, [&](std::int32_t* c) TESSERA_LAMBDA {
      tile<P, Numerics>(c, regs.reg(o.vs1), regs.reg(o.vs2));
    });
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_SLIDE_HPP_
