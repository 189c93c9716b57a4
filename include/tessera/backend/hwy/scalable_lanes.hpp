// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Lanes objects over Highway vectors whose size is known at run time only (RVV): sizeless types, so
/// nothing here is a member or an array of them.
#ifndef TESSERA_BACKEND_HWY_SCALABLE_LANES_HPP_
#define TESSERA_BACKEND_HWY_SCALABLE_LANES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/hwy/raw_register.hpp"
#include "tessera/backend/hwy/target.hpp"
#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/half_lanes.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Exactly virtual_lanes lanes: eight registers at VLEN 128, fewer lanes of them above. Highway
/// scales the limit by the number of registers.
using HwyVirtualTag = hn::CappedTag<float, virtual_lanes / 8, 3>;
static_assert(hn::MaxLanes(HwyVirtualTag()) == virtual_lanes);

/// The first size() lanes of a vector with tag DF (core/vector.hpp has the meaning of the members).
template <class DF>
class HwyScalableLanes {
  using DI = hn::RebindToSigned<DF>;
  using DU = hn::RebindToUnsigned<DF>;
  using DU16 = hn::Rebind<std::uint16_t, DF>;
  using DU8 = hn::Rebind<std::uint8_t, DF>;
  using DI8 = hn::Rebind<std::int8_t, DF>;

 public:
  using F32 = hn::VFromD<DF>;
  using I32 = hn::VFromD<DI>;
  using Mask = hn::MFromD<DF>;
  /// The bits of a product, in a type that no addition takes.
  using Product = hn::VFromD<DU>;

  /// Precondition: 1 <= active <= Lanes(DF()).
  TESSERA_INLINE explicit HwyScalableLanes(std::size_t active) noexcept : active_(active) {}
  TESSERA_INLINE std::size_t size() const { return active_; }

  // Memory.
  TESSERA_INLINE F32 load(const float* p) const { return hn::LoadN(DF(), p, active_); }
  TESSERA_INLINE I32 load_i32(const std::int32_t* p) const { return hn::LoadN(DI(), p, active_); }
  TESSERA_INLINE I32 load_i32(const std::int8_t* p) const {
    return hn::PromoteTo(DI(), hn::LoadN(DI8(), p, active_));
  }
  TESSERA_INLINE F32 load(const Float16* p) const {
    return f32_from_f16(*this, load_u16(reinterpret_cast<const std::uint16_t*>(p)));
  }
  TESSERA_INLINE F32 load(const BFloat16* p) const {
    return f32_from_bf16(*this, load_u16(reinterpret_cast<const std::uint16_t*>(p)));
  }
  TESSERA_INLINE void store(float* p, F32 a) const { hn::StoreN(a, DF(), p, active_); }
  TESSERA_INLINE void store_i32(std::int32_t* p, I32 a) const { hn::StoreN(a, DI(), p, active_); }
  TESSERA_INLINE void store_i8(std::int8_t* p, I32 a) const {
    const auto bytes = hn::TruncateTo(DU8(), unsign(a));
    hn::StoreN(hn::BitCast(DI8(), bytes), DI8(), p, active_);
  }
  TESSERA_INLINE void store(Float16* p, F32 a) const {
    store_u16(reinterpret_cast<std::uint16_t*>(p), f16_from_f32(*this, a));
  }
  TESSERA_INLINE void store(BFloat16* p, F32 a) const {
    store_u16(reinterpret_cast<std::uint16_t*>(p), bf16_from_f32(*this, a));
  }
  // Indexed, since Highway's interleaved loads and stores cannot stop at a number of lanes.
  TESSERA_INLINE void load_pairs(const float* p, F32& even, F32& odd) const {
    even = hn::GatherIndexN(DF(), p, even_places(), active_);
    odd = hn::GatherIndexN(DF(), p + 1, even_places(), active_);
  }
  TESSERA_INLINE void store_pairs(float* p, F32 even, F32 odd) const {
    hn::ScatterIndexN(even, DF(), p, even_places(), active_);
    hn::ScatterIndexN(odd, DF(), p + 1, even_places(), active_);
  }

  // Constants.
  TESSERA_INLINE F32 set(float x) const { return hn::Set(DF(), x); }
  TESSERA_INLINE I32 set_i32(std::int32_t x) const { return hn::Set(DI(), x); }

