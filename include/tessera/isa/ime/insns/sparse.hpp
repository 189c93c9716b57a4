// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the 4:2 sparse products share.
#ifndef TESSERA_ISA_IME_INSNS_SPARSE_HPP_
#define TESSERA_ISA_IME_INSNS_SPARSE_HPP_

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

/// vd:vd+1 (int32) += A * transposed B, where A is vs1:vs1+1 (vs1 even), M rows of 2K elements, and
/// each column j uses two of every four elements of A's rows: those that a nibble of the mask names.
/// imm[1] lies in bit 15 and imm[0] in bit 7, which even registers leave free.
template <Element E, Reading A, Reading B>
struct Sparse {
  static constexpr Element element = E;
  static constexpr Extension extension = Extension::xsmtvdotii;
  static constexpr int segments = E == Element::int4 ? 2 : 4;
  static constexpr Signature signature{Form::registers_vmask_imm, 2, 2, segments};
  static constexpr Encoding encoding = matrix_encoding(E, 0b010, signedness_bits<A, B>);

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& o) {
    return register_bits(o) | std::uint32_t{o.vmask} << 25 | std::uint32_t{o.imm} >> 1 << 15 |
           (std::uint32_t{o.imm} & 1) << 7;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    Operands o = register_operands(word & ~(std::uint32_t{1} << 15 | std::uint32_t{1} << 7));
    o.vmask = static_cast<std::uint8_t>(field(word, 25, 1));
    o.imm = static_cast<std::uint8_t>(field(word, 15, 1) << 1 | field(word, 7, 1));
    return o;
  }
  TESSERA_INLINE static constexpr void write_meaning(Text& text) {
    text.put("C (vd:vd+1, int32, M x N) += the two of each four elements of A (vs1:vs1+1, ");
    text.put(element_name<E, A>()).put(", M x 2K) that the mask (segment imm of v0 or v1) names");
    text.put(" for the column * transposed B (vs2, ").put(element_name<E, B>()).put(", N x K)");
  }
  TESSERA_INLINE static constexpr Rule check_state(const Profile& profile, const VectorState& state,
                                                   const Operands&) {
    return check_matrix_state(profile, state);
  }

  /// `a` is two registers' bytes, `mask` the segment: nibble j * K/2 + q belongs to column j and to
  /// the quad q of A's rows; low nibble first. A nibble with exactly two bits selects those two
  /// elements, ascending, for B[K*j + 2q] and B[K*j + 2q + 1]; any other contributes nothing.
  template <Profile P, class Numerics = DefaultNumerics>
  TESSERA_INLINE static constexpr void tile(std::int32_t* c, const std::uint8_t* a,
                                            const std::uint8_t* b, const std::uint8_t* mask) {
    constexpr Tile t = dot_tile(P, E);
    static_assert(t.m > 0, "this profile has no tile of this element type");
    for (int j = 0; j < t.n; ++j) {
      std::int32_t sums[t.m]{};
      for (int q = 0; q < t.k / 2; ++q) {
        const int n = j * (t.k / 2) + q;
        const Pair pair = selected(mask[n / 2] >> (4 * (n % 2)) & 15);
        if (pair.second == 0) continue;
        const int first_b = element_at<E, B>(b, t.k * j + 2 * q);
        const int second_b = element_at<E, B>(b, t.k * j + 2 * q + 1);
        for (int i = 0; i < t.m; ++i) {
          const int quad = 2 * t.k * i + 4 * q;
          sums[i] += element_at<E, A>(a, quad + pair.first) * first_b +
                     element_at<E, A>(a, quad + pair.second) * second_b;
        }
      }
      for (int i = 0; i < t.m; ++i) {
        c[t.n * i + j] = Numerics::accumulate_int32(c[t.n * i + j], sums[i]);
      }
    }
  }

  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(const Profile&, VectorState& state, const Operands& o) {
    const RegFile& regs = state.regs;
    const std::uint8_t* mask = regs.reg(o.vmask) + o.imm * (k3.vlen_bytes() / segments);
    on_int32_tile<dot_tile(k3, E)>(regs, o.vd, [&](std::int32_t* c) TESSERA_LAMBDA {
      tile<k3, Numerics>(c, regs.reg(o.vs1), regs.reg(o.vs2), mask);
    });
  }

 private:
  struct Pair {
    int first;
    int second;  ///< 0: not exactly two bits are set
  };
  TESSERA_INLINE static constexpr Pair selected(int nibble) {
    int found[4]{};
    int count = 0;
    for (int bit = 0; bit < 4; ++bit) {
      if ((nibble >> bit & 1) != 0) found[count++] = bit;
    }
    return count == 2 ? Pair{found[0], found[1]} : Pair{0, 0};
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_SPARSE_HPP_
