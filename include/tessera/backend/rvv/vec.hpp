// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer over RVV 1.0: any vector length of at least 128 bits, one binary for all.
///
/// Every operation has the lanes object's vl and leaves tails to the hardware (it may fill them with
/// ones), except keep(). Rounding is the thread's, nearest even by precondition.
#ifndef TESSERA_BACKEND_RVV_VEC_HPP_
#define TESSERA_BACKEND_RVV_VEC_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/rvv/cache_rows.hpp"
#include "tessera/backend/rvv/pairs.hpp"
#include "tessera/backend/rvv/types.hpp"
#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/half_lanes.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// `size()` lanes of 32 bits in groups of LMUL registers (core/vector.hpp has the meaning of every
/// member). Precondition of the constructor: 1 <= vl <= LMUL * VLEN / 32.
template <int LMUL>
class RvvLanes {
  using T = RvvTypes<LMUL>;

 public:
  using F32 = typename T::F32;
  using I32 = typename T::I32;
  using Mask = typename T::Mask;
  /// The bits of a product: no addition takes them, so none can be fused by mistake.
  using Product = typename T::U32;

  TESSERA_INLINE explicit RvvLanes(std::size_t vl) noexcept : vl_(vl) {}
  TESSERA_INLINE std::size_t size() const noexcept { return vl_; }

  // Memory. Element loads are naturally aligned: some cores fault otherwise.
  TESSERA_INLINE F32 load(const float* p) const noexcept { return T::load(p, vl_); }
  TESSERA_INLINE I32 load_i32(const std::int32_t* p) const noexcept { return T::load(p, vl_); }
  TESSERA_INLINE I32 load_i32(const std::int8_t* p) const noexcept { return T::load(p, vl_); }
  /// Of this backend alone: bytes to lanes of half the width.
  TESSERA_INLINE typename T::I16 load_i16(const std::int8_t* p) const noexcept {
    return T::load_i16(p, vl_);
  }
  TESSERA_INLINE F32 load(const Float16* p) const noexcept {
#if TESSERA_HAS_ZVFH
    return T::load_f16(reinterpret_cast<const std::uint16_t*>(p), vl_);
#else
    return widen_f16(T::load(reinterpret_cast<const std::int16_t*>(p), vl_));
#endif
  }
  TESSERA_INLINE F32 load(const BFloat16* p) const noexcept {
    return f32_from_bf16(*this, load_u16(reinterpret_cast<const std::uint16_t*>(p)));
  }
  TESSERA_INLINE void store(float* p, F32 a) const noexcept { __riscv_vse32(p, a, vl_); }
  TESSERA_INLINE void store_i32(std::int32_t* p, I32 a) const noexcept { __riscv_vse32(p, a, vl_); }
  TESSERA_INLINE void store_i8(std::int8_t* p, I32 a) const noexcept {
    __riscv_vse8(p, __riscv_vncvt_x(__riscv_vncvt_x(a, vl_), vl_), vl_);
  }
  TESSERA_INLINE void store(Float16* p, F32 a) const noexcept {
    store_u16(reinterpret_cast<std::uint16_t*>(p), f16_from_f32(*this, a));
  }
  TESSERA_INLINE void store(BFloat16* p, F32 a) const noexcept {
    store_u16(reinterpret_cast<std::uint16_t*>(p), bf16_from_f32(*this, a));
  }
  TESSERA_INLINE void load_pairs(const float* p, F32& even, F32& odd) const noexcept {
    typename T::U32 e, o;
    rvv_load_pairs<LMUL>(reinterpret_cast<const std::uint32_t*>(p), vl_, e, o);
    even = T::f32(e), odd = T::f32(o);
  }
  TESSERA_INLINE void store_pairs(float* p, F32 even, F32 odd) const noexcept {
    rvv_store_pairs<LMUL>(reinterpret_cast<std::uint32_t*>(p), vl_, T::u32(even), T::u32(odd));
  }

  // Constants.
  TESSERA_INLINE F32 set(float x) const noexcept { return T::set(x, vl_); }
  TESSERA_INLINE I32 set_i32(std::int32_t x) const noexcept { return T::set(x, vl_); }

