// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of a cache into the layouts that attention reads. Rows lie a constant
/// number of bytes apart, at any even address: codes are read as bytes, scales
/// as halves.
#ifndef TESSERA_BACKEND_RVV_CACHE_ROWS_HPP_
#define TESSERA_BACKEND_RVV_CACHE_ROWS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/backend/rvv/cache_tokens.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Base of the RVV backends' `Vectors`; the members' meaning is in
/// backend/moves.hpp.
struct RvvCacheRows : RvvCacheTokens {
  TESSERA_INLINE static void strided_halves(const std::byte* in, std::ptrdiff_t stride,
                                            std::size_t n, std::uint16_t* out) noexcept {
    while (n != 0) {
      const std::size_t vl = __riscv_vsetvl_e16m4(n);
      const auto* from = reinterpret_cast<const std::uint16_t*>(in);
      __riscv_vse16(out, __riscv_vlse16_v_u16m4(from, stride, vl), vl);
      n -= vl, out += vl;
      in += static_cast<std::ptrdiff_t>(vl) * stride;
    }
  }

  template <class T>
  TESSERA_INLINE static void tile_codes(const CodeRows& rows, std::size_t begin,
                                        std::size_t panel_bytes, std::int8_t* out) noexcept {
    CodeRows part = rows;
    for (std::size_t left = rows.count; left != 0; left -= part.count) {
      const std::size_t at = begin % T::n;
      part.count = left < T::n - at ? left : T::n - at;
      std::int8_t* const panel = out + begin / T::n * panel_bytes;
      if constexpr (T::k == 1) {
        columns<T::n>(part, panel + at);
      } else if (part.count == T::n) {
        whole_panel<T>(part, panel);
      } else {
        PlainMoves::tile_codes<T>(part, at, 0, panel);
      }
      part.codes += static_cast<std::ptrdiff_t>(part.count) * part.stride;
      begin += part.count;
    }
  }

  /// Sixteen bytes of each row to 32 levels: the low nibbles less `offset`,
  /// then the high ones.
  TESSERA_INLINE static void nibble_levels(const std::uint8_t* in, std::ptrdiff_t stride,
                                           std::size_t n, int offset, std::int8_t* out) noexcept {
    constexpr std::size_t half = CodeRows::block / 2;
    const auto less = static_cast<std::uint8_t>(offset);
    auto* to = reinterpret_cast<std::uint8_t*>(out);
    for (; n != 0; --n, in += stride, to += CodeRows::block) {
      const auto bytes = __riscv_vle8_v_u8m1(in, half);
      __riscv_vse8(to, __riscv_vsub(__riscv_vand(bytes, 15, half), less, half), half);
      __riscv_vse8(to + half, __riscv_vsub(__riscv_vsrl(bytes, 4, half), less, half), half);
    }
  }

  /// Codes to floats: several blocks in one vector where they fit.
  TESSERA_INLINE static void scale_rows(const CodeRows& rows, const float* scales,
                                        std::size_t scale_ld, float* out, std::size_t ld) noexcept {
    const std::size_t wide = __riscv_vsetvlmax_e32m4() / CodeRows::block;
    std::size_t b = 0;
    for (; wide >= 2 && b < rows.blocks; b += wide)
      scale_wide(rows, b, rows.blocks - b < wide ? rows.blocks - b : wide, scales + b * scale_ld,
                 scale_ld, out + b * CodeRows::block, ld);
    for (; b < rows.blocks; ++b)
      scale_block(rows, b, scales + b * scale_ld, out + b * CodeRows::block, ld);
  }

