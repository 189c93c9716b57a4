// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a lanes object of LMUL registers needs to spell with a type in its name; all other intrinsics
/// are overloaded.
#ifndef TESSERA_BACKEND_RVV_TYPES_HPP_
#define TESSERA_BACKEND_RVV_TYPES_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Types and typed intrinsics of vectors of 32-bit lanes in groups of LMUL registers.
template <int LMUL>
struct RvvTypes;

template <>
struct RvvTypes<1> {
  using F32 = vfloat32m1_t;
  using I32 = vint32m1_t;
  using U32 = vuint32m1_t;
  using I16 = vint16mf2_t;
  using Mask = vbool32_t;

  TESSERA_INLINE static std::size_t setvl(std::size_t n) { return __riscv_vsetvl_e32m1(n); }
  TESSERA_INLINE static F32 load(const float* p, std::size_t vl) {
    return __riscv_vle32_v_f32m1(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int32_t* p, std::size_t vl) {
    return __riscv_vle32_v_i32m1(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf4(__riscv_vle8_v_i8mf4(p, vl), vl);
  }
  TESSERA_INLINE static U32 load(const std::uint16_t* p, std::size_t vl) {
    return __riscv_vzext_vf2(__riscv_vle16_v_u16mf2(p, vl), vl);
  }
  TESSERA_INLINE static I32 load(const std::int16_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle16_v_i16mf2(p, vl), vl);
  }
  TESSERA_INLINE static I16 load_i16(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle8_v_i8mf4(p, vl), vl);
  }
#if TESSERA_HAS_ZVFH
  TESSERA_INLINE static F32 load_f16(const std::uint16_t* p, std::size_t vl) {
    const auto codes = __riscv_vle16_v_u16mf2(p, vl);
    return __riscv_vfwcvt_f(__riscv_vreinterpret_f16mf2(codes), vl);
  }
#endif
  TESSERA_INLINE static F32 set(float x, std::size_t vl) { return __riscv_vfmv_v_f_f32m1(x, vl); }
  TESSERA_INLINE static I32 set(std::int32_t x, std::size_t vl) {
    return __riscv_vmv_v_x_i32m1(x, vl);
  }
  template <class V>
  TESSERA_INLINE static F32 f32(V v) {
    return __riscv_vreinterpret_f32m1(v);
  }
  template <class V>
  TESSERA_INLINE static I32 i32(V v) {
    return __riscv_vreinterpret_i32m1(v);
  }
  template <class V>
  TESSERA_INLINE static U32 u32(V v) {
    return __riscv_vreinterpret_u32m1(v);
  }
};

template <>
struct RvvTypes<2> {
  using F32 = vfloat32m2_t;
  using I32 = vint32m2_t;
  using U32 = vuint32m2_t;
  using I16 = vint16m1_t;
  using Mask = vbool16_t;

  TESSERA_INLINE static std::size_t setvl(std::size_t n) { return __riscv_vsetvl_e32m2(n); }
  TESSERA_INLINE static F32 load(const float* p, std::size_t vl) {
    return __riscv_vle32_v_f32m2(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int32_t* p, std::size_t vl) {
    return __riscv_vle32_v_i32m2(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf4(__riscv_vle8_v_i8mf2(p, vl), vl);
  }
  TESSERA_INLINE static U32 load(const std::uint16_t* p, std::size_t vl) {
    return __riscv_vzext_vf2(__riscv_vle16_v_u16m1(p, vl), vl);
  }
  TESSERA_INLINE static I32 load(const std::int16_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle16_v_i16m1(p, vl), vl);
  }
  TESSERA_INLINE static I16 load_i16(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle8_v_i8mf2(p, vl), vl);
  }
#if TESSERA_HAS_ZVFH
  TESSERA_INLINE static F32 load_f16(const std::uint16_t* p, std::size_t vl) {
    const auto codes = __riscv_vle16_v_u16m1(p, vl);
    return __riscv_vfwcvt_f(__riscv_vreinterpret_f16m1(codes), vl);
  }
#endif
  TESSERA_INLINE static F32 set(float x, std::size_t vl) { return __riscv_vfmv_v_f_f32m2(x, vl); }
  TESSERA_INLINE static I32 set(std::int32_t x, std::size_t vl) {
    return __riscv_vmv_v_x_i32m2(x, vl);
  }
  template <class V>
  TESSERA_INLINE static F32 f32(V v) {
    return __riscv_vreinterpret_f32m2(v);
  }
  template <class V>
  TESSERA_INLINE static I32 i32(V v) {
    return __riscv_vreinterpret_i32m2(v);
  }
  template <class V>
  TESSERA_INLINE static U32 u32(V v) {
    return __riscv_vreinterpret_u32m2(v);
  }
};

