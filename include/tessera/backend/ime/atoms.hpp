// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The int8 tile of a core with matrix instructions, whatever its vector length.
#ifndef TESSERA_BACKEND_IME_ATOMS_HPP_
#define TESSERA_BACKEND_IME_ATOMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/block_sums.hpp"
#include "tessera/backend/ime/half_scales.hpp"
#include "tessera/backend/ime/level_sums.hpp"
#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Two int8 tiles of profile P, one above the other.
template <ime::Profile P>
using ImeStack = Tile<2 * static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).m),
                      static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).n),
                      static_cast<std::size_t>(ime::dot_tile(P, ime::Element::int8).k)>;

}  // namespace detail

/// smt.vmadot of profile P, int8: M * N accumulators in a pair of registers, M * K codes in one.
///
/// Block of two stacked tiles by three panels (K3: four). Loads bind these cores and have no offset: a group's rows
/// are one vl8r (K3: vl4r), its columns one vl4r (vl2r), and two tiles share the conversion and scaling.
/// With the float sums, that is the register file.
template <ime::Profile P>
struct ImeDot : TileScales<detail::ImeStack<P>> {
  static constexpr ime::Tile shape = ime::dot_tile(P, ime::Element::int8);
  using tile = Tile<static_cast<std::size_t>(shape.m), static_cast<std::size_t>(shape.n),
                    static_cast<std::size_t>(shape.k)>;
  using Insn = ime::Vmadot<ime::Element::int8>;
  static constexpr const char* name = Insn::mnemonic;
  static constexpr std::size_t row_tiles = 1;
  static constexpr std::size_t panels = shape.k == 8 ? 3 : 4;
  static constexpr bool panel_by_panel = true;
  static constexpr std::size_t b_scale_lanes = static_cast<std::size_t>(P.vlen_bytes()) / 4;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(RvvLanes<4>(2 * tile::m * tile::n), std::size_t{0});
  }
  /// The rows of one group, in registers.
  template <std::size_t KSteps>
  TESSERA_INLINE static auto load_rows(const std::int8_t* a) noexcept {
    static_assert(KSteps == 1 || KSteps == 2 || KSteps == 4);
    if constexpr (KSteps == 4) return ime_load_eight<register_bytes>(a);
    if constexpr (KSteps == 2) return ime_load_four<register_bytes>(a);
    if constexpr (KSteps == 1) return ime_load_two<register_bytes>(a);
  }
  /// The exact products of one group with one panel.
  template <std::size_t KSteps, class Rows>
  TESSERA_INLINE static auto panel(Rows rows, const std::int8_t* b) noexcept {
    if constexpr (KSteps == 4) return ime_dot_stack<Insn>(rows, ime_load_four<register_bytes>(b));
    if constexpr (KSteps == 2) return ime_dot_stack<Insn>(rows, ime_load_two<register_bytes>(b));
    if constexpr (KSteps == 1) return ime_dot_stack<Insn>(rows, ime_load_one<register_bytes>(b));
  }
  /// The scaled sums of all groups of 32 (tile/dot_block.hpp).
  template <class Operands>
  TESSERA_INLINE static void sum_groups(const Operands& in, float* out, std::size_t ld) noexcept {
    ImeBlockOperands of = {in.a_codes[0], in.a_scales[0], {}, {}, in.groups};
    for (std::size_t j = 0; j < panels; ++j)
      of.b[j] = in.b_codes[j], of.b_scales[j] = in.b_scales[j];
    ImeBlockSums<Insn, panels>::sum(of, [&](std::size_t j, vfloat32m4_t total) TESSERA_LAMBDA {
      store(RvvLanes<4>(2 * tile::m * tile::n), total, out + j * tile::n, ld, 0);
    });
  }
  /// The integer sums of all groups, at least one, panel by panel (tile/whole_row_block.hpp).
  template <class Operands, class Take>
  TESSERA_INLINE static void sum_levels(const Operands& in, Take&& take) noexcept {
    ImeBlockOperands of = {in.a_codes[0], nullptr, {}, {}, in.groups};
    for (std::size_t j = 0; j < panels; ++j) of.b[j] = in.b_codes[j];
    ImeLevelSums<Insn, panels>::sum(of, take);
  }
  template <class D>
  TESSERA_INLINE static auto b_scale(D, const float* lanes, std::size_t) noexcept {
    return ime_load_repeated<register_bytes>(lanes);
  }
  /// total = fma(float(sum), sa * sb, total).
  TESSERA_INLINE static void scale_add(vint32m4_t sum, vfloat32m4_t sa, const float* sb,
                                       vfloat32m4_t& total) noexcept {
    ime_scale_add(sum, sa, ime_load_repeated<register_bytes>(sb), total);
  }
  /// total = fma(a, b, total), both scales' lanes.
  TESSERA_INLINE static void minimum_add(vfloat32m4_t a, const float* b,
                                         vfloat32m4_t& total) noexcept {
    ime_product_add(a, ime_load_repeated<register_bytes>(b), total);
  }
  TESSERA_INLINE static void expand_a(const float* sa, float* lanes) noexcept {
    unroll<2 * tile::m>([&](auto i) TESSERA_LAMBDA {
      __riscv_vse32(lanes + i * tile::n, __riscv_vfmv_v_f_f32m1(sa[i], tile::n), tile::n);
    });
  }
  /// Whole rows of columns fill a register, and all registers of the sums are alike.
  TESSERA_INLINE static void expand_b(const float* sb, float* lanes) noexcept {
    const auto row = __riscv_vle32_v_f32m1(sb, tile::n);
    unroll<b_scale_lanes / tile::n>(
        [&](auto i) TESSERA_LAMBDA { __riscv_vse32(lanes + i * tile::n, row, tile::n); });
  }
  /// expand_b() for the columns of several panels, whose lanes are `apart` floats apart.
  TESSERA_INLINE static void expand_columns(const float* sb, std::size_t panels, float* out,
                                            std::size_t apart) noexcept {
    // A panel's scales are a segment of 8-byte elements.
    const auto* from = reinterpret_cast<const std::uint64_t*>(sb);
    const auto step = static_cast<std::ptrdiff_t>(apart * sizeof(float));
    const auto copies = [&](auto segments) TESSERA_LAMBDA {
      unroll<b_scale_lanes / tile::n>([&](auto i) TESSERA_LAMBDA {
        auto* to = reinterpret_cast<std::uint64_t*>(out + i * tile::n);
        if constexpr (tile::n == 4) {
          __riscv_vssseg2e64(to, step, segments, panels);
        } else {
          __riscv_vssseg4e64(to, step, segments, panels);
        }
      });
    };
    if constexpr (tile::n == 4) {
      copies(__riscv_vlseg2e64_v_u64m4x2(from, panels));
    } else {
      copies(__riscv_vlseg4e64_v_u64m1x4(from, panels));
    }
  }
  /// The same for the f16 scales of a panel, [groups][columns], 8-byte aligned.
  TESSERA_INLINE static void expand_halves(const std::byte* halves, std::size_t groups,
                                           float* lanes) noexcept {
    constexpr std::size_t most = 32;
    alignas(64) std::int16_t repeated[most * b_scale_lanes];
    for (std::size_t g = 0; g < groups; g += most) {
      const std::size_t count = groups - g < most ? groups - g : most;
      if constexpr (tile::n == 4)
        ime_repeat_four(halves + g * tile::n * 2, count, repeated);
      else
        ime_repeat_eight(halves + g * tile::n * 2, count, repeated);
      ime_halves_to_floats(repeated, count * b_scale_lanes, lanes + g * b_scale_lanes);
    }
  }
  /// The tiles of results to rows of `out`, ld apart (at most 1024, in multiples of 8 bytes like `out`). In pairs of
  /// columns by their offsets of 16 bits: one store instead of a slide and a store each row.
  template <class D>
  TESSERA_INLINE static void store(D, typename D::F32 v, float* out, std::size_t ld,
                                   std::size_t) noexcept {
    constexpr std::size_t pairs = tile::n / 2;  // of a row
    std::size_t vl = 2 * tile::m * pairs;
    __asm__ volatile(""
                     : "+r"(vl));  // or compilers make the offsets before the loops, and spill sums
    constexpr int shift = pairs == 2 ? 1 : 2;
    static_assert(pairs == std::size_t{1} << shift);
    const auto pair = __riscv_vid_v_u16m1(vl);
    const auto row = __riscv_vmul(__riscv_vsrl(pair, shift, vl),
                                  static_cast<std::uint16_t>(ld * sizeof(float)), vl);
    const auto at = __riscv_vmacc(row, 8, __riscv_vand(pair, pairs - 1, vl), vl);
    __riscv_vsoxei16(reinterpret_cast<std::uint64_t*>(out), at,
                     __riscv_vreinterpret_v_u32m4_u64m4(__riscv_vreinterpret_v_f32m4_u32m4(v)), vl);
  }

 private:
  static constexpr std::size_t register_bytes = tile::m * tile::k;
  static_assert(register_bytes == static_cast<std::size_t>(P.vlen_bytes()) && tile::m == tile::n);
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_ATOMS_HPP_
