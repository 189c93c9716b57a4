// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What xsimd lacks on RVV of a fixed length, by intrinsics.
#ifndef TESSERA_BACKEND_XSIMD_RAW_REGISTER_RVV_HPP_
#define TESSERA_BACKEND_XSIMD_RAW_REGISTER_RVV_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/xsimd/target.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The register, whose origin (a product, maybe) the compiler no longer knows.
TESSERA_INLINE XsimdFloats xsimd_barrier(XsimdFloats v) {
  vfloat32m1_t r = v.data;
  __asm__("" : "+vr"(r));
  return XsimdFloats::register_type(r);
}

/// Consecutive elements to lanes.
TESSERA_INLINE XsimdInts xsimd_widen(const std::uint16_t* p) {
  constexpr std::size_t n = XsimdFloats::size;
  const auto wide = __riscv_vzext_vf2_u32m1(__riscv_vle16_v_u16mf2(p, n), n);
  return XsimdInts::register_type(__riscv_vreinterpret_v_u32m1_i32m1(wide));
}
TESSERA_INLINE XsimdInts xsimd_widen(const std::int8_t* p) {
  constexpr std::size_t n = XsimdFloats::size;
  return XsimdInts::register_type(__riscv_vsext_vf4_i32m1(__riscv_vle8_v_i8mf4(p, n), n));
}

/// The low bits of the lanes to consecutive elements.
TESSERA_INLINE void xsimd_narrow(std::uint16_t* p, XsimdInts v) {
  constexpr std::size_t n = XsimdFloats::size;
  const vint32m1_t wide = v.data;
  const auto half = __riscv_vnsra_wx_i16mf2(wide, 0, n);
  __riscv_vse16_v_i16mf2(reinterpret_cast<std::int16_t*>(p), half, n);
}
TESSERA_INLINE void xsimd_narrow(std::int8_t* p, XsimdInts v) {
  constexpr std::size_t n = XsimdFloats::size;
  const vint32m1_t wide = v.data;
  const auto half = __riscv_vnsra_wx_i16mf2(wide, 0, n);
  __riscv_vse8_v_i8mf4(p, __riscv_vnsra_wx_i8mf4(half, 0, n), n);
}

TESSERA_INLINE XsimdFloats xsimd_fnma(XsimdFloats a, XsimdFloats b, XsimdFloats c) {
  return xs::fnma(a, b, c);
}
TESSERA_INLINE XsimdFloats xsimd_div(XsimdFloats a, XsimdFloats b) {
  return a / b;
}
TESSERA_INLINE XsimdFloats xsimd_sqrt(XsimdFloats a) {
  return xs::sqrt(a);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_RAW_REGISTER_RVV_HPP_