  // Floating point.
  TESSERA_INLINE F32 add(F32 a, F32 b) const noexcept { return __riscv_vfadd(a, b, vl_); }
  TESSERA_INLINE F32 sub(F32 a, F32 b) const noexcept { return __riscv_vfsub(a, b, vl_); }
  TESSERA_INLINE F32 sub(F32 a, float b) const noexcept { return __riscv_vfsub(a, b, vl_); }
  TESSERA_INLINE F32 div(F32 a, F32 b) const noexcept { return __riscv_vfdiv(a, b, vl_); }
  TESSERA_INLINE F32 sqrt(F32 a) const noexcept { return __riscv_vfsqrt(a, vl_); }
  TESSERA_INLINE F32 neg(F32 a) const noexcept { return __riscv_vfneg(a, vl_); }
  TESSERA_INLINE F32 abs(F32 a) const noexcept { return __riscv_vfabs(a, vl_); }
  template <class A, class B>
  TESSERA_INLINE Product mul(A a, B b) const noexcept {
    return T::u32(__riscv_vfmul(value(a), value(b), vl_));
  }
  TESSERA_INLINE Product mul(float a, F32 b) const noexcept {
    return T::u32(__riscv_vfmul(b, a, vl_));
  }
  TESSERA_INLINE F32 rounded(Product p) const noexcept {
#if !defined(__clang__) || __clang_major__ > 19
    // GCC 14 contracts intrinsics. clang 19 does not, and would repeat a vsetvli after the statement;
    // what later ones do is not known.
    __asm__("" : "+vr"(p));
#endif
    return T::f32(p);
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fma(A a, B b, C c) const noexcept {
    return __riscv_vfmacc(value(c), value(a), value(b), vl_);
  }
  template <class C>
  TESSERA_INLINE F32 fma(float a, F32 b, C c) const noexcept {
    return __riscv_vfmacc(value(c), a, b, vl_);
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fnma(A a, B b, C c) const noexcept {
    return __riscv_vfnmsac(value(c), value(a), value(b), vl_);
  }
  TESSERA_INLINE F32 fnma(float a, F32 b, F32 c) const noexcept {
    return __riscv_vfnmsac(c, a, b, vl_);
  }
  TESSERA_INLINE F32 max(F32 a, F32 b) const noexcept { return select(gt(a, b), a, b); }
  TESSERA_INLINE F32 min(F32 a, F32 b) const noexcept { return select(lt(a, b), a, b); }

  // Comparisons and masks.
  template <class A, class B>
  TESSERA_INLINE Mask gt(A a, B b) const noexcept {
    return __riscv_vmfgt(value(a), value(b), vl_);
  }
  template <class A, class B>
  TESSERA_INLINE Mask ge(A a, B b) const noexcept {
    return __riscv_vmfge(value(a), value(b), vl_);
  }
  template <class A, class B>
  TESSERA_INLINE Mask lt(A a, B b) const noexcept {
    return __riscv_vmflt(value(a), value(b), vl_);
  }
  template <class A, class B>
  TESSERA_INLINE Mask le(A a, B b) const noexcept {
    return __riscv_vmfle(value(a), value(b), vl_);
  }
  template <class A, class B>
  TESSERA_INLINE Mask eq(A a, B b) const noexcept {
    return __riscv_vmfeq(value(a), value(b), vl_);
  }
  TESSERA_INLINE Mask gt(F32 a, float b) const noexcept { return __riscv_vmfgt(a, b, vl_); }
  TESSERA_INLINE Mask lt(F32 a, float b) const noexcept { return __riscv_vmflt(a, b, vl_); }
  TESSERA_INLINE Mask igt(I32 a, I32 b) const noexcept { return __riscv_vmsgt(a, b, vl_); }
  TESSERA_INLINE Mask ieq(I32 a, I32 b) const noexcept { return __riscv_vmseq(a, b, vl_); }
  TESSERA_INLINE Mask mask_and(Mask a, Mask b) const noexcept { return __riscv_vmand(a, b, vl_); }
  TESSERA_INLINE Mask mask_or(Mask a, Mask b) const noexcept { return __riscv_vmor(a, b, vl_); }
  TESSERA_INLINE Mask mask_not(Mask a) const noexcept { return __riscv_vmnot(a, vl_); }
  TESSERA_INLINE F32 select(Mask k, F32 a, F32 b) const noexcept {
    return __riscv_vmerge(b, a, k, vl_);
  }
  TESSERA_INLINE F32 select(Mask k, float a, F32 b) const noexcept {
    return __riscv_vfmerge(b, a, k, vl_);
  }
  TESSERA_INLINE I32 select(Mask k, I32 a, I32 b) const noexcept {
    return __riscv_vmerge(b, a, k, vl_);
  }

  // Integers.
  TESSERA_INLINE I32 bits(F32 a) const noexcept { return T::i32(a); }
  TESSERA_INLINE F32 from_bits(I32 a) const noexcept { return T::f32(a); }
  TESSERA_INLINE I32 iadd(I32 a, I32 b) const noexcept { return __riscv_vadd(a, b, vl_); }
  TESSERA_INLINE I32 iadd(I32 a, std::int32_t b) const noexcept { return __riscv_vadd(a, b, vl_); }
  TESSERA_INLINE I32 isub(I32 a, I32 b) const noexcept { return __riscv_vsub(a, b, vl_); }
  TESSERA_INLINE I32 imul(I32 a, I32 b) const noexcept { return __riscv_vmul(a, b, vl_); }
  TESSERA_INLINE I32 imul(I32 a, std::int32_t b) const noexcept { return __riscv_vmul(a, b, vl_); }
  TESSERA_INLINE I32 iand(I32 a, I32 b) const noexcept { return __riscv_vand(a, b, vl_); }
  TESSERA_INLINE I32 ior(I32 a, I32 b) const noexcept { return __riscv_vor(a, b, vl_); }
  TESSERA_INLINE I32 ixor(I32 a, I32 b) const noexcept { return __riscv_vxor(a, b, vl_); }
  TESSERA_INLINE I32 imax(I32 a, I32 b) const noexcept { return __riscv_vmax(a, b, vl_); }
  template <int N>
  TESSERA_INLINE I32 shl(I32 a) const noexcept {
    return __riscv_vsll(a, N, vl_);
  }
  template <int N>
  TESSERA_INLINE I32 shr(I32 a) const noexcept {
    return T::i32(__riscv_vsrl(T::u32(a), N, vl_));
  }
  template <int N>
  TESSERA_INLINE I32 sra(I32 a) const noexcept {
    return __riscv_vsra(a, N, vl_);
  }
  TESSERA_INLINE F32 to_f32(I32 a) const noexcept { return __riscv_vfcvt_f(a, vl_); }
  TESSERA_INLINE I32 round_to_i32(F32 a) const noexcept { return __riscv_vfcvt_x(a, vl_); }
  TESSERA_INLINE F32 ldexp(F32 a, I32 n) const noexcept {
    const I32 half =
        sra<1>(n);  // two steps: 2^n itself may not be a float; only the last one rounds
    return rounded(mul(mul(a, power_of_two(half)), power_of_two(isub(n, half))));
  }

  // Accumulators.
#ifdef __clang__
  // Tail-undisturbed: the registers are tied. Otherwise clang 19 loads rows before their registers are
  // free, and spills groups of eight.
  static constexpr std::size_t unrolled = 8;
  TESSERA_INLINE void reload(F32& to, const float* p) const noexcept {
    to = __riscv_vle32_tu(to, p, vl_);
  }
  TESSERA_INLINE void accumulate(F32& sum, float a, F32 b) const noexcept {
    sum = __riscv_vfmacc_tu(sum, a, b, vl_);
  }
#else
  static constexpr std::size_t unrolled = 1;  // GCC 14 spills if there is more, tied or not
  TESSERA_INLINE void reload(F32& to, const float* p) const noexcept { to = load(p); }
  TESSERA_INLINE void accumulate(F32& sum, float a, F32 b) const noexcept { sum = fma(a, b, sum); }
#endif
  TESSERA_INLINE F32 keep(F32 old, F32 now) const noexcept {
    return __riscv_vmv_v_tu(old, now, vl_);
  }
  TESSERA_INLINE I32 keep(I32 old, I32 now) const noexcept {
    return __riscv_vmv_v_tu(old, now, vl_);
  }
  TESSERA_INLINE float sum(F32 a) const noexcept {
    return fold(
        a, [](auto x, auto y, std::size_t n) TESSERA_LAMBDA { return __riscv_vfadd(x, y, n); });
  }
  TESSERA_INLINE float max_lane(F32 a) const noexcept {
    return fold(a, [](auto x, auto y, std::size_t n)
                       TESSERA_LAMBDA { return __riscv_vmerge(y, x, __riscv_vmfgt(x, y, n), n); });
  }
  TESSERA_INLINE std::int32_t imax_lane(I32 a) const noexcept {
    const auto least = __riscv_vmv_s_x_i32m1(INT32_MIN, 1);
    return __riscv_vmv_x(__riscv_vredmax(a, least, vl_));
  }

 private:
#if !TESSERA_HAS_ZVFH
  /// Sign-extended half bits to F32: as f32_from_f16 (core/half_lanes.hpp), in half the operations.
  TESSERA_INLINE F32 widen_f16(I32 h) const noexcept {
    // The sign, and the rest 13 places further, without the copies of the sign between them.
    const I32 shifted = __riscv_vand(shl<13>(h), static_cast<std::int32_t>(0x8fffe000u), vl_);
    const F32 scaled = __riscv_vfmul(T::f32(shifted), 0x1p112f, vl_);
    // What had the largest exponent is infinite or NaN; adding zero makes a NaN quiet.
    const Mask special = __riscv_vmfge(__riscv_vfabs(scaled, vl_), 0x1p16f, vl_);
    const F32 high =
        T::f32(__riscv_vor_mu(special, T::i32(scaled), T::i32(scaled), 0x7f800000, vl_));
    return __riscv_vfadd_mu(special, high, high, 0.0f, vl_);
  }
#endif
  TESSERA_INLINE static F32 value(F32 a) noexcept { return a; }
  TESSERA_INLINE static F32 value(Product p) noexcept { return T::f32(p); }

  TESSERA_INLINE I32 load_u16(const std::uint16_t* p) const noexcept {
    return T::i32(T::load(p, vl_));
  }
  TESSERA_INLINE void store_u16(std::uint16_t* p, I32 a) const noexcept {
    __riscv_vse16(p, __riscv_vncvt_x(T::u32(a), vl_), vl_);
  }
  TESSERA_INLINE F32 power_of_two(I32 n) const noexcept {
    return from_bits(shl<23>(iadd(n, set_i32(127))));
  }

  /// The fixed tree over virtual_lanes lanes; halves also halve the registers, for 32 lanes fill
  /// eight registers only at the shortest vector length.
  template <class F>
  TESSERA_INLINE static float fold(vfloat32m8_t a, F f) noexcept {
    static_assert(LMUL == 8 && virtual_lanes == 32);
    const auto by16 = f(__riscv_vlmul_trunc_f32m4(a),
                        __riscv_vlmul_trunc_f32m4(__riscv_vslidedown(a, 16, 16)), 16);
    const auto by8 = f(__riscv_vlmul_trunc_f32m2(by16),
                       __riscv_vlmul_trunc_f32m2(__riscv_vslidedown(by16, 8, 8)), 8);
    const auto by4 = f(__riscv_vlmul_trunc_f32m1(by8),
                       __riscv_vlmul_trunc_f32m1(__riscv_vslidedown(by8, 4, 4)), 4);
    const auto by2 = f(by4, __riscv_vslidedown(by4, 2, 2), 2);
    return __riscv_vfmv_f(f(by2, __riscv_vslidedown(by2, 1, 1), 1));
  }

  std::size_t vl_;
};

/// Entry points of the vector layer (core/vector.hpp).
struct RvvVectors : RvvCacheRows {
  static constexpr std::size_t state_registers = 8;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    for (std::size_t i = 0; i < n;) {
      // A vl below both the rest and the registers is legal: advance by what is returned.
      const RvvLanes<M> d(RvvTypes<M>::setvl(n - i));
      body(d, i);
      i += d.size();
    }
  }
  /// Calls use(d, offset, make(d, offset), m) over [0, n), m being the largest of what make gives, -inf if
  /// there is none. A NaN is ignored, a zero may have either sign. Returns m.
  template <class Make, class Use>
  TESSERA_INLINE static float with_largest(std::size_t n, Make&& make, Use&& use) {
    if (n == 0) return -__builtin_inff();  // a reduction of no elements writes nothing
    const auto least = __riscv_vfmv_s_f_f32m1(-__builtin_inff(), 1);
    const std::size_t most = __riscv_vsetvl_e32m8(n);
    const RvvLanes<8> first(most);
    if (most == n) {
      const auto v = make(first, std::size_t{0});
      const float m = __riscv_vfmv_f(__riscv_vfredmax(v, least, n));
      use(first, std::size_t{0}, v, m);
      return m;
    }
    auto all = first.set(-__builtin_inff());
    for_lanes<8>(n, [&](auto d, std::size_t i)
                        TESSERA_LAMBDA { all = __riscv_vfmax_tu(all, all, make(d, i), d.size()); });
    const float m = __riscv_vfmv_f(__riscv_vfredmax(all, least, most));
    for_lanes<8>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA { use(d, i, make(d, i), m); });
    return m;
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    for (std::size_t i = 0; i < n; i += virtual_lanes)
      body(RvvLanes<8>(n - i < virtual_lanes ? n - i : virtual_lanes), i);
  }
  TESSERA_INLINE static auto full_virtual() noexcept { return RvvLanes<8>(virtual_lanes); }

  /// out[k * ld + j] = rows[j][k] for j < n and k < length.
  TESSERA_INLINE static void transpose(const float* const* rows, std::size_t n, std::size_t length,
                                       float* out, std::size_t ld) noexcept {
    const auto step = static_cast<std::ptrdiff_t>(ld * sizeof(float));
    for (std::size_t k = 0; k < length;) {
      const std::size_t vl = __riscv_vsetvl_e32m8(length - k);
      for (std::size_t j = 0; j < n; ++j)
        __riscv_vsse32(out + j, step, __riscv_vle32_v_f32m8(rows[j] + k, vl), vl);
      k += vl, out += vl * ld;
    }
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_VEC_HPP_
