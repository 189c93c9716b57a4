// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The int8 tile of a core with matrix instructions, whatever its vector length.
#ifndef TESSERA_BACKEND_IME_ATOMS_HPP_
#define TESSERA_BACKEND_IME_ATOMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// smt.vmadot of profile P, int8: M * N accumulators in a pair of registers, M * K codes in one.
///
/// Block of 2 x 3 tiles: with the float sums, the operands of two k steps and one vl2r each, exactly
/// the register file. Loads bind these cores, so the block's shape, not its height, decides; three
/// accumulators at a time hide most of the instruction's latency.
template <ime::Profile P>
struct ImeDot : TileScales<Tile<static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).m),
                                static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).n),
                                static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).k)>> {
  static constexpr ime::Tile shape = ime::dot_tile(P, ime::Element::int8);
  using tile = Tile<static_cast<std::size_t>(shape.m), static_cast<std::size_t>(shape.n),
                    static_cast<std::size_t>(shape.k)>;
  using Insn = ime::Vmadot<ime::Element::int8>;
  static constexpr const char* name = Insn::mnemonic;
  static constexpr std::size_t row_tiles = 2;
  static constexpr std::size_t panels = 3;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(RvvLanes<2>(tile::m * tile::n), std::size_t{0});
  }
  /// Unused: group() begins at zero by itself, see ime_zero_three.
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D, std::size_t, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    static_assert((KSteps % 2 == 0 || KSteps == 1) && NR == 3);
    constexpr std::size_t bytes = tile::m * tile::k;
    static_assert(bytes == static_cast<std::size_t>(P.vlen_bytes()) && tile::m == tile::n);
    if constexpr (KSteps == 1) return one_step<MR, NR>(a, b, acc...);
    unroll<KSteps / 2>([&](auto s) TESSERA_LAMBDA {
      constexpr std::size_t at = 2 * bytes * decltype(s)::value;
      const auto b0 = ime_load_two<bytes>(b[0] + at);
      const auto b1 = ime_load_two<bytes>(b[1] + at);
      const auto b2 = ime_load_two<bytes>(b[2] + at);
      unroll<MR>([&](auto i) TESSERA_LAMBDA {
        constexpr std::size_t first = NR * decltype(i)::value;
        auto& c0 = nth<first>(acc...);
        auto& c1 = nth<first + 1>(acc...);
        auto& c2 = nth<first + 2>(acc...);
        const auto rows = ime_load_two<bytes>(a[i] + at);
        if constexpr (decltype(s)::value == 0) ime_zero_three(rows, c0, c1, c2);
        ime_dot_three<Insn>(rows, b0, b1, b2, c0, c1, c2);
      });
    });
  }
  TESSERA_INLINE static void expand_a(const float* sa, float* lanes) noexcept {
    unroll<tile::m>([&](auto i) TESSERA_LAMBDA {
      __riscv_vse32(lanes + i * tile::n, __riscv_vfmv_v_f_f32m1(sa[i], tile::n), tile::n);
    });
  }
  TESSERA_INLINE static void expand_b(const float* sb, float* lanes) noexcept {
    const auto row = __riscv_vle32_v_f32m1(sb, tile::n);
    unroll<tile::m>([&](auto i)
                        TESSERA_LAMBDA { __riscv_vse32(lanes + i * tile::n, row, tile::n); });
  }
  template <class D>
  TESSERA_INLINE static auto b_scale(D d, const float* lanes, std::size_t) noexcept {
#if !defined(__clang__)
    // Keeps the load behind the products: GCC 14 schedules all scales ahead of them and then spills
    // accumulators. (clang does not, and would reload the row scales behind such a statement.)
    __asm__ volatile("" : "+r"(lanes));
#endif
    return d.load(lanes);
  }
  /// One tile of results to rows of `out`, ld apart.
  template <class D>
  TESSERA_INLINE static void store(D, typename D::F32 v, float* out, std::size_t ld,
                                   std::size_t) noexcept {
    unroll<tile::m>([&](auto i) TESSERA_LAMBDA {
      __riscv_vse32(out + i * ld, __riscv_vslidedown(v, i * tile::n, tile::n), tile::n);
    });
  }

 private:
  /// A group of one k step: one register an operand.
  template <std::size_t MR, std::size_t NR, class... Acc>
  TESSERA_INLINE static void one_step(const std::int8_t* const (&a)[MR],
                                      const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    constexpr std::size_t bytes = tile::m * tile::k;
    const auto b0 = ime_load_one<bytes>(b[0]);
    const auto b1 = ime_load_one<bytes>(b[1]);
    const auto b2 = ime_load_one<bytes>(b[2]);
    unroll<MR>([&](auto i) TESSERA_LAMBDA {
      constexpr std::size_t first = NR * decltype(i)::value;
      auto& c0 = nth<first>(acc...);
      auto& c1 = nth<first + 1>(acc...);
      auto& c2 = nth<first + 2>(acc...);
      const auto rows = ime_load_one<bytes>(a[i]);
      ime_zero_three(rows, c0, c1, c2);
      ime_dot_three_once<Insn>(rows, b0, b1, b2, c0, c1, c2);
    });
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_ATOMS_HPP_
