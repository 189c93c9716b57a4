// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A block of attention's keys against eight query rows, the keys as the tile's rows: scores come out
/// [key][query], eight queries side by side, and whatever happens to them fills registers.
#ifndef TESSERA_BACKEND_IME2_KEY_MAJOR_HPP_
#define TESSERA_BACKEND_IME2_KEY_MAJOR_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/ime/vmadot.hpp"
#include "tessera/backend/ime2/key_loops_ime.h"
#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/math.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Everything has the bits of the same steps row by row (kernels/attention).
class Ime2KeyMajor {
  using Insn = ime::Vmadot<ime::Element::int8>;
  static constexpr std::size_t register_bytes = 128;
  static constexpr std::size_t tile = 64;   ///< results
  static constexpr std::size_t half = 256;  ///< of a block's scores

 public:
  static constexpr std::size_t queries = 8;
  static constexpr std::size_t keys = 64;
  static constexpr std::size_t stacked_rows = 16;  ///< of a row tile of ImeDot
  /// Of one tile of queries and a group of 32.
  static constexpr std::size_t code_bytes = queries * 32;
  static constexpr std::size_t scale_lanes = tile;
  /// Scales of a block, per group.
  static constexpr std::size_t product_lanes = keys * queries;

  /// Tile `part` (0, 1) of a row tile of ImeDot, whose codes are [group][k step][row][k] and scales [group][row][8]:
  /// codes to [group][k step][query][k], scales to [group][8][query].
  TESSERA_INLINE static void take_tile(const std::int8_t* codes, const float* scales,
                                       std::size_t part, std::size_t groups, std::int8_t* to,
                                       float* lanes) noexcept {
    codes += part * register_bytes;
    scales += part * tile;
    const auto id = __riscv_vid_v_u16m1(tile);
    const auto from = __riscv_vsll(__riscv_vand(id, 7, tile), 3, tile);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto sa = __riscv_vle32_v_f32m2(scales, tile);
      __riscv_vse32(lanes, __riscv_vrgatherei16(sa, from, tile), tile);
      const auto first = ime_load_one<register_bytes>(codes);
      const auto second = ime_load_one<register_bytes>(codes + 2 * register_bytes);
      __riscv_vse8(to, first, register_bytes);
      __riscv_vse8(to + register_bytes, second, register_bytes);
      codes += 4 * register_bytes, scales += 2 * tile, to += code_bytes, lanes += scale_lanes;
    }
  }

  /// products[panel][group][key][query] = halves[group][8 * panel + key] * scales[group][..][query], rounded.
  TESSERA_INLINE static void multiply_scales(const std::uint16_t* halves, const float* scales,
                                             std::size_t groups, float* products) noexcept {
    for (std::size_t g = 0; g < groups; g += 4) {
      const std::size_t vl = groups - g < 4 ? (groups - g) * tile : half;
      const auto d = RvvLanes<8>(vl).load(reinterpret_cast<const Float16*>(halves) + g * keys);
      const auto sa = __riscv_vle32_v_f32m8(scales + g * scale_lanes, vl);
      const auto id = __riscv_vid_v_u16m4(vl);
      auto from = __riscv_vadd(__riscv_vand(id, static_cast<std::uint16_t>(~(keys - 1)), vl),
                               __riscv_vand(__riscv_vsrl(id, 3, vl), 7, vl), vl);
      float* to = products + g * tile;
      unroll<keys / 8>([&](auto) TESSERA_LAMBDA {
        __riscv_vse32(to, __riscv_vfmul(__riscv_vrgatherei16(d, from, vl), sa, vl), vl);
        from = __riscv_vadd(from, 8, vl);
        to += groups * tile;
      });
    }
  }

  /// z[key][query] = the canonical sum of a block of keys, [panel][group][k step][key][k].
  TESSERA_INLINE static void score(const std::int8_t* key_codes, const std::int8_t* query_codes,
                                   const float* products, std::size_t groups, float* zs) noexcept {
    const auto zero = __riscv_vfmv_v_f_f32m8(0.0f, half);
    __riscv_vse32(zs, zero, half);
    __riscv_vse32(zs + half, zero, half);
    const float* const end = zs + 2 * half;
    const std::size_t apart = groups * code_bytes;
    static_assert(code_bytes == tile * sizeof(float));  // scales and keys are as far apart
    for (std::size_t g = 0; g < groups;) {
      const std::int8_t* k = key_codes + g * code_bytes;
      const std::int8_t* const q = query_codes + g * code_bytes;
      const float* s = products + g * tile;
      float* z = zs;
      if (groups - g >= 4) {
        TSR_SMT_KEY_STATEMENT("8", TSR_SMT_KEY_FOUR, TSR_SMT_KEY_ADD_FOUR);
        g += 4;
      } else {
        TSR_SMT_KEY_STATEMENT("2", TSR_SMT_KEY_ONE, TSR_SMT_KEY_ADD_ONE);
        g += 1;
      }
    }
  }

  /// z = exp(z * scale - max) of keys [begin, end), 0 of the others; each query's max and sum.
  TESSERA_NOINLINE static void soften(float* z, float scale, std::size_t begin, std::size_t end,
                                      float* maxima, float* sums) noexcept {
    const RvvLanes<8> d(half);
    auto low = d.rounded(d.mul(scale, d.load(z)));
    auto high = d.rounded(d.mul(scale, d.load(z + half)));
    if (end - begin != keys) {
      d.store(z, low), d.store(z + half, high);
      fill(z, begin * queries);
      fill(z + end * queries, (keys - end) * queries);
      low = d.load(z), high = d.load(z + half);
    }
    const auto largest =
        fold(__riscv_vfmax(low, high, half),
             [](auto x, auto y, std::size_t n) TESSERA_LAMBDA { return __riscv_vfmax(x, y, n); });
    // Of nothing but NaN: -inf. A zero is positive.
    auto origin = __riscv_vfadd(__riscv_vfmax(largest, -infinity, queries), 0.0f, queries);
    __riscv_vse32(maxima, origin, queries);
    origin = __riscv_vfmerge(origin, 0.0f, __riscv_vmfeq(origin, -infinity, queries), queries);
    const auto all = repeated(origin);
    d.store(z, d.sub(low, all));
    d.store(z + half, d.sub(high, all));
    exponentiate(z);
    exponentiate(z + half);
    // Two keys to a virtual lane, then the tree.
    __riscv_vse32(
        sums,
        fold(d.add(d.load(z), d.load(z + half)),
             [](auto x, auto y, std::size_t n) TESSERA_LAMBDA { return __riscv_vfadd(x, y, n); }),
        queries);
  }

  /// out[row][i] = the fma chain over ascending keys of p[key][row] * values[key][i]; values are `step` bytes apart.
  TESSERA_NOINLINE static void weigh(const float* p, const float* values, std::ptrdiff_t step,
                                     std::size_t n, std::size_t rows, std::size_t dv,
                                     float* out) noexcept {
    const std::size_t most = __riscv_vsetvlmax_e32m4();
    for (std::size_t i = 0; i < dv; i += most) {
      const std::size_t columns = dv - i < most ? dv - i : most;
      for (std::size_t r = 0; r < rows; r += 4)
        weigh_rows(p + r, values + i, step, n, rows - r, columns, out + r * dv + i, dv);
    }
  }

 private:
  TESSERA_INLINE static void fill(float* z, std::size_t n) noexcept {
    RvvVectors::for_lanes<8>(
        n, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(z + i, d.set(-infinity)); });
  }
  /// A function of its own: compilers would keep the constants of several in registers, and store them.
  TESSERA_NOINLINE static void exponentiate(float* z) noexcept {
    const RvvLanes<8> d(half);
    d.store(z, exp_below_40(d, d.load(z)));
  }
  /// Eight lanes in a row, all over eight registers.
  TESSERA_INLINE static vfloat32m8_t repeated(vfloat32m1_t eight) noexcept {
    const auto sixteen = __riscv_vslideup(eight, eight, 8, 16);
    const auto r = __riscv_vslideup(sixteen, sixteen, 16, 32);
    return __riscv_vcreate_v_f32m1_f32m8(r, r, r, r, r, r, r, r);
  }
  /// 32 keys to one, by the tree of the virtual lanes.
  template <class F>
  TESSERA_INLINE static vfloat32m1_t fold(vfloat32m8_t a, F f) noexcept {
    const auto by16 =
        f(__riscv_vget_v_f32m8_f32m4(a, 0), __riscv_vget_v_f32m8_f32m4(a, 1), half / 2);
    const auto by8 =
        f(__riscv_vget_v_f32m4_f32m2(by16, 0), __riscv_vget_v_f32m4_f32m2(by16, 1), half / 4);
    const auto by4 =
        f(__riscv_vget_v_f32m2_f32m1(by8, 0), __riscv_vget_v_f32m2_f32m1(by8, 1), half / 8);
    const auto by2 = f(by4, __riscv_vslidedown(by4, 16, 16), 16);
    return f(by2, __riscv_vslidedown(by2, 8, 8), 8);
  }

  /// At most four rows: what others would get is overwritten.
  TESSERA_INLINE static void weigh_rows(const float* p, const float* x, std::ptrdiff_t step,
                                        std::size_t n, std::size_t rows, std::size_t columns,
                                        float* out, std::size_t ld) noexcept {
    const float* const eights = p + n / 8 * 8 * queries;
    const float* const end = p + n * queries;
    float* const o0 = out;
    float* const o1 = rows > 1 ? o0 + ld : o0;
    float* const o2 = rows > 2 ? o1 + ld : o1;
    float* const o3 = rows > 3 ? o2 + ld : o2;
    constexpr std::size_t whole = 4 * register_bytes / sizeof(float);
    if (rows == 1) {
      TSR_SMT_VALUES_STATEMENT(TSR_SMT_VALUE_APART, TSR_SMT_VALUE_ADD_ONE, TSR_SMT_STORE_ONE);
    } else if (columns == whole && step == 4 * register_bytes) {
      TSR_SMT_VALUES_STATEMENT(TSR_SMT_VALUE_PAIR, TSR_SMT_VALUE_ADD_FOUR, TSR_SMT_STORE_FOUR);
    } else {
      TSR_SMT_VALUES_STATEMENT(TSR_SMT_VALUE_APART, TSR_SMT_VALUE_ADD_FOUR, TSR_SMT_STORE_FOUR);
    }
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME2_KEY_MAJOR_HPP_