template <>
struct RvvTypes<4> {
  using F32 = vfloat32m4_t;
  using I32 = vint32m4_t;
  using U32 = vuint32m4_t;
  using I16 = vint16m2_t;
  using Mask = vbool8_t;

  TESSERA_INLINE static std::size_t setvl(std::size_t n) { return __riscv_vsetvl_e32m4(n); }
  TESSERA_INLINE static F32 load(const float* p, std::size_t vl) {
    return __riscv_vle32_v_f32m4(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int32_t* p, std::size_t vl) {
    return __riscv_vle32_v_i32m4(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf4(__riscv_vle8_v_i8m1(p, vl), vl);
  }
  TESSERA_INLINE static U32 load(const std::uint16_t* p, std::size_t vl) {
    return __riscv_vzext_vf2(__riscv_vle16_v_u16m2(p, vl), vl);
  }
  TESSERA_INLINE static I32 load(const std::int16_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle16_v_i16m2(p, vl), vl);
  }
  TESSERA_INLINE static I16 load_i16(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle8_v_i8m1(p, vl), vl);
  }
#if TESSERA_HAS_ZVFH
  TESSERA_INLINE static F32 load_f16(const std::uint16_t* p, std::size_t vl) {
    const auto codes = __riscv_vle16_v_u16m2(p, vl);
    return __riscv_vfwcvt_f(__riscv_vreinterpret_f16m2(codes), vl);
  }
#endif
  TESSERA_INLINE static F32 set(float x, std::size_t vl) { return __riscv_vfmv_v_f_f32m4(x, vl); }
  TESSERA_INLINE static I32 set(std::int32_t x, std::size_t vl) {
    return __riscv_vmv_v_x_i32m4(x, vl);
  }
  template <class V>
  TESSERA_INLINE static F32 f32(V v) {
    return __riscv_vreinterpret_f32m4(v);
  }
  template <class V>
  TESSERA_INLINE static I32 i32(V v) {
    return __riscv_vreinterpret_i32m4(v);
  }
  template <class V>
  TESSERA_INLINE static U32 u32(V v) {
    return __riscv_vreinterpret_u32m4(v);
  }
};

template <>
struct RvvTypes<8> {
  using F32 = vfloat32m8_t;
  using I32 = vint32m8_t;
  using U32 = vuint32m8_t;
  using I16 = vint16m4_t;
  using Mask = vbool4_t;

  TESSERA_INLINE static std::size_t setvl(std::size_t n) { return __riscv_vsetvl_e32m8(n); }
  TESSERA_INLINE static F32 load(const float* p, std::size_t vl) {
    return __riscv_vle32_v_f32m8(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int32_t* p, std::size_t vl) {
    return __riscv_vle32_v_i32m8(p, vl);
  }
  TESSERA_INLINE static I32 load(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf4(__riscv_vle8_v_i8m2(p, vl), vl);
  }
  TESSERA_INLINE static U32 load(const std::uint16_t* p, std::size_t vl) {
    return __riscv_vzext_vf2(__riscv_vle16_v_u16m4(p, vl), vl);
  }
  TESSERA_INLINE static I32 load(const std::int16_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle16_v_i16m4(p, vl), vl);
  }
  TESSERA_INLINE static I16 load_i16(const std::int8_t* p, std::size_t vl) {
    return __riscv_vsext_vf2(__riscv_vle8_v_i8m2(p, vl), vl);
  }
#if TESSERA_HAS_ZVFH
  TESSERA_INLINE static F32 load_f16(const std::uint16_t* p, std::size_t vl) {
    const auto codes = __riscv_vle16_v_u16m4(p, vl);
    return __riscv_vfwcvt_f(__riscv_vreinterpret_f16m4(codes), vl);
  }
#endif
  TESSERA_INLINE static F32 set(float x, std::size_t vl) { return __riscv_vfmv_v_f_f32m8(x, vl); }
  TESSERA_INLINE static I32 set(std::int32_t x, std::size_t vl) {
    return __riscv_vmv_v_x_i32m8(x, vl);
  }
  template <class V>
  TESSERA_INLINE static F32 f32(V v) {
    return __riscv_vreinterpret_f32m8(v);
  }
  template <class V>
  TESSERA_INLINE static I32 i32(V v) {
    return __riscv_vreinterpret_i32m8(v);
  }
  template <class V>
  TESSERA_INLINE static U32 u32(V v) {
    return __riscv_vreinterpret_u32m8(v);
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_TYPES_HPP_
