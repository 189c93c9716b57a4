// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One Highway vector of f32 or i32 where its size is a compile-time constant (x86, AArch64).
#ifndef TESSERA_BACKEND_HWY_REGISTER_HPP_
#define TESSERA_BACKEND_HWY_REGISTER_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/hwy/raw_register.hpp"
#include "tessera/backend/hwy/target.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The widest vector of the target (backend/pack_lanes.hpp has the meaning of the members).
class HwyRegister {
  using DF = hn::ScalableTag<float>;
  using DI = hn::RebindToSigned<DF>;
  using DU = hn::RebindToUnsigned<DF>;
  using DU16 = hn::Rebind<std::uint16_t, DF>;
  using DU8 = hn::Rebind<std::uint8_t, DF>;
  using DI8 = hn::Rebind<std::int8_t, DF>;

 public:
  static constexpr std::size_t lanes = hn::MaxLanes(DF());
  using V = hn::VFromD<DF>;
  using I = hn::VFromD<DI>;
  using K = hn::MFromD<DF>;

  TESSERA_INLINE static V load(const float* p) { return hn::LoadU(DF(), p); }
  TESSERA_INLINE static I load(const std::int32_t* p) { return hn::LoadU(DI(), p); }
  TESSERA_INLINE static I load_u16(const std::uint16_t* p) {
    return hn::PromoteTo(DI(), hn::LoadU(DU16(), p));
  }
  TESSERA_INLINE static I load_i8(const std::int8_t* p) {
    return hn::PromoteTo(DI(), hn::LoadU(DI8(), p));
  }
  TESSERA_INLINE static V load_n(const float* p, std::size_t n) { return hn::LoadN(DF(), p, n); }
  TESSERA_INLINE static I load_n(const std::int32_t* p, std::size_t n) {
    return hn::LoadN(DI(), p, n);
  }
  TESSERA_INLINE static I load_u16_n(const std::uint16_t* p, std::size_t n) {
    return hn::PromoteTo(DI(), hn::LoadN(DU16(), p, n));
  }
  TESSERA_INLINE static I load_i8_n(const std::int8_t* p, std::size_t n) {
    return hn::PromoteTo(DI(), hn::LoadN(DI8(), p, n));
  }
#if HWY_ARCH_X86
  TESSERA_INLINE static V load_f16(const std::uint16_t* p) {
    return hwy_from_f16<V>(hn::LoadU(DU16(), p));
  }
  TESSERA_INLINE static V load_f16_n(const std::uint16_t* p, std::size_t n) {
    return hwy_from_f16<V>(hn::LoadN(DU16(), p, n));
  }
#endif
  TESSERA_INLINE static void store(float* p, V a) { hn::StoreU(a, DF(), p); }
  TESSERA_INLINE static void store(std::int32_t* p, I a) { hn::StoreU(a, DI(), p); }
  TESSERA_INLINE static void store_u16(std::uint16_t* p, I a) {
    hn::StoreU(low_half(a), DU16(), p);
  }
  TESSERA_INLINE static void store_i8(std::int8_t* p, I a) { hn::StoreU(low_byte(a), DI8(), p); }
  TESSERA_INLINE static void store_n(float* p, V a, std::size_t n) { hn::StoreN(a, DF(), p, n); }
  TESSERA_INLINE static void store_n(std::int32_t* p, I a, std::size_t n) {
    hn::StoreN(a, DI(), p, n);
  }
  TESSERA_INLINE static void store_u16_n(std::uint16_t* p, I a, std::size_t n) {
    hn::StoreN(low_half(a), DU16(), p, n);
  }
  TESSERA_INLINE static void store_i8_n(std::int8_t* p, I a, std::size_t n) {
    hn::StoreN(low_byte(a), DI8(), p, n);
  }
  TESSERA_INLINE static void load_pairs(const float* p, V& even, V& odd) {
    hn::LoadInterleaved2(DF(), p, even, odd);
  }
  TESSERA_INLINE static void store_pairs(float* p, V even, V odd) {
    hn::StoreInterleaved2(even, odd, DF(), p);
  }

  TESSERA_INLINE static V set(float x) { return hn::Set(DF(), x); }
  TESSERA_INLINE static I set_i(std::int32_t x) { return hn::Set(DI(), x); }
  TESSERA_INLINE static V add(V a, V b) { return hn::Add(a, b); }
  TESSERA_INLINE static V sub(V a, V b) { return hn::Sub(a, b); }
  TESSERA_INLINE static V mul(V a, V b) { return hn::Mul(a, b); }
  TESSERA_INLINE static V fma(V a, V b, V c) { return hn::MulAdd(a, b, c); }
  TESSERA_INLINE static V fnma(V a, V b, V c) { return hn::NegMulAdd(a, b, c); }
  TESSERA_INLINE static V div(V a, V b) { return hn::Div(a, b); }
  TESSERA_INLINE static V sqrt(V a) { return hn::Sqrt(a); }
  TESSERA_INLINE static V neg(V a) { return from_bits(ixor(bits(a), set_i(INT32_MIN))); }
  TESSERA_INLINE static V abs(V a) { return from_bits(iand(bits(a), set_i(INT32_MAX))); }
  TESSERA_INLINE static V barrier(V a) { return hwy_barrier(a); }

