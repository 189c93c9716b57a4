// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Codes that lie token after token, as a KvCache has them, to floats.
#ifndef TESSERA_BACKEND_RVV_CACHE_TOKENS_HPP_
#define TESSERA_BACKEND_RVV_CACHE_TOKENS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Base of the RVV backends' `Vectors`.
struct RvvCacheTokens {
  /// out[j * ld + i] = code i of row j times scales[j][i / 32], for rows that follow one another.
  /// As many floats behind the scales as codes_at_once may be read.
  TESSERA_INLINE static void scale_tokens(const CodeRows& rows, const float* scales, float* out,
                                          std::size_t ld) noexcept {
    const std::size_t row = rows.blocks * CodeRows::block;
    if (ld == row) {
      scale_stretch(rows.codes, scales, rows.count * row, out);
      return;
    }
    for (std::size_t j = 0; j < rows.count; ++j)
      scale_stretch(rows.codes + j * row, scales + j * rows.blocks, row, out + j * ld);
  }
  static constexpr std::size_t codes_at_once = 256;

 private:
  TESSERA_INLINE static void scale_stretch(const std::int8_t* in, const float* scales,
                                           std::size_t n, float* out) noexcept {
    const std::size_t lanes = __riscv_vsetvlmax_e32m8();
    if (lanes >= 4 * CodeRows::block) {
      scale_many(in, scales, n, lanes, out);
    } else {
      scale_pairs(in, scales, n, lanes, out);
    }
  }
  TESSERA_INLINE static vfloat32m8_t codes(const std::int8_t* in, std::size_t vl) noexcept {
    return __riscv_vfcvt_f(__riscv_vsext_vf4(__riscv_vle8_v_i8m2(in, vl), vl), vl);
  }

  /// At least four blocks in one vector: their scales by one permutation.
  TESSERA_INLINE static void scale_many(const std::int8_t* in, const float* scales, std::size_t n,
                                        std::size_t lanes, float* out) noexcept {
    const std::size_t most = lanes < codes_at_once ? lanes : codes_at_once;
    const auto block = __riscv_vsrl(__riscv_vid_v_u16m4(most), 5, most);  // of a lane
    const auto some = [&](std::size_t vl) TESSERA_LAMBDA {
      const auto of_lane = __riscv_vrgatherei16(__riscv_vle32_v_f32m8(scales, vl), block, vl);
      __riscv_vse32(out, __riscv_vfmul(codes(in, vl), of_lane, vl), vl);
    };
    const std::size_t step = most / CodeRows::block;
    for (const float* const end = out + n / most * most; out != end;) {
      some(most);
      in += most, out += most, scales += step;
    }
    if (n % most != 0) some(n % most);
  }

  /// Two blocks in one vector where they fit.
  TESSERA_INLINE static void scale_pairs(const std::int8_t* in, const float* scales, std::size_t n,
                                         std::size_t lanes, float* out) noexcept {
    constexpr std::size_t one = CodeRows::block;
    constexpr std::size_t two = 2 * one;
    if (lanes >= two) {
      const auto upper = __riscv_vmsgtu(__riscv_vid_v_u16m4(two), one - 1, two);
      for (; n >= two; n -= two, in += two, out += two, scales += 2) {
        const auto lower = __riscv_vfmv_v_f_f32m8(scales[0], two);
        const auto of_lane = __riscv_vfmerge(lower, scales[1], upper, two);
        __riscv_vse32(out, __riscv_vfmul(codes(in, two), of_lane, two), two);
      }
    }
    for (; n != 0; n -= one, in += one, out += one, ++scales)
      __riscv_vse32(out, __riscv_vfmul(codes(in, one), scales[0], one), one);
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_CACHE_TOKENS_HPP_
