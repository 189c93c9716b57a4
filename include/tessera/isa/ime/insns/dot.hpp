// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the integer products share, and the four vmadot instructions' base. The instructions are one
// struct each, in the files beside this one; they add a name and how A and B are read.
#ifndef TESSERA_ISA_IME_INSNS_DOT_HPP_
#define TESSERA_ISA_IME_INSNS_DOT_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/elements.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/numerics.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// The product of one integer tile, where K is that of B's rows.
template <Element E, Reading A, Reading B>
struct IntegerTile {
  /// c[N*i + j] += sum over q of a[K*i + q] * b[K*j + q].
  template <Profile P, class Numerics>
  TESSERA_INLINE static constexpr void multiply(std::int32_t* c, const std::uint8_t* a,
                                                const std::uint8_t* b) {
    constexpr Tile t = dot_tile(P, E);
    std::int32_t sums[t.m * t.n];
    sum<P>(sums, a, b);
    for (int e = 0; e < t.m * t.n; ++e) c[e] = Numerics::accumulate_int32(c[e], sums[e]);
  }

  /// The exact sums alone.
  template <Profile P>
  TESSERA_INLINE static constexpr void sum(std::int32_t* sums, const std::uint8_t* a,
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
        sums[t.n * i + j] = sum;
      }
    }
  }
};

/// Runs `tile(c)` on the int32 accumulators of vd:vd+1.
template <Tile T, class Body>
TESSERA_INLINE constexpr void on_int32_tile(const RegFile& regs, int vd, Body body) {
  std::int32_t c[T.m * T.n];
  std::uint8_t* bytes = regs.reg(vd);
  for (int e = 0; e < T.m * T.n; ++e) c[e] = load_int32(bytes, e);
  body(c);
  for (int e = 0; e < T.m * T.n; ++e) store_int32(bytes, e, c[e]);
}

/// vd:vd+1 (int32, M x N, row-major) += vs1 (M rows of K) * transposed vs2 (N rows of K).
template <Element E, Reading A, Reading B>
struct Dot {
  static constexpr Element element = E;
  static constexpr Extension extension =
      E == Element::int4 ? Extension::xsmtvdotii : Extension::xsmtvdot;
  static constexpr Signature signature{Form::registers, 2, 1};
  static constexpr Encoding encoding = matrix_encoding(E, 0b000, signedness_bits<A, B>);

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& operands) {
    return register_bits(operands) | unmasked_bit;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    return register_operands(word);
  }
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("C (vd:vd+1, int32, M x N) += A (vs1, ").put(element_name<E, A>());
    text.put(", M x K) * transposed B (vs2, ").put(element_name<E, B>()).put(", N x K)");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands&) {
    return check_matrix_state(profile, state);
  }

  /// The definition: c[N*i + j] += sum over q of a[K*i + q] * b[K*j + q].
  /// `a` and `b` are the register bytes, `c` is M * N accumulators, row-major.
  template <Profile P, class Numerics = DefaultNumerics>
  TESSERA_INLINE static constexpr void tile(std::int32_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b) {
    IntegerTile<E, A, B>::template multiply<P, Numerics>(c, a, b);
  }

  /// Executes on the registers. Precondition: check_word and check_state returned Rule::none.
  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile& profile, VectorState& state,
                                            const Operands& o) {
    if constexpr (E == Element::int8) {
      if (profile.vlen == k1.vlen) return exec_on<k1, Numerics>(state.regs, o);
    }
    return exec_on<k3, Numerics>(state.regs, o);
  }

 private:
  template <Profile P, class Numerics>
  TESSERA_INLINE static constexpr void exec_on(const RegFile& regs, const Operands& o) {
    on_int32_tile<dot_tile(P, E)>(regs, o.vd, [&](std::int32_t* c) TESSERA_LAMBDA {
      tile<P, Numerics>(c, regs.reg(o.vs1), regs.reg(o.vs2));
    });
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_DOT_HPP_
