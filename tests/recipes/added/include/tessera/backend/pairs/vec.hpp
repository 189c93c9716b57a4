// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the pairs backend: scalar's operations on two lanes.
#ifndef TESSERA_BACKEND_PAIRS_VEC_HPP_
#define TESSERA_BACKEND_PAIRS_VEC_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/backend/pack_lanes.hpp"
#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// One register of two lanes.
struct PairRegister {
  using One = ScalarRegister;
  template <class T>
  struct Two {
    T at[2];
  };
  static constexpr std::size_t lanes = 2;
  using V = Two<float>;
  using I = Two<std::int32_t>;
  using K = Two<bool>;

  TESSERA_INLINE static V add(V a, V b) {
    return {{One::add(a.at[0], b.at[0]), One::add(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static V sub(V a, V b) {
    return {{One::sub(a.at[0], b.at[0]), One::sub(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static V mul(V a, V b) {
    return {{One::mul(a.at[0], b.at[0]), One::mul(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static V div(V a, V b) {
    return {{One::div(a.at[0], b.at[0]), One::div(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static V fma(V a, V b, V c) {
    return {{One::fma(a.at[0], b.at[0], c.at[0]), One::fma(a.at[1], b.at[1], c.at[1])}};
  }
  TESSERA_INLINE static V fnma(V a, V b, V c) {
    return {{One::fnma(a.at[0], b.at[0], c.at[0]), One::fnma(a.at[1], b.at[1], c.at[1])}};
  }
  TESSERA_INLINE static V sqrt(V a) { return {{One::sqrt(a.at[0]), One::sqrt(a.at[1])}}; }
  TESSERA_INLINE static V neg(V a) { return {{One::neg(a.at[0]), One::neg(a.at[1])}}; }
  TESSERA_INLINE static V abs(V a) { return {{One::abs(a.at[0]), One::abs(a.at[1])}}; }
  TESSERA_INLINE static V barrier(V a) { return {{One::barrier(a.at[0]), One::barrier(a.at[1])}}; }
  TESSERA_INLINE static K gt(V a, V b) {
    return {{One::gt(a.at[0], b.at[0]), One::gt(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K ge(V a, V b) {
    return {{One::ge(a.at[0], b.at[0]), One::ge(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K lt(V a, V b) {
    return {{One::lt(a.at[0], b.at[0]), One::lt(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K le(V a, V b) {
    return {{One::le(a.at[0], b.at[0]), One::le(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K eq(V a, V b) {
    return {{One::eq(a.at[0], b.at[0]), One::eq(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K igt(I a, I b) {
    return {{One::igt(a.at[0], b.at[0]), One::igt(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K ieq(I a, I b) {
    return {{One::ieq(a.at[0], b.at[0]), One::ieq(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K k_and(K a, K b) {
    return {{One::k_and(a.at[0], b.at[0]), One::k_and(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K k_or(K a, K b) {
    return {{One::k_or(a.at[0], b.at[0]), One::k_or(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static K k_not(K a) { return {{One::k_not(a.at[0]), One::k_not(a.at[1])}}; }
  TESSERA_INLINE static V select(K k, V a, V b) {
    return {{One::select(k.at[0], a.at[0], b.at[0]), One::select(k.at[1], a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I select_i(K k, I a, I b) {
    return {{One::select_i(k.at[0], a.at[0], b.at[0]), One::select_i(k.at[1], a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I bits(V a) { return {{One::bits(a.at[0]), One::bits(a.at[1])}}; }
  TESSERA_INLINE static V from_bits(I a) {
    return {{One::from_bits(a.at[0]), One::from_bits(a.at[1])}};
  }
  TESSERA_INLINE static I iadd(I a, I b) {
    return {{One::iadd(a.at[0], b.at[0]), One::iadd(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I isub(I a, I b) {
    return {{One::isub(a.at[0], b.at[0]), One::isub(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I imul(I a, I b) {
    return {{One::imul(a.at[0], b.at[0]), One::imul(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I iand(I a, I b) {
    return {{One::iand(a.at[0], b.at[0]), One::iand(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I ior(I a, I b) {
    return {{One::ior(a.at[0], b.at[0]), One::ior(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I ixor(I a, I b) {
    return {{One::ixor(a.at[0], b.at[0]), One::ixor(a.at[1], b.at[1])}};
  }
  TESSERA_INLINE static I imax(I a, I b) {
    return {{One::imax(a.at[0], b.at[0]), One::imax(a.at[1], b.at[1])}};
  }
  template <int N>
  TESSERA_INLINE static I shl(I a) {
    return {{One::shl<N>(a.at[0]), One::shl<N>(a.at[1])}};
  }
  template <int N>
  TESSERA_INLINE static I shr(I a) {
    return {{One::shr<N>(a.at[0]), One::shr<N>(a.at[1])}};
  }
  template <int N>
  TESSERA_INLINE static I sra(I a) {
    return {{One::sra<N>(a.at[0]), One::sra<N>(a.at[1])}};
  }
  TESSERA_INLINE static V to_f32(I a) { return {{One::to_f32(a.at[0]), One::to_f32(a.at[1])}}; }
  TESSERA_INLINE static I round_to_i32(V a) {
    return {{One::round_to_i32(a.at[0]), One::round_to_i32(a.at[1])}};
  }
  TESSERA_INLINE static V ldexp(V a, I n) {
    return {{One::ldexp(a.at[0], n.at[0]), One::ldexp(a.at[1], n.at[1])}};
  }

  TESSERA_INLINE static V set(float x) { return {{x, x}}; }
  TESSERA_INLINE static I set_i(std::int32_t x) { return {{x, x}}; }

  TESSERA_INLINE static V load(const float* p) { return {{One::load(p), One::load(p + 1)}}; }
  TESSERA_INLINE static V load_n(const float* p, std::size_t n) {
    return n < 2 ? V{{n == 0 ? 0.0f : One::load(p), 0.0f}} : load(p);
  }
  TESSERA_INLINE static I load(const std::int32_t* p) { return {{One::load(p), One::load(p + 1)}}; }
  TESSERA_INLINE static I load_n(const std::int32_t* p, std::size_t n) {
    return n < 2 ? I{{n == 0 ? 0 : One::load(p), 0}} : load(p);
  }
  TESSERA_INLINE static I load_u16(const std::uint16_t* p) {
    return {{One::load_u16(p), One::load_u16(p + 1)}};
  }
  TESSERA_INLINE static I load_u16_n(const std::uint16_t* p, std::size_t n) {
    return n < 2 ? I{{n == 0 ? 0 : One::load_u16(p), 0}} : load_u16(p);
  }
  TESSERA_INLINE static I load_i8(const std::int8_t* p) {
    return {{One::load_i8(p), One::load_i8(p + 1)}};
  }
  TESSERA_INLINE static I load_i8_n(const std::int8_t* p, std::size_t n) {
    return n < 2 ? I{{n == 0 ? 0 : One::load_i8(p), 0}} : load_i8(p);
  }
  TESSERA_INLINE static void store(float* p, V a) { store_n(p, a, 2); }
  TESSERA_INLINE static void store_n(float* p, V a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) One::store(p + i, a.at[i]);
  }
  TESSERA_INLINE static void store(std::int32_t* p, I a) { store_n(p, a, 2); }
  TESSERA_INLINE static void store_n(std::int32_t* p, I a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) One::store(p + i, a.at[i]);
  }
  TESSERA_INLINE static void store_u16(std::uint16_t* p, I a) { store_u16_n(p, a, 2); }
  TESSERA_INLINE static void store_u16_n(std::uint16_t* p, I a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) One::store_u16(p + i, a.at[i]);
  }
  TESSERA_INLINE static void store_i8(std::int8_t* p, I a) { store_i8_n(p, a, 2); }
  TESSERA_INLINE static void store_i8_n(std::int8_t* p, I a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) One::store_i8(p + i, a.at[i]);
  }
  TESSERA_INLINE static void load_pairs(const float* p, V& even, V& odd) {
    even = {{p[0], p[2]}}, odd = {{p[1], p[3]}};
  }
  TESSERA_INLINE static void store_pairs(float* p, V even, V odd) {
    p[0] = even.at[0], p[1] = odd.at[0], p[2] = even.at[1], p[3] = odd.at[1];
  }
  TESSERA_INLINE static float fold_sum(V a) { return a.at[0] + a.at[1]; }
  TESSERA_INLINE static float fold_max(V a) { return a.at[0] > a.at[1] ? a.at[0] : a.at[1]; }
  TESSERA_INLINE static std::int32_t fold_imax(I a) { return One::imax(a.at[0], a.at[1]); }
};

/// Entry points of the vector layer (core/vector.hpp).
struct PairVectors : PlainMoves {
  static constexpr std::size_t state_registers = 1;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    for_packs<PairRegister, M>(n, body);
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    for_packs<PairRegister, virtual_lanes / PairRegister::lanes>(n, body);
  }
  TESSERA_INLINE static auto full_virtual() noexcept {
    return PackLanes<PairRegister, virtual_lanes / PairRegister::lanes, true>();
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_PAIRS_VEC_HPP_
