// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of queries to int8 codes, eight groups of 32 in one vector (VLEN 1024).
#ifndef TESSERA_BACKEND_IME2_QUERY_ROWS_HPP_
#define TESSERA_BACKEND_IME2_QUERY_ROWS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

class Ime2QueryRows {
  static constexpr std::size_t group = 32;

 public:
  /// `count` groups that follow one another to codes and scales, with the bits of quantize_group()
  /// (kernels/matmul). False, and nothing is said of the results, if one is not finite or nearly 0.
  [[nodiscard]] TESSERA_INLINE static bool quantize(const float* x, std::size_t count,
                                                    std::int8_t* codes, float* scales) noexcept {
    for (std::size_t i = 0; i < count; i += 8) {
      const std::size_t n = count - i < 8 ? count - i : 8;
      const std::size_t vl = n * group;
      const auto v = __riscv_vle32_v_f32m8(x + i * group, vl);
      // As integers, magnitudes order like floats, and NaN and infinity come out on top.
      auto largest = __riscv_vand(__riscv_vreinterpret_v_f32m8_u32m8(v), INT32_MAX, vl);
      largest = __riscv_vmaxu(largest, __riscv_vslidedown(largest, 16, vl), vl);
      largest = __riscv_vmaxu(largest, __riscv_vslidedown(largest, 8, vl), vl);
      largest = __riscv_vmaxu(largest, __riscv_vslidedown(largest, 4, vl), vl);
      largest = __riscv_vmaxu(largest, __riscv_vslidedown(largest, 2, vl), vl);
      largest = __riscv_vmaxu(largest, __riscv_vslidedown(largest, 1, vl), vl);
      const auto id = __riscv_vid_v_u16m4(vl);
      const auto of_group =
          __riscv_vlmul_trunc_u32m1(__riscv_vrgatherei16(largest, __riscv_vsll(id, 5, n), n));
      constexpr std::uint32_t least = 0x03800000u;  // 2^-120
      constexpr std::uint32_t infinite = 0x7f800000u;
      const auto off = __riscv_vmsgtu(__riscv_vsub(of_group, least, n), infinite - least - 1, n);
      if (__riscv_vcpop(off, n) != 0) return false;
      const auto d = __riscv_vfdiv(__riscv_vreinterpret_v_u32m1_f32m1(of_group), 127.0f, n);
      __riscv_vse32(scales + i, d, n);
      const auto inverse = __riscv_vlmul_ext_v_f32m1_f32m8(__riscv_vfrdiv(d, 1.0f, n));
      auto scaled =
          __riscv_vfmul(v, __riscv_vrgatherei16(inverse, __riscv_vsrl(id, 5, vl), vl), vl);
      scaled = __riscv_vfmin(__riscv_vfmax(scaled, -127.0f, vl), 127.0f, vl);
      const auto code = __riscv_vncvt_x(__riscv_vfcvt_x(scaled, vl), vl);
      __riscv_vse8(codes + i * group, __riscv_vncvt_x(code, vl), vl);
    }
    return true;
  }

  /// Rows of codes and scales, [row][group], to row tiles of ImeDot: codes [group][k step][row][k], scales
  /// [group][row][8]; rows that are not there are 0.
  TESSERA_INLINE static void stack(const std::int8_t* codes, const float* scales, std::size_t rows,
                                   std::size_t groups, std::int8_t* to, float* lanes) noexcept {
    const auto step = static_cast<std::ptrdiff_t>(groups * group);
    const auto scale_step = static_cast<std::ptrdiff_t>(groups * sizeof(float));
    for (std::size_t left = rows; left != 0; left -= left < tile_rows ? left : tile_rows) {
      const std::size_t n = left < tile_rows ? left : tile_rows;
      if (n != tile_rows)
        for (std::size_t g = 0; g < groups; ++g) {
          const std::size_t vl = tile_rows * group;
          __riscv_vse8(to + g * vl, __riscv_vmv_v_x_i8m8(0, vl), vl);
        }
      for (std::size_t g = 0; g < groups; ++g) {
        const auto* from = reinterpret_cast<const std::uint64_t*>(codes + g * group);
        const auto four = __riscv_vlsseg4e64_v_u64m1x4(from, step, n);
        const auto pair = [&](auto low, auto high, std::int8_t* at) TESSERA_LAMBDA {
          __riscv_vsseg2e64(reinterpret_cast<std::uint64_t*>(at),
                            __riscv_vcreate_v_u64m1x2(low, high), n);
        };
        pair(__riscv_vget_v_u64m1x4_u64m1(four, 0), __riscv_vget_v_u64m1x4_u64m1(four, 1), to);
        pair(__riscv_vget_v_u64m1x4_u64m1(four, 2), __riscv_vget_v_u64m1x4_u64m1(four, 3),
             to + tile_rows * 16);
        const auto of_row = __riscv_vlse32_v_f32m1_tu(__riscv_vfmv_v_f_f32m1(0.0f, tile_rows),
                                                      scales + g, scale_step, n);
        const auto row = __riscv_vsrl(__riscv_vid_v_u16m2(8 * tile_rows), 3, 8 * tile_rows);
        __riscv_vse32(
            lanes,
            __riscv_vrgatherei16(__riscv_vlmul_ext_v_f32m1_f32m4(of_row), row, 8 * tile_rows),
            8 * tile_rows);
        to += tile_rows * group, lanes += 8 * tile_rows;
      }
      codes += static_cast<std::ptrdiff_t>(tile_rows) * step;
      scales += tile_rows * groups;
    }
  }

 private:
  static constexpr std::size_t tile_rows = 16;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME2_QUERY_ROWS_HPP_
