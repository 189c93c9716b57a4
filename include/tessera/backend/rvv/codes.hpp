// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Packed codes to int8 levels in vectors of bytes (tile/linear_codes.hpp). Written out, because GCC 14
/// at -O2 makes no vectors of such loops.
#ifndef TESSERA_BACKEND_RVV_CODES_HPP_
#define TESSERA_BACKEND_RVV_CODES_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/tile/linear_codes.hpp"
#include "tessera/tile/panel_layout.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

class RvvCodes {
  using LinearCodes = internal::LinearCodes;
  static constexpr std::size_t slice_elements = internal::slice_elements;

 public:
  TESSERA_INLINE static void unpack(const LinearCodes& codes, const std::uint8_t* slice,
                                    std::size_t slice_bytes, std::size_t slices,
                                    std::size_t columns, std::int8_t* out) noexcept {
    auto* levels = reinterpret_cast<std::uint8_t*>(out);
    if (codes.low_bits == 4 && codes.high_bits == 0 && codes.gain == 1)
      return nibbles(codes, slice, slice_bytes, slices, columns * slice_elements / 2, levels);
    for (std::size_t s = 0; s < slices; ++s, slice += slice_bytes)
      levels = planes(codes, slice, columns, levels);
  }

 private:
  /// `half` bytes a slice: the low nibbles, then the high ones.
  TESSERA_INLINE static void nibbles(const LinearCodes& codes, const std::uint8_t* slice,
                                     std::size_t slice_bytes, std::size_t slices, std::size_t half,
                                     std::uint8_t* levels) noexcept {
    const auto offset = static_cast<std::uint8_t>(codes.offset);
    const std::size_t all = __riscv_vsetvl_e8m8(half);
    if (all == half) {
      for (std::size_t s = 0; s < slices; ++s, slice += slice_bytes, levels += 2 * half) {
        const auto bytes = __riscv_vle8_v_u8m8(slice, all);
        __riscv_vse8(levels, __riscv_vsub(__riscv_vand(bytes, 15, all), offset, all), all);
        __riscv_vse8(levels + half, __riscv_vsub(__riscv_vsrl(bytes, 4, all), offset, all), all);
      }
      return;
    }
    for (std::size_t s = 0; s < slices; ++s, slice += slice_bytes, levels += 2 * half) {
      std::size_t vl = 0;
      for (std::size_t i = 0; i < half; i += vl) {
        vl = __riscv_vsetvl_e8m8(half - i);
        const auto bytes = __riscv_vle8_v_u8m8(slice + i, vl);
        __riscv_vse8(levels + i, __riscv_vsub(__riscv_vand(bytes, 15, vl), offset, vl), vl);
        __riscv_vse8(levels + half + i, __riscv_vsub(__riscv_vsrl(bytes, 4, vl), offset, vl), vl);
      }
    }
  }

  /// One slice of any planes; returns the end of its levels.
  TESSERA_INLINE static std::uint8_t* planes(const LinearCodes& codes, const std::uint8_t* slice,
                                             std::size_t columns, std::uint8_t* levels) noexcept {
    const std::size_t least = codes.least();
    const std::size_t parts_per_low =
        codes.low_bits / least;  // finest parts in one of the low plane
    const std::size_t length = columns * slice_elements * least / 8;  // of a finest part
    const std::uint8_t* high = slice + columns * slice_elements * codes.low_bits / 8;
    const auto low_mask = static_cast<std::uint8_t>((1u << codes.low_bits) - 1);
    const auto high_mask = static_cast<std::uint8_t>((1u << codes.high_bits) - 1);
    for (std::size_t p = 0; p < 8 / least; ++p, levels += length) {
      const std::uint8_t* low = slice + p % parts_per_low * length;
      std::size_t vl = 0;
      for (std::size_t i = 0; i < length; i += vl) {
        vl = __riscv_vsetvl_e8m4(length - i);
        auto code = __riscv_vle8_v_u8m4(low + i, vl);
        code = __riscv_vsrl(code, p / parts_per_low * codes.low_bits, vl);
        code = __riscv_vand(code, low_mask, vl);
        if (codes.high_bits != 0) {
          auto more = __riscv_vsrl(__riscv_vle8_v_u8m4(high + i, vl), p * least, vl);
          more = __riscv_vsll(__riscv_vand(more, high_mask, vl), codes.low_bits, vl);
          code = __riscv_vor(code, more, vl);
        }
        if (codes.gain != 1) code = __riscv_vmul(code, static_cast<std::uint8_t>(codes.gain), vl);
        code = __riscv_vsub(code, static_cast<std::uint8_t>(codes.offset), vl);
        __riscv_vse8(levels + i, code, vl);
      }
    }
    return levels;
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_CODES_HPP_