  // Floating point.
  TESSERA_INLINE F32 add(F32 a, F32 b) const { return hn::Add(a, b); }
  TESSERA_INLINE F32 sub(F32 a, F32 b) const { return hn::Sub(a, b); }
  TESSERA_INLINE F32 sub(F32 a, float b) const { return sub(a, set(b)); }
  TESSERA_INLINE F32 div(F32 a, F32 b) const { return hn::Div(a, b); }
  TESSERA_INLINE F32 sqrt(F32 a) const { return hn::Sqrt(a); }
  TESSERA_INLINE F32 neg(F32 a) const { return from_bits(ixor(bits(a), set_i32(INT32_MIN))); }
  TESSERA_INLINE F32 abs(F32 a) const { return from_bits(iand(bits(a), set_i32(INT32_MAX))); }
  TESSERA_INLINE Product mul(float a, F32 b) const { return mul(set(a), b); }
  template <class A, class B>
  TESSERA_INLINE Product mul(A a, B b) const {
    return hn::BitCast(DU(), hn::Mul(value(a), value(b)));
  }
  TESSERA_INLINE F32 rounded(Product p) const { return value(hwy_barrier(p)); }
  template <class C>
  TESSERA_INLINE F32 fma(float a, F32 b, C c) const {
    return hn::MulAdd(set(a), b, value(c));
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fma(A a, B b, C c) const {
    return hn::MulAdd(value(a), value(b), value(c));
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fnma(A a, B b, C c) const {
    return hn::NegMulAdd(value(a), value(b), value(c));
  }
  TESSERA_INLINE F32 fnma(float a, F32 b, F32 c) const { return hn::NegMulAdd(set(a), b, c); }
  TESSERA_INLINE F32 max(F32 a, F32 b) const { return select(gt(a, b), a, b); }
  TESSERA_INLINE F32 min(F32 a, F32 b) const { return select(lt(a, b), a, b); }

  // Comparisons and masks.
  TESSERA_INLINE Mask gt(F32 a, float b) const { return hn::Gt(a, set(b)); }
  TESSERA_INLINE Mask lt(F32 a, float b) const { return hn::Lt(a, set(b)); }
  template <class A, class B>
  TESSERA_INLINE Mask gt(A a, B b) const {
    return hn::Gt(value(a), value(b));
  }
  template <class A, class B>
  TESSERA_INLINE Mask ge(A a, B b) const {
    return hn::Ge(value(a), value(b));
  }
  template <class A, class B>
  TESSERA_INLINE Mask lt(A a, B b) const {
    return hn::Lt(value(a), value(b));
  }
  template <class A, class B>
  TESSERA_INLINE Mask le(A a, B b) const {
    return hn::Le(value(a), value(b));
  }
  template <class A, class B>
  TESSERA_INLINE Mask eq(A a, B b) const {
    return hn::Eq(value(a), value(b));
  }
  TESSERA_INLINE Mask igt(I32 a, I32 b) const { return hn::RebindMask(DF(), hn::Gt(a, b)); }
  TESSERA_INLINE Mask ieq(I32 a, I32 b) const { return hn::RebindMask(DF(), hn::Eq(a, b)); }
  TESSERA_INLINE Mask mask_and(Mask a, Mask b) const { return hn::And(a, b); }
  TESSERA_INLINE Mask mask_or(Mask a, Mask b) const { return hn::Or(a, b); }
  TESSERA_INLINE Mask mask_not(Mask a) const { return hn::Not(a); }
  TESSERA_INLINE F32 select(Mask k, F32 a, F32 b) const { return hn::IfThenElse(k, a, b); }
  TESSERA_INLINE F32 select(Mask k, float a, F32 b) const { return hn::IfThenElse(k, set(a), b); }
  TESSERA_INLINE I32 select(Mask k, I32 a, I32 b) const {
    return hn::IfThenElse(hn::RebindMask(DI(), k), a, b);
  }

  // Integers.
  TESSERA_INLINE I32 bits(F32 a) const { return hn::BitCast(DI(), a); }
  TESSERA_INLINE F32 from_bits(I32 a) const { return hn::BitCast(DF(), a); }
  TESSERA_INLINE I32 iadd(I32 a, I32 b) const { return hn::Add(a, b); }
  TESSERA_INLINE I32 iadd(I32 a, std::int32_t b) const { return iadd(a, set_i32(b)); }
  TESSERA_INLINE I32 isub(I32 a, I32 b) const { return hn::Sub(a, b); }
  TESSERA_INLINE I32 imul(I32 a, I32 b) const { return hn::Mul(a, b); }
  TESSERA_INLINE I32 imul(I32 a, std::int32_t b) const { return hn::Mul(a, set_i32(b)); }
  TESSERA_INLINE I32 iand(I32 a, I32 b) const { return hn::And(a, b); }
  TESSERA_INLINE I32 ior(I32 a, I32 b) const { return hn::Or(a, b); }
  TESSERA_INLINE I32 ixor(I32 a, I32 b) const { return hn::Xor(a, b); }
  TESSERA_INLINE I32 imax(I32 a, I32 b) const { return hn::Max(a, b); }
  template <int N>
  TESSERA_INLINE I32 shl(I32 a) const {
    return hn::ShiftLeft<N>(a);
  }
  template <int N>
  TESSERA_INLINE I32 shr(I32 a) const {
    return hn::BitCast(DI(), hn::ShiftRight<N>(unsign(a)));
  }
  template <int N>
  TESSERA_INLINE I32 sra(I32 a) const {
    return hn::ShiftRight<N>(a);
  }
  TESSERA_INLINE F32 to_f32(I32 a) const { return hn::ConvertTo(DF(), a); }
  TESSERA_INLINE I32 round_to_i32(F32 a) const { return hwy_round_to_i32(a); }
  TESSERA_INLINE F32 ldexp(F32 a, I32 n) const { return hwy_ldexp(DF(), a, n); }

  // Accumulators.
  static constexpr std::size_t unrolled = 1;
  TESSERA_INLINE void reload(F32& to, const float* p) const { to = load(p); }
  TESSERA_INLINE void accumulate(F32& sum, float a, F32 b) const { sum = fma(a, b, sum); }
  TESSERA_INLINE F32 keep(F32 old, F32 now) const {
    return hn::IfThenElse(hn::FirstN(DF(), active_), now, old);
  }
  TESSERA_INLINE I32 keep(I32 old, I32 now) const {
    return hn::IfThenElse(hn::FirstN(DI(), active_), now, old);
  }
  TESSERA_INLINE float sum(F32 a) const {
    for (std::size_t h = virtual_lanes / 2; h >= 1; h /= 2)
      a = hn::Add(a, hn::SlideDownLanes(DF(), a, h));
    return hn::GetLane(a);
  }
  TESSERA_INLINE float max_lane(F32 a) const {
    for (std::size_t h = virtual_lanes / 2; h >= 1; h /= 2)
      a = max(a, hn::SlideDownLanes(DF(), a, h));
    return hn::GetLane(a);
  }
  TESSERA_INLINE std::int32_t imax_lane(I32 a) const {
    for (std::size_t h = virtual_lanes / 2; h >= 1; h /= 2)
      a = imax(a, hn::SlideDownLanes(DI(), a, h));
    return hn::GetLane(a);
  }

 private:
  TESSERA_INLINE static F32 value(F32 a) { return a; }
  TESSERA_INLINE static F32 value(Product a) { return hn::BitCast(DF(), a); }
  TESSERA_INLINE static Product unsign(I32 a) { return hn::BitCast(DU(), a); }
  TESSERA_INLINE static I32 even_places() { return hn::ShiftLeft<1>(hn::Iota(DI(), 0)); }
  TESSERA_INLINE I32 load_u16(const std::uint16_t* p) const {
    return hn::PromoteTo(DI(), hn::LoadN(DU16(), p, active_));
  }
  TESSERA_INLINE void store_u16(std::uint16_t* p, I32 a) const {
    hn::StoreN(hn::TruncateTo(DU16(), unsign(a)), DU16(), p, active_);
  }

  std::size_t active_;
};

}  // namespace detail

using detail::HwyScalableLanes;

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_SCALABLE_LANES_HPP_