  /// Does scale_rows() take several blocks at once?
  TESSERA_INLINE static bool decodes_wide() noexcept {
    return __riscv_vsetvlmax_e32m4() >= 2 * CodeRows::block;
  }
  /// out += sum over ascending rows of p[row] * (code * scale), one fma chain
  /// per element.
  TESSERA_INLINE static void weigh_rows(const CodeRows& rows, const float* scales,
                                        std::size_t scale_ld, const float* p, float* out) noexcept {
    for (std::size_t b = 0; b < rows.blocks; ++b, out += CodeRows::block, scales += scale_ld)
      for (std::size_t i = 0; i < CodeRows::block;) {
        const std::size_t vl = __riscv_vsetvl_e32m4(CodeRows::block - i);
        const std::int8_t* in = rows.codes + b * rows.block_stride + i;
        auto sum = __riscv_vle32_v_f32m4(out + i, vl);
        const auto row = [&](std::size_t j) TESSERA_LAMBDA {
          const auto code = __riscv_vsext_vf4(__riscv_vle8_v_i8m1(in, vl), vl);
          // A product with an fma behind it: nothing to contract.
          const auto value = __riscv_vfmul(__riscv_vfcvt_f(code, vl), scales[j], vl);
          sum = __riscv_vfmacc(sum, p[j], value, vl);
          in += rows.stride;
        };
        std::size_t j = 0;
        for (; j + 4 <= rows.count; j += 4) unroll<4>([&](auto k) TESSERA_LAMBDA { row(j + k); });
        for (; j < rows.count; ++j) row(j);
        __riscv_vse32(out + i, sum, vl);
        i += vl;
      }
  }

 private:
  /// One block column, in stretches of LMUL 4.
  TESSERA_INLINE static void scale_block(const CodeRows& rows, std::size_t b, const float* scales,
                                         float* out, std::size_t ld) noexcept {
    for (std::size_t i = 0; i < CodeRows::block;) {
      const std::size_t vl = __riscv_vsetvl_e32m4(CodeRows::block - i);
      const std::int8_t* in = rows.codes + b * rows.block_stride + i;
      float* to = out + i;
      const auto row = [&](std::size_t j) TESSERA_LAMBDA {
        const auto code = __riscv_vsext_vf4(__riscv_vle8_v_i8m1(in, vl), vl);
        __riscv_vse32(to, __riscv_vfmul(__riscv_vfcvt_f(code, vl), scales[j], vl), vl);
        in += rows.stride, to += ld;
      };
      std::size_t j = 0;
      for (; j + 4 <= rows.count; j += 4) {
        unroll<4>([&](auto k) TESSERA_LAMBDA { row(j + k); });
        __asm__(""
                : "+r"(to));  // else each of the rows gets a pointer, and its
                              // increment, of its own
      }
      for (; j < rows.count; ++j) row(j);
      i += vl;
    }
  }