  TESSERA_INLINE static K gt(V a, V b) { return hn::Gt(a, b); }
  TESSERA_INLINE static K ge(V a, V b) { return hn::Ge(a, b); }
  TESSERA_INLINE static K lt(V a, V b) { return hn::Lt(a, b); }
  TESSERA_INLINE static K le(V a, V b) { return hn::Le(a, b); }
  TESSERA_INLINE static K eq(V a, V b) { return hn::Eq(a, b); }
  TESSERA_INLINE static K igt(I a, I b) { return hn::RebindMask(DF(), hn::Gt(a, b)); }
  TESSERA_INLINE static K ieq(I a, I b) { return hn::RebindMask(DF(), hn::Eq(a, b)); }
  TESSERA_INLINE static K k_and(K a, K b) { return hn::And(a, b); }
  TESSERA_INLINE static K k_or(K a, K b) { return hn::Or(a, b); }
  TESSERA_INLINE static K k_not(K a) { return hn::Not(a); }
  TESSERA_INLINE static V select(K k, V a, V b) { return hn::IfThenElse(k, a, b); }
  TESSERA_INLINE static I select_i(K k, I a, I b) {
    return hn::IfThenElse(hn::RebindMask(DI(), k), a, b);
  }

  TESSERA_INLINE static I bits(V a) { return hn::BitCast(DI(), a); }
  TESSERA_INLINE static V from_bits(I a) { return hn::BitCast(DF(), a); }
  TESSERA_INLINE static I iadd(I a, I b) { return hn::Add(a, b); }
  TESSERA_INLINE static I isub(I a, I b) { return hn::Sub(a, b); }
  TESSERA_INLINE static I imul(I a, I b) { return hn::Mul(a, b); }
  TESSERA_INLINE static I iand(I a, I b) { return hn::And(a, b); }
  TESSERA_INLINE static I ior(I a, I b) { return hn::Or(a, b); }
  TESSERA_INLINE static I ixor(I a, I b) { return hn::Xor(a, b); }
  TESSERA_INLINE static I imax(I a, I b) { return hn::Max(a, b); }
  template <int N>
  TESSERA_INLINE static I shl(I a) {
    return hn::ShiftLeft<N>(a);
  }
  template <int N>
  TESSERA_INLINE static I shr(I a) {
    return hn::BitCast(DI(), hn::ShiftRight<N>(hn::BitCast(DU(), a)));
  }
  template <int N>
  TESSERA_INLINE static I sra(I a) {
    return hn::ShiftRight<N>(a);
  }
  TESSERA_INLINE static V to_f32(I a) { return hn::ConvertTo(DF(), a); }
  TESSERA_INLINE static I round_to_i32(V a) { return hwy_round_to_i32(a); }
  TESSERA_INLINE static V ldexp(V a, I n) { return hwy_ldexp(DF(), a, n); }

  TESSERA_INLINE static float fold_sum(V a) {
    return fold(DF(), a, [](auto x, auto y) TESSERA_LAMBDA { return hn::Add(x, y); });
  }
  TESSERA_INLINE static float fold_max(V a) {
    return fold(DF(), a,
                [](auto x, auto y) TESSERA_LAMBDA { return hn::IfThenElse(hn::Gt(x, y), x, y); });
  }
  TESSERA_INLINE static std::int32_t fold_imax(I a) {
    return fold(DI(), a, [](auto x, auto y) TESSERA_LAMBDA { return hn::Max(x, y); });
  }

 private:
  TESSERA_INLINE static hn::VFromD<DU16> low_half(I a) {
    return hn::TruncateTo(DU16(), hn::BitCast(DU(), a));
  }
  TESSERA_INLINE static hn::VFromD<DI8> low_byte(I a) {
    const auto bytes = hn::TruncateTo(DU8(), hn::BitCast(DU(), a));
    return hn::BitCast(DI8(), bytes);
  }

  /// The lower half combined with the upper half until one lane is left.
  template <class D, class Vec, class F>
  TESSERA_INLINE static hn::TFromD<D> fold(D, Vec v, F f) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return hn::GetLane(v);
    } else {
      const hn::Half<D> half;
      return fold(half, f(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), f);
    }
  }
};

}  // namespace detail

using detail::HwyRegister;

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_REGISTER_HPP_
