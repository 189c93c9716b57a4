// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the scalar backend: one lane a register. It is the definition.
#ifndef TESSERA_BACKEND_SCALAR_VEC_HPP_
#define TESSERA_BACKEND_SCALAR_VEC_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/backend/pack_lanes.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/rounded.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// IEEE square root without a libm call: compilers emit one for errno, and a kernel needs no libm.
TESSERA_INLINE float scalar_sqrt(float x) noexcept {
#if defined(__x86_64__)
  float r;
#if defined(__AVX__)
  // The form without a V waits for the upper halves of the registers: 80 ns on a Zen core.
  __asm__("vsqrtss %1, %1, %0" : "=x"(r) : "x"(x));
#else
  __asm__("sqrtss %1, %0" : "=x"(r) : "x"(x));
#endif
  return r;
#elif defined(__riscv_flen)
  float r;
  __asm__("fsqrt.s %0, %1" : "=f"(r) : "f"(x));
  return r;
#elif defined(__aarch64__)
  float r;
  __asm__("fsqrt %s0, %s1" : "=w"(r) : "w"(x));
  return r;
#else
  return __builtin_sqrtf(x);
#endif
}

}  // namespace detail

/// One register of one lane.
struct ScalarRegister {
  static constexpr std::size_t lanes = 1;
  using V = float;
  using I = std::int32_t;
  using K = bool;

  TESSERA_INLINE static V load(const float* p) { return *p; }
  TESSERA_INLINE static I load(const std::int32_t* p) { return *p; }
  TESSERA_INLINE static I load_u16(const std::uint16_t* p) { return *p; }
  TESSERA_INLINE static I load_i8(const std::int8_t* p) { return *p; }
  TESSERA_INLINE static void store(float* p, V a) { *p = a; }
  TESSERA_INLINE static void store(std::int32_t* p, I a) { *p = a; }
  TESSERA_INLINE static void store_u16(std::uint16_t* p, I a) {
    *p = static_cast<std::uint16_t>(a);
  }
  TESSERA_INLINE static void store_i8(std::int8_t* p, I a) { *p = static_cast<std::int8_t>(a); }
  // A register of one lane is never partly active: these complete the interface.
  TESSERA_INLINE static V load_n(const float* p, std::size_t) { return *p; }
  TESSERA_INLINE static I load_n(const std::int32_t* p, std::size_t) { return *p; }
  TESSERA_INLINE static I load_u16_n(const std::uint16_t* p, std::size_t) { return *p; }
  TESSERA_INLINE static I load_i8_n(const std::int8_t* p, std::size_t) { return *p; }
  TESSERA_INLINE static void store_n(float* p, V a, std::size_t n) {
    if (n != 0) *p = a;
  }
  TESSERA_INLINE static void store_n(std::int32_t* p, I a, std::size_t) { *p = a; }
  TESSERA_INLINE static void store_u16_n(std::uint16_t* p, I a, std::size_t) { store_u16(p, a); }
  TESSERA_INLINE static void store_i8_n(std::int8_t* p, I a, std::size_t) { store_i8(p, a); }
  TESSERA_INLINE static void load_pairs(const float* p, V& even, V& odd) {
    even = p[0], odd = p[1];
  }
  TESSERA_INLINE static void store_pairs(float* p, V even, V odd) { p[0] = even, p[1] = odd; }

