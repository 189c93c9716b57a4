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

TESSERA_ISA_NAMESPACE_BEGIN

struct RvvCodes {
  TESSERA_INLINE static void unpack(const std::uint8_t* low, std::size_t low_shift,
                                    const std::uint8_t* high, std::size_t high_shift,
                                    const internal::LinearCodes& codes, std::size_t n,
                                    std::int8_t* out) noexcept {
    const auto low_mask = static_cast<std::uint8_t>((1u << codes.low_bits) - 1);
    const auto high_mask = static_cast<std::uint8_t>((1u << codes.high_bits) - 1);
    auto* const levels = reinterpret_cast<std::uint8_t*>(out);
    for (std::size_t i = 0, vl = 0; i < n; i += vl) {
      vl = __riscv_vsetvl_e8m4(n - i);
      auto code = __riscv_vle8_v_u8m4(low + i, vl);
      code = __riscv_vand(__riscv_vsrl(code, low_shift, vl), low_mask, vl);
      if (codes.high_bits != 0) {
        auto more = __riscv_vle8_v_u8m4(high + i, vl);
        more = __riscv_vand(__riscv_vsrl(more, high_shift, vl), high_mask, vl);
        code = __riscv_vor(code, __riscv_vsll(more, codes.low_bits, vl), vl);
      }
      if (codes.gain != 1) code = __riscv_vmul(code, static_cast<std::uint8_t>(codes.gain), vl);
      __riscv_vse8(levels + i, __riscv_vsub(code, static_cast<std::uint8_t>(codes.offset), vl), vl);
    }
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_CODES_HPP_
