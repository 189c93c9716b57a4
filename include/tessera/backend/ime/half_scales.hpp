// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// f16 scales of panels to f32 scales as blocks read them: a panel's columns repeated through a register. Moved as
/// 16-bit values, four columns an element.
#ifndef TESSERA_BACKEND_IME_HALF_SCALES_HPP_
#define TESSERA_BACKEND_IME_HALF_SCALES_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// to[group][8] = [4] twice, of one panel of four columns; 8-byte aligned.
TESSERA_INLINE void ime_repeat_four(const std::byte* halves, std::size_t groups,
                                    std::int16_t* to) noexcept {
  std::size_t vl = 0;
  for (std::size_t g = 0; g < groups; g += vl) {
    vl = __riscv_vsetvl_e64m4(groups - g);
    const auto four = __riscv_vle64_v_u64m4(reinterpret_cast<const std::uint64_t*>(halves) + g, vl);
    __riscv_vsseg2e64(reinterpret_cast<std::uint64_t*>(to + 8 * g),
                      __riscv_vcreate_v_u64m4x2(four, four), vl);
  }
}
/// to[group][32] = [8] four times, of one panel of eight columns; 8-byte aligned.
TESSERA_INLINE void ime_repeat_eight(const std::byte* halves, std::size_t groups,
                                     std::int16_t* to) noexcept {
  std::size_t vl = 0;
  for (std::size_t g = 0; g < groups; g += vl) {
    vl = __riscv_vsetvl_e64m1(groups - g);
    const auto eight =
        __riscv_vlseg2e64_v_u64m1x2(reinterpret_cast<const std::uint64_t*>(halves) + 2 * g, vl);
    const auto low = __riscv_vget_v_u64m1x2_u64m1(eight, 0);
    const auto high = __riscv_vget_v_u64m1x2_u64m1(eight, 1);
    __riscv_vsseg8e64(reinterpret_cast<std::uint64_t*>(to + 32 * g),
                      __riscv_vcreate_v_u64m1x8(low, high, low, high, low, high, low, high), vl);
  }
}

/// `count` halves to floats, exact: finite ones by one product; all one by one, if any is not.
TESSERA_INLINE void ime_halves_to_floats(const std::int16_t* halves, std::size_t count,
                                         float* floats) noexcept {
  std::size_t vl = __riscv_vsetvlmax_e32m8();
  auto largest = __riscv_vmv_v_x_u32m8(0, vl);
  for (std::size_t i = 0; i < count; i += vl) {
    vl = __riscv_vsetvl_e32m8(count - i);
    // Sign and magnitude, whose exponent is off by 112.
    const auto wide = __riscv_vsext_vf2_i32m8(__riscv_vle16_v_i16m4(halves + i, vl), vl);
    const auto bits = __riscv_vreinterpret_v_i32m8_u32m8(
        __riscv_vand(__riscv_vsll(wide, 13, vl), static_cast<std::int32_t>(0x8fffe000), vl));
    largest = __riscv_vmaxu_tu(largest, largest, __riscv_vsll(bits, 1, vl), vl);
    __riscv_vse32(floats + i, __riscv_vfmul(__riscv_vreinterpret_v_u32m8_f32m8(bits), 0x1p112f, vl),
                  vl);
  }
  vl = __riscv_vsetvlmax_e32m8();
  if (__riscv_vcpop(__riscv_vmsgtu(largest, 0x1effffff, vl), vl) == 0) return;
  for (std::size_t i = 0; i < count; ++i)
    floats[i] = to_float(Float16{static_cast<std::uint16_t>(halves[i])});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_IME_HALF_SCALES_HPP_