  /// `n` blocks in one vector. Precondition: n * 32 floats fit LMUL 4.
  TESSERA_INLINE static void scale_wide(const CodeRows& rows, std::size_t b, std::size_t n,
                                        const float* scales, std::size_t scale_ld, float* out,
                                        std::size_t ld) noexcept {
    constexpr std::size_t most = 128;  // rows
    const std::size_t codes = n * CodeRows::block;
    const std::size_t bytes = (n - 1) * rows.block_stride + CodeRows::block;
    const auto block = __riscv_vsrl(__riscv_vid_v_u16m2(codes), 5, codes);  // of a lane
    // Where a lane's code lies.
    const auto gaps = static_cast<std::uint8_t>(rows.block_stride - CodeRows::block);
    const auto lane = __riscv_vid_v_u8m2(bytes);
    const auto place = __riscv_vmacc(lane, gaps, __riscv_vsrl(lane, 5, bytes), bytes);
    // A row's scales side by side: a load of them may read as many floats as
    // there are codes.
    float of_row[4 * (most + 2 * CodeRows::block)];
    const std::int8_t* in = rows.codes + b * rows.block_stride;
    for (std::size_t j0 = 0; j0 < rows.count; j0 += most) {
      const std::size_t count = rows.count - j0 < most ? rows.count - j0 : most;
      scales_by_row(scales + j0, scale_ld, n, count, of_row);
      const float* scale = of_row;
      std::size_t j = 0;
      if (codes == __riscv_vsetvlmax_e8m1()) {  // two rows are two whole registers of codes
        const auto both = __riscv_vsrl(__riscv_vid_v_u16m4(2 * codes), 5, 2 * codes);
        for (; j + 2 <= count; j += 2, scale += 2 * n) {
          const auto compact = [&]() TESSERA_LAMBDA {
            const auto row = __riscv_vle8_v_i8m2(in, bytes);
            in += rows.stride;
            return __riscv_vlmul_trunc_i8m1(__riscv_vrgather(row, place, bytes));
          };
          const auto first = compact();
          const auto second = compact();
          auto code = __riscv_vcreate_v_i8m1_i8m2(first, second);
          __asm__("" : "+vr"(code), "+r"(scale));  // as below
          const auto lanes =
              __riscv_vrgatherei16(__riscv_vle32_v_f32m8(scale, 2 * codes), both, 2 * codes);
          const auto wide = __riscv_vfcvt_f(__riscv_vsext_vf4(code, 2 * codes), 2 * codes);
          const auto scaled = __riscv_vfmul(wide, lanes, 2 * codes);
          if (ld == codes) {
            __riscv_vse32(out, scaled, 2 * codes);
          } else {
            __riscv_vse32(out, __riscv_vget_v_f32m8_f32m4(scaled, 0), codes);
            __riscv_vse32(out + ld, __riscv_vget_v_f32m8_f32m4(scaled, 1), codes);
          }
          out += 2 * ld;
        }
      }
      for (; j < count; ++j, in += rows.stride, out += ld, scale += n) {
        const auto row = __riscv_vle8_v_i8m2(in, bytes);
        auto code = __riscv_vlmul_trunc_i8m1(__riscv_vrgather(row, place, bytes));
        // In this order: else vtype is set to bytes, floats and bytes again.
        __asm__("" : "+vr"(code), "+r"(scale));
        const auto lanes = __riscv_vrgatherei16(__riscv_vle32_v_f32m4(scale, codes), block, codes);
        const auto wide = __riscv_vfcvt_f(__riscv_vsext_vf4(code, codes), codes);
        __riscv_vse32(out, __riscv_vfmul(wide, lanes, codes), codes);
      }
    }
  }

