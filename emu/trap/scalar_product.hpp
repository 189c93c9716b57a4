// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The integer products of isa/ime for a machine that has multiplication of 64-bit words and nothing
// wider: several columns of B side by side in one word, so that one multiplication serves them all.
// The same bits as the definition, for a third of its instructions and less.
#ifndef TESSERA_EMU_TRAP_SCALAR_PRODUCT_HPP_
#define TESSERA_EMU_TRAP_SCALAR_PRODUCT_HPP_

#include "tessera/core/unroll.hpp"
#include "tessera/isa/ime/all.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::trap {

/// The twin of ime::Dot<E, A, B>::tile on profile P.
template <ime::Element E, ime::Reading A, ime::Reading B, ime::Profile P>
struct ScalarProduct {
  static constexpr ime::Tile tile = ime::dot_tile(P, E);
  static constexpr int m = tile.m;
  static constexpr int n = tile.n;
  static constexpr int k = tile.k;
  /// Sums in one word, each a signed number of `width` bits.
  static constexpr int fields = E == ime::Element::int4 ? 4 : k > 8 ? 3 : 2;
  static constexpr int width = 64 / fields;
  static constexpr int groups = (n + fields - 1) / fields;
  static constexpr int rows = 4;  ///< of A at once: rows * groups sums stay in registers
  static constexpr std::int64_t largest_element = E == ime::Element::int4 ? 15 : 255;
  static_assert(k * largest_element * largest_element < std::int64_t{1} << (width - 1));
  static_assert(m % rows == 0);

  /// c[N*i + j] += sum over q of a[K*i + q] * b[K*j + q], wrapping. `c` is aligned to 4 bytes.
  TESSERA_INLINE static void multiply(std::uint8_t* c, const std::uint8_t* a,
                                      const std::uint8_t* b) {
    std::uint64_t columns[k * groups];
    for (int q = 0; q < k; ++q) pack(columns + groups * q, b, q);
    auto* sums = reinterpret_cast<Lane*>(c);
    for (int i = 0; i < m; i += rows) multiply_rows(sums + n * i, a, i, columns);
  }

 private:
  using Lane [[gnu::may_alias]] = std::int32_t;

  TESSERA_INLINE static std::uint64_t widened(std::int16_t element) {
    return static_cast<std::uint64_t>(std::int64_t{element});
  }

  // Element q of every row of B. A negative field borrows from the next one; so does its product,
  // and add_sums gives it back.
  TESSERA_INLINE static void pack(std::uint64_t* words, const std::uint8_t* b, int q) {
    unroll<groups>([&](auto g) TESSERA_LAMBDA {
      std::uint64_t word = 0;
      unroll<fields>([&](auto f) TESSERA_LAMBDA {
        constexpr int j = fields * static_cast<int>(g.value) + static_cast<int>(f.value);
        if constexpr (j < n) {
          word += widened(ime::element_at<E, B>(b, k * j + q))
                  << (width * static_cast<int>(f.value));
        }
      });
      words[g.value] = word;
    });
  }

  TESSERA_INLINE static void multiply_rows(Lane* c, const std::uint8_t* a, int first,
                                           const std::uint64_t* columns) {
    std::uint64_t sums[rows * groups]{};
    for (int q = 0; q < k; ++q) {
      const std::uint64_t* words = columns + groups * q;
      unroll<rows>([&](auto i) TESSERA_LAMBDA {
        const int element = k * (first + static_cast<int>(i.value)) + q;
        const std::uint64_t factor = widened(ime::element_at<E, A>(a, element));
        unroll<groups>([&](auto g) TESSERA_LAMBDA {
          sums[i.value * groups + g.value] += factor * words[g.value];
        });
      });
    }
    unroll<rows * groups>([&](auto s) TESSERA_LAMBDA {
      constexpr int i = static_cast<int>(s.value) / groups;
      constexpr int j = static_cast<int>(s.value) % groups * fields;
      add_sums<j>(c + n * i + j, sums[s.value]);
    });
  }

  template <int Column>
  TESSERA_INLINE static void add_sums(Lane* c, std::uint64_t word) {
    unroll<fields>([&](auto f) TESSERA_LAMBDA {
      if constexpr (Column + static_cast<int>(f.value) < n) {
        const auto sum = static_cast<std::int64_t>(word << (64 - width)) >> (64 - width);
        c[f.value] =
            ime::DefaultNumerics::accumulate_int32(c[f.value], static_cast<std::int32_t>(sum));
        // Exact: the lowest field is sum. What is left is shifted with its sign.
        word = static_cast<std::uint64_t>(
            static_cast<std::int64_t>(word - static_cast<std::uint64_t>(sum)) >> width);
      }
    });
  }
};

/// An instruction that has a twin, on registers that are aligned to 4 bytes. Precondition: as for
/// Insn::exec.
template <ime::Profile P, ime::Element E, ime::Reading A, ime::Reading B>
TESSERA_INLINE void run_twin(const ime::Dot<E, A, B>&, const ime::RegFile& regs,
                             const ime::Operands& o) {
  ScalarProduct<E, A, B, P>::multiply(regs.reg(o.vd), regs.reg(o.vs1), regs.reg(o.vs2));
}
template <ime::Profile P, int Distance, ime::Reading A, ime::Reading B>
TESSERA_INLINE void run_twin(const ime::Slide<Distance, A, B>&, const ime::RegFile& regs,
                             const ime::Operands& o) {
  constexpr ime::Element int8 = ime::Element::int8;
  ScalarProduct<int8, A, B, P>::multiply(
      regs.reg(o.vd), regs.reg(o.vs1) + Distance * ime::dot_tile(P, int8).k, regs.reg(o.vs2));
}

/// Executes Insn: by its twin if there is one, else as it is defined.
template <class Insn>
TESSERA_INLINE void execute_insn(const ime::Profile& profile, ime::VectorState& state,
                                 const ime::Operands& operands) {
  if constexpr (requires { run_twin<ime::k3>(Insn{}, state.regs, operands); }) {
    if constexpr (Insn::element == ime::Element::int8) {
      if (profile.vlen == ime::k1.vlen) {
        return run_twin<ime::k1>(Insn{}, state.regs, operands);
      }
    }
    run_twin<ime::k3>(Insn{}, state.regs, operands);
  } else {
    Insn::template exec<ime::DefaultNumerics>(profile, state, operands);
  }
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_SCALAR_PRODUCT_HPP_