  TESSERA_INLINE static V set(float x) { return x; }
  TESSERA_INLINE static I set_i(std::int32_t x) { return x; }
  TESSERA_INLINE static V add(V a, V b) { return a + b; }
  TESSERA_INLINE static V sub(V a, V b) { return a - b; }
  TESSERA_INLINE static V mul(V a, V b) { return a * b; }
  TESSERA_INLINE static V fma(V a, V b, V c) { return tessera::fma(a, b, c); }
  TESSERA_INLINE static V fnma(V a, V b, V c) { return tessera::fma(-a, b, c); }
  TESSERA_INLINE static V div(V a, V b) { return a / b; }
  TESSERA_INLINE static V sqrt(V a) { return detail::scalar_sqrt(a); }
  TESSERA_INLINE static V neg(V a) { return tessera::from_bits(bits_of(a) ^ 0x80000000u); }
  TESSERA_INLINE static V abs(V a) { return tessera::from_bits(bits_of(a) & 0x7fffffffu); }
  TESSERA_INLINE static V barrier(V a) { return tessera::rounded(a); }
  TESSERA_INLINE static K gt(V a, V b) { return a > b; }
  TESSERA_INLINE static K ge(V a, V b) { return a >= b; }
  TESSERA_INLINE static K lt(V a, V b) { return a < b; }
  TESSERA_INLINE static K le(V a, V b) { return a <= b; }
  TESSERA_INLINE static K eq(V a, V b) { return a == b; }
  TESSERA_INLINE static K igt(I a, I b) { return a > b; }
  TESSERA_INLINE static K ieq(I a, I b) { return a == b; }
  TESSERA_INLINE static K k_and(K a, K b) { return a && b; }
  TESSERA_INLINE static K k_or(K a, K b) { return a || b; }
  TESSERA_INLINE static K k_not(K a) { return !a; }
  TESSERA_INLINE static V select(K k, V a, V b) { return k ? a : b; }
  TESSERA_INLINE static I select_i(K k, I a, I b) { return k ? a : b; }
  TESSERA_INLINE static I bits(V a) { return __builtin_bit_cast(std::int32_t, a); }
  TESSERA_INLINE static V from_bits(I a) { return __builtin_bit_cast(float, a); }
  TESSERA_INLINE static I iadd(I a, I b) { return wrap(unsign(a) + unsign(b)); }
  TESSERA_INLINE static I isub(I a, I b) { return wrap(unsign(a) - unsign(b)); }
  TESSERA_INLINE static I imul(I a, I b) { return wrap(unsign(a) * unsign(b)); }
  TESSERA_INLINE static I iand(I a, I b) { return a & b; }
  TESSERA_INLINE static I ior(I a, I b) { return a | b; }
  TESSERA_INLINE static I ixor(I a, I b) { return a ^ b; }
  TESSERA_INLINE static I imax(I a, I b) { return a > b ? a : b; }
  template <int N>
  TESSERA_INLINE static I shl(I a) {
    return wrap(unsign(a) << N);
  }
  template <int N>
  TESSERA_INLINE static I shr(I a) {
    return wrap(unsign(a) >> N);
  }
  template <int N>
  TESSERA_INLINE static I sra(I a) {
    return a >> N;
  }
  TESSERA_INLINE static V to_f32(I a) { return static_cast<float>(a); }
  TESSERA_INLINE static I round_to_i32(V a) {
    // In double the sum with 1.5 * 2^52 has the nearest integer, ties to even, in its low bits.
    const double shifted = tessera::rounded(static_cast<double>(a) + 0x1.8p52);
    return wrap(static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, shifted)));
  }
  TESSERA_INLINE static V ldexp(V a, I n) {
    const I half = n >> 1;  // two steps: 2^n itself may not be a float; only the last one rounds
    return tessera::rounded(tessera::rounded(a * power_of_two(half)) * power_of_two(n - half));
  }
  TESSERA_INLINE static float fold_sum(V a) { return a; }
  TESSERA_INLINE static float fold_max(V a) { return a; }
  TESSERA_INLINE static std::int32_t fold_imax(I a) { return a; }

 private:
  TESSERA_INLINE static std::uint32_t unsign(I a) { return static_cast<std::uint32_t>(a); }
  TESSERA_INLINE static I wrap(std::uint32_t a) { return static_cast<std::int32_t>(a); }
  TESSERA_INLINE static float power_of_two(I n) {
    return tessera::from_bits(static_cast<std::uint32_t>(n + 127) << 23);
  }
};

/// Entry points of the vector layer (core/vector.hpp).
struct ScalarVectors : PlainMoves {
  static constexpr std::size_t state_registers = 1;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    for_packs<ScalarRegister, 1>(n, body);
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    for_packs<ScalarRegister, virtual_lanes>(n, body);
  }
  TESSERA_INLINE static auto full_virtual() noexcept {
    return PackLanes<ScalarRegister, virtual_lanes, true>();
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_SCALAR_VEC_HPP_