  /// to[row][block] = scales[block][row] of n blocks.
  TESSERA_INLINE static void scales_by_row(const float* scales, std::size_t ld, std::size_t n,
                                           std::size_t rows, float* to) noexcept {
    if (n == 4) {
      for (std::size_t j = 0; j < rows;) {
        const std::size_t vl = __riscv_vsetvl_e32m2(rows - j);
        const auto column = [&](std::size_t b) TESSERA_LAMBDA {
          return __riscv_vle32_v_f32m2(scales + b * ld + j, vl);
        };
        __riscv_vsseg4e32(
            to + 4 * j, __riscv_vcreate_v_f32m2x4(column(0), column(1), column(2), column(3)), vl);
        j += vl;
      }
      return;
    }
    const auto step = static_cast<std::ptrdiff_t>(n * sizeof(float));
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t j = 0; j < rows;) {
        const std::size_t vl = __riscv_vsetvl_e32m4(rows - j);
        __riscv_vsse32(to + j * n + b, step, __riscv_vle32_v_f32m4(scales + b * ld + j, vl), vl);
        j += vl;
      }
  }

  /// A panel of columns with one code per step: lanes run across the rows.
  template <std::size_t N>
  TESSERA_INLINE static void columns(const CodeRows& rows, std::int8_t* panel) noexcept {
    for (std::size_t j = 0; j < rows.count;) {
      const std::size_t vl = __riscv_vsetvl_e8m4(rows.count - j);
      const std::int8_t* in = rows.codes + static_cast<std::ptrdiff_t>(j) * rows.stride;
      std::int8_t* to = panel + j;
      for (std::size_t b = 0; b < rows.blocks; ++b, in += rows.block_stride)
        for (std::size_t e = 0; e < CodeRows::block; e += 8)
          unroll<8>([&](auto i) TESSERA_LAMBDA {
            __riscv_vse8(to, __riscv_vlse8_v_i8m4(in + e + i, rows.stride, vl), vl);
            to += N;
          });
      j += vl;
    }
  }

  /// All columns of a panel with pieces of eight codes: one segment store
  /// interleaves them.
  template <class T>
    requires(T::n == 4 && T::k == 8)
  TESSERA_INLINE static void whole_panel(const CodeRows& rows, std::int8_t* panel) noexcept {
    constexpr std::size_t bytes = CodeRows::block;
    const std::int8_t* c0 = rows.codes;
    const std::int8_t* c1 = c0 + rows.stride;
    const std::int8_t* c2 = c1 + rows.stride;
    const std::int8_t* c3 = c2 + rows.stride;
    const std::size_t step = rows.block_stride;
    auto* to = reinterpret_cast<std::int64_t*>(panel);
    const auto column = [](const std::int8_t* in) TESSERA_LAMBDA {
      return __riscv_vreinterpret_i64m2(__riscv_vle8_v_i8m2(in, bytes));
    };
    for (const auto* const end = to + rows.blocks * (T::n * bytes / 8); to != end;
         to += T::n * bytes / 8) {
      __riscv_vsseg4e64(
          to, __riscv_vcreate_v_i64m2x4(column(c0), column(c1), column(c2), column(c3)), bytes / 8);
      c0 += step, c1 += step, c2 += step, c3 += step;
    }
  }

  /// All columns of a panel with pieces of sixteen codes, up to four blocks of
  /// a row at once: the codes of a row fill a register, and one permutation of
  /// eight registers makes the panel. Precondition: VLEN 1024.
  template <class T>
    requires(T::n == 8 && T::k == 16)
  TESSERA_INLINE static void whole_panel(const CodeRows& rows, std::int8_t* panel) noexcept {
    constexpr std::size_t at_once = 4;
    constexpr std::size_t bytes = CodeRows::block;
    const std::size_t most = (at_once - 1) * rows.block_stride + bytes;
    // Where a row's codes lie, without what is between the blocks.
    const auto lane = __riscv_vid_v_u8m2(most);
    const auto gaps = static_cast<std::uint8_t>(rows.block_stride - bytes);
    const auto place = __riscv_vmacc(lane, gaps, __riscv_vsrl(lane, 5, most), most);
    // A panel's 8-byte element [piece][row][half] from [row][piece][half].
    constexpr std::size_t elements = T::n * at_once * bytes / 8;
    const auto to = __riscv_vid_v_u16m2(elements);
    auto from = __riscv_vand(to, 1, elements);
    from =
        __riscv_vmacc(from, 16, __riscv_vand(__riscv_vsrl(to, 1, elements), 7, elements), elements);
    from = __riscv_vmacc(from, 2, __riscv_vsrl(to, 4, elements), elements);
    for (std::size_t b = 0; b < rows.blocks; b += at_once) {
      const std::size_t n = rows.blocks - b < at_once ? rows.blocks - b : at_once;
      const std::size_t length = (n - 1) * rows.block_stride + bytes;
      const std::int8_t* in = rows.codes + b * rows.block_stride;
      const auto column = [&]() TESSERA_LAMBDA {
        const auto row = __riscv_vle8_v_i8m2(in, length);
        in += rows.stride;
        return __riscv_vlmul_trunc_i8m1(__riscv_vrgather(row, place, length));
      };
      auto all = __riscv_vundefined_i8m8();
      unroll<8>([&](auto j)
                    TESSERA_LAMBDA { all = __riscv_vset(all, decltype(j)::value, column()); });
      const auto tile = __riscv_vrgatherei16(__riscv_vreinterpret_i64m8(all), from, elements);
      __riscv_vse64(reinterpret_cast<std::int64_t*>(panel + b * T::n * bytes), tile,
                    n * T::n * bytes / 8);
    }
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_CACHE_ROWS_HPP_
