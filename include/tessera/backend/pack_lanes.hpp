// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Lanes objects for backends whose registers have a compile-time size: M registers side by side.
///
/// `Reg` is a class of static functions on one register:
/// types V (f32), I (i32), K (mask); `lanes`;
/// load store load_n store_n (float*, int32_t*), load_u16 store_u16 load_i8 store_i8 and their _n forms;
/// set set_i add sub mul fma fnma div sqrt neg abs gt ge lt le eq igt ieq k_and k_or k_not select
/// bits from_bits iadd isub imul iand ior ixor imax shl shr sra to_f32 round_to_i32 barrier ldexp
/// load_f16 load_f16_n (only where the hardware's conversion has the bits of core/half_lanes.hpp)
/// load_pairs store_pairs fold_sum fold_max fold_imax (within one register, halves first).
#ifndef TESSERA_BACKEND_PACK_LANES_HPP_
#define TESSERA_BACKEND_PACK_LANES_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/half_lanes.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// The vectors of M registers; the same types whether or not all lanes are active.
template <class Reg, std::size_t M>
struct PackF32 {
  typename Reg::V v[M];
};
template <class Reg, std::size_t M>
struct PackI32 {
  typename Reg::I v[M];
};
template <class Reg, std::size_t M>
struct PackMask {
  typename Reg::K v[M];
};
/// A product that no addition takes: fma, comparisons, mul and rounded() do.
template <class Reg, std::size_t M>
struct PackProduct {
  typename Reg::V v[M];
};

/// M registers of `Reg`; all lanes active if Full, else the first size() (core/vector.hpp has the
/// meaning of every member).
template <class Reg, std::size_t M, bool Full>
class PackLanes {
 public:
  static constexpr std::size_t registers = M;
  static constexpr std::size_t width = Reg::lanes * M;

  using F32 = PackF32<Reg, M>;
  using I32 = PackI32<Reg, M>;
  using Mask = PackMask<Reg, M>;
  using Product = PackProduct<Reg, M>;

  TESSERA_INLINE PackLanes() noexcept : active_(width) {}
  TESSERA_INLINE explicit PackLanes(std::size_t active) noexcept : active_(active) {}

  TESSERA_INLINE std::size_t size() const noexcept {
    if constexpr (Full) return width;
    return active_;
  }

  // Memory.
  TESSERA_INLINE F32 load(const float* p) const noexcept {
    return read<F32>(
        p, [](auto q) TESSERA_LAMBDA { return Reg::load(q); },
        [](auto q, std::size_t n) TESSERA_LAMBDA { return Reg::load_n(q, n); },
        []() TESSERA_LAMBDA { return Reg::set(0.0f); });
  }
  TESSERA_INLINE I32 load_i32(const std::int32_t* p) const noexcept {
    return read_int(
        p, [](auto q) TESSERA_LAMBDA { return Reg::load(q); },
        [](auto q, std::size_t n) TESSERA_LAMBDA { return Reg::load_n(q, n); });
  }
  TESSERA_INLINE I32 load_i32(const std::int8_t* p) const noexcept {
    return read_int(
        p, [](auto q) TESSERA_LAMBDA { return Reg::load_i8(q); },
        [](auto q, std::size_t n) TESSERA_LAMBDA { return Reg::load_i8_n(q, n); });
  }
  TESSERA_INLINE F32 load(const Float16* p) const noexcept {
    const auto* codes = reinterpret_cast<const std::uint16_t*>(p);
    if constexpr (requires { Reg::load_f16(codes); }) {
      return read<F32>(
          codes, [](auto q) TESSERA_LAMBDA { return Reg::load_f16(q); },
          [](auto q, std::size_t n) TESSERA_LAMBDA { return Reg::load_f16_n(q, n); },
          []() TESSERA_LAMBDA { return Reg::set(0.0f); });
    } else {
      return f32_from_f16(*this, load_u16(codes));
    }
  }
  TESSERA_INLINE F32 load(const BFloat16* p) const noexcept {
    return f32_from_bf16(*this, load_u16(reinterpret_cast<const std::uint16_t*>(p)));
  }
  TESSERA_INLINE void store(float* p, const F32& a) const noexcept {
    write(
        p, a, [](auto q, auto r) TESSERA_LAMBDA { Reg::store(q, r); },
        [](auto q, auto r, std::size_t n) TESSERA_LAMBDA { Reg::store_n(q, r, n); });
  }
  TESSERA_INLINE void store_i32(std::int32_t* p, const I32& a) const noexcept {
    write(
        p, a, [](auto q, auto r) TESSERA_LAMBDA { Reg::store(q, r); },
        [](auto q, auto r, std::size_t n) TESSERA_LAMBDA { Reg::store_n(q, r, n); });
  }
  TESSERA_INLINE void store_i8(std::int8_t* p, const I32& a) const noexcept {
    write(
        p, a, [](auto q, auto r) TESSERA_LAMBDA { Reg::store_i8(q, r); },
        [](auto q, auto r, std::size_t n) TESSERA_LAMBDA { Reg::store_i8_n(q, r, n); });
  }
  TESSERA_INLINE void store(Float16* p, const F32& a) const noexcept {
    store_u16(reinterpret_cast<std::uint16_t*>(p), f16_from_f32(*this, a));
  }
  TESSERA_INLINE void store(BFloat16* p, const F32& a) const noexcept {
    store_u16(reinterpret_cast<std::uint16_t*>(p), bf16_from_f32(*this, a));
  }
  TESSERA_INLINE void load_pairs(const float* p, F32& even, F32& odd) const noexcept {
    repeat([&](std::size_t i) TESSERA_LAMBDA {
      const std::size_t n = count_in(i);
      const float* q = p + 2 * i * Reg::lanes;
      if (Full || n == Reg::lanes) {
        Reg::load_pairs(q, even.v[i], odd.v[i]);
      } else {
        float e[Reg::lanes] = {};
        float o[Reg::lanes] = {};
        for (std::size_t l = 0; l < n; ++l) e[l] = q[2 * l], o[l] = q[2 * l + 1];
        even.v[i] = Reg::load(e), odd.v[i] = Reg::load(o);
      }
    });
  }
  TESSERA_INLINE void store_pairs(float* p, const F32& even, const F32& odd) const noexcept {
    repeat([&](std::size_t i) TESSERA_LAMBDA {
      const std::size_t n = count_in(i);
      float* q = p + 2 * i * Reg::lanes;
      if (Full || n == Reg::lanes) {
        Reg::store_pairs(q, even.v[i], odd.v[i]);
      } else {
        float e[Reg::lanes];
        float o[Reg::lanes];
        Reg::store(e, even.v[i]), Reg::store(o, odd.v[i]);
        for (std::size_t l = 0; l < n; ++l) q[2 * l] = e[l], q[2 * l + 1] = o[l];
      }
    });
  }

  // Constants.
  TESSERA_INLINE F32 set(float x) const noexcept {
    return map<F32>([&](std::size_t) TESSERA_LAMBDA { return Reg::set(x); });
  }
  TESSERA_INLINE I32 set_i32(std::int32_t x) const noexcept {
    return map<I32>([&](std::size_t) TESSERA_LAMBDA { return Reg::set_i(x); });
  }

  // Floating point.
  TESSERA_INLINE F32 add(const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::add(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE F32 sub(const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::sub(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE F32 sub(const F32& a, float b) const noexcept { return sub(a, set(b)); }
  TESSERA_INLINE F32 div(const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::div(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE F32 sqrt(const F32& a) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::sqrt(a.v[i]); });
  }
  TESSERA_INLINE F32 neg(const F32& a) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::neg(a.v[i]); });
  }
  TESSERA_INLINE F32 abs(const F32& a) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::abs(a.v[i]); });
  }
  TESSERA_INLINE Product mul(float a, const F32& b) const noexcept { return mul(set(a), b); }
  template <class A, class B>
  TESSERA_INLINE Product mul(const A& a, const B& b) const noexcept {
    return map<Product>([&](std::size_t i) TESSERA_LAMBDA { return Reg::mul(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE F32 rounded(const Product& p) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::barrier(p.v[i]); });
  }
  template <class C>
  TESSERA_INLINE F32 fma(float a, const F32& b, const C& c) const noexcept {
    return map<F32>([&](std::size_t i)
                        TESSERA_LAMBDA { return Reg::fma(Reg::set(a), b.v[i], c.v[i]); });
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fma(const A& a, const B& b, const C& c) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::fma(a.v[i], b.v[i], c.v[i]); });
  }
  template <class A, class B, class C>
  TESSERA_INLINE F32 fnma(const A& a, const B& b, const C& c) const noexcept {
    return map<F32>([&](std::size_t i)
                        TESSERA_LAMBDA { return Reg::fnma(a.v[i], b.v[i], c.v[i]); });
  }
  TESSERA_INLINE F32 fnma(float a, const F32& b, const F32& c) const noexcept {
    return fnma(set(a), b, c);
  }
  TESSERA_INLINE F32 max(const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA {
      return Reg::select(Reg::gt(a.v[i], b.v[i]), a.v[i], b.v[i]);
    });
  }
  TESSERA_INLINE F32 min(const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA {
      return Reg::select(Reg::lt(a.v[i], b.v[i]), a.v[i], b.v[i]);
    });
  }

  // Comparisons and masks.
  TESSERA_INLINE Mask gt(const F32& a, float b) const noexcept { return gt(a, set(b)); }
  TESSERA_INLINE Mask lt(const F32& a, float b) const noexcept { return lt(a, set(b)); }
  template <class A, class B>
  TESSERA_INLINE Mask gt(const A& a, const B& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::gt(a.v[i], b.v[i]); });
  }
  template <class A, class B>
  TESSERA_INLINE Mask ge(const A& a, const B& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::ge(a.v[i], b.v[i]); });
  }
  template <class A, class B>
  TESSERA_INLINE Mask lt(const A& a, const B& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::lt(a.v[i], b.v[i]); });
  }
  template <class A, class B>
  TESSERA_INLINE Mask le(const A& a, const B& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::le(a.v[i], b.v[i]); });
  }
  template <class A, class B>
  TESSERA_INLINE Mask eq(const A& a, const B& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::eq(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE Mask igt(const I32& a, const I32& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::igt(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE Mask ieq(const I32& a, const I32& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::ieq(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE Mask mask_and(const Mask& a, const Mask& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::k_and(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE Mask mask_or(const Mask& a, const Mask& b) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::k_or(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE Mask mask_not(const Mask& a) const noexcept {
    return map<Mask>([&](std::size_t i) TESSERA_LAMBDA { return Reg::k_not(a.v[i]); });
  }
  TESSERA_INLINE F32 select(const Mask& k, const F32& a, const F32& b) const noexcept {
    return map<F32>([&](std::size_t i)
                        TESSERA_LAMBDA { return Reg::select(k.v[i], a.v[i], b.v[i]); });
  }
  TESSERA_INLINE F32 select(const Mask& k, float a, const F32& b) const noexcept {
    return select(k, set(a), b);
  }
  TESSERA_INLINE I32 select(const Mask& k, const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i)
                        TESSERA_LAMBDA { return Reg::select_i(k.v[i], a.v[i], b.v[i]); });
  }

  // Integers.
  TESSERA_INLINE I32 bits(const F32& a) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::bits(a.v[i]); });
  }
  TESSERA_INLINE F32 from_bits(const I32& a) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::from_bits(a.v[i]); });
  }
  TESSERA_INLINE I32 iadd(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::iadd(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 iadd(const I32& a, std::int32_t b) const noexcept {
    return iadd(a, set_i32(b));
  }
  TESSERA_INLINE I32 isub(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::isub(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 imul(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::imul(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 imul(const I32& a, std::int32_t b) const noexcept {
    return imul(a, set_i32(b));
  }
  TESSERA_INLINE I32 iand(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::iand(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 ior(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::ior(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 ixor(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::ixor(a.v[i], b.v[i]); });
  }
  TESSERA_INLINE I32 imax(const I32& a, const I32& b) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::imax(a.v[i], b.v[i]); });
  }
  template <int N>
  TESSERA_INLINE I32 shl(const I32& a) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::template shl<N>(a.v[i]); });
  }
  template <int N>
  TESSERA_INLINE I32 shr(const I32& a) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::template shr<N>(a.v[i]); });
  }
  template <int N>
  TESSERA_INLINE I32 sra(const I32& a) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::template sra<N>(a.v[i]); });
  }
  TESSERA_INLINE F32 to_f32(const I32& a) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::to_f32(a.v[i]); });
  }
  TESSERA_INLINE I32 round_to_i32(const F32& a) const noexcept {
    return map<I32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::round_to_i32(a.v[i]); });
  }
  TESSERA_INLINE F32 ldexp(const F32& a, const I32& n) const noexcept {
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA { return Reg::ldexp(a.v[i], n.v[i]); });
  }

  // Accumulators.
  static constexpr std::size_t unrolled = 1;
  TESSERA_INLINE void reload(F32& to, const float* p) const noexcept { to = load(p); }
  TESSERA_INLINE void accumulate(F32& sum, float a, const F32& b) const noexcept {
    sum = fma(a, b, sum);
  }
  TESSERA_INLINE F32 keep(const F32& old, const F32& now) const noexcept {
    if constexpr (Full) return now;
    return map<F32>([&](std::size_t i) TESSERA_LAMBDA {
      const std::size_t n = count_in(i);
      if (n == Reg::lanes) return now.v[i];
      float buffer[Reg::lanes];
      Reg::store(buffer, old.v[i]);
      Reg::store_n(buffer, now.v[i], n);
      return Reg::load(buffer);
    });
  }
  TESSERA_INLINE I32 keep(const I32& old, const I32& now) const noexcept {
    return bits(keep(from_bits(old), from_bits(now)));
  }
  TESSERA_INLINE float sum(const F32& a) const noexcept {
    return Reg::fold_sum(
        fold<F32>(a, [](auto x, auto y) TESSERA_LAMBDA { return Reg::add(x, y); }));
  }
  TESSERA_INLINE float max_lane(const F32& a) const noexcept {
    return Reg::fold_max(fold<F32>(
        a, [](auto x, auto y) TESSERA_LAMBDA { return Reg::select(Reg::gt(x, y), x, y); }));
  }
  TESSERA_INLINE std::int32_t imax_lane(const I32& a) const noexcept {
    return Reg::fold_imax(
        fold<I32>(a, [](auto x, auto y) TESSERA_LAMBDA { return Reg::imax(x, y); }));
  }

 private:
  template <class R, class F>
  TESSERA_INLINE static R map(F f) noexcept {
    R r;
    repeat([&](std::size_t i) TESSERA_LAMBDA { r.v[i] = f(i); });
    return r;
  }

  /// f(0), ..., f(M - 1); unrolled while the pack can live in registers.
  template <class F>
  TESSERA_INLINE static void repeat(F&& f) noexcept {
    if constexpr (M <= 8) {
      unroll<M>(f);
    } else {
      for (std::size_t i = 0; i < M; ++i) f(i);
    }
  }

  /// Register i of M folded onto register i + h for h = M/2, ..., 1.
  template <class R, class F>
  TESSERA_INLINE static auto fold(R a, F f) noexcept {
    for (std::size_t h = M / 2; h >= 1; h /= 2)
      for (std::size_t i = 0; i < h; ++i) a.v[i] = f(a.v[i], a.v[i + h]);
    return a.v[0];
  }

  /// Active lanes of register i.
  TESSERA_INLINE std::size_t count_in(std::size_t i) const noexcept {
    if constexpr (Full) return Reg::lanes;
    const std::size_t before = i * Reg::lanes;
    if (active_ <= before) return 0;
    return active_ - before < Reg::lanes ? active_ - before : Reg::lanes;
  }

  template <class R, class P, class All, class Some, class None>
  TESSERA_INLINE R read(const P* p, All all, Some some, None none) const noexcept {
    return map<R>([&](std::size_t i) TESSERA_LAMBDA {
      const std::size_t n = count_in(i);
      if (Full || n == Reg::lanes) return all(p + i * Reg::lanes);
      return n == 0 ? none() : some(p + i * Reg::lanes, n);
    });
  }
  template <class P, class All, class Some>
  TESSERA_INLINE I32 read_int(const P* p, All all, Some some) const noexcept {
    return read<I32>(p, all, some, []() TESSERA_LAMBDA { return Reg::set_i(0); });
  }
  template <class P, class R, class All, class Some>
  TESSERA_INLINE void write(P* p, const R& a, All all, Some some) const noexcept {
    repeat([&](std::size_t i) TESSERA_LAMBDA {
      const std::size_t n = count_in(i);
      if (Full || n == Reg::lanes) {
        all(p + i * Reg::lanes, a.v[i]);
      } else if (n != 0) {
        some(p + i * Reg::lanes, a.v[i], n);
      }
    });
  }
  TESSERA_INLINE I32 load_u16(const std::uint16_t* p) const noexcept {
    return read_int(
        p, [](auto q) TESSERA_LAMBDA { return Reg::load_u16(q); },
        [](auto q, std::size_t n) TESSERA_LAMBDA { return Reg::load_u16_n(q, n); });
  }
  TESSERA_INLINE void store_u16(std::uint16_t* p, const I32& a) const noexcept {
    write(
        p, a, [](auto q, auto r) TESSERA_LAMBDA { Reg::store_u16(q, r); },
        [](auto q, auto r, std::size_t n) TESSERA_LAMBDA { Reg::store_u16_n(q, r, n); });
  }

  std::size_t active_;
};

/// The stretches of [0, n) that a backend of fixed-size registers hands to a kernel's body: packs of
/// M registers, and the remainder in one pack or, for Singles, register by register, lest a panel of
/// 16 columns pays for M of them.
template <class Reg, std::size_t M, bool Singles = false, class Body>
TESSERA_INLINE void for_packs(std::size_t n, Body&& body) {
  constexpr std::size_t width = Reg::lanes * M;
  constexpr std::size_t last = Singles ? 1 : M;
  std::size_t i = 0;
  // Ends computed beforehand: from n - i >= width GCC 12 concludes that i may wrap, and warns.
  for (const std::size_t end = n - n % width; i < end; i += width)
    body(PackLanes<Reg, M, true>(), i);
  if constexpr (last < M) {
    for (const std::size_t end = n - n % Reg::lanes; i < end; i += Reg::lanes)
      body(PackLanes<Reg, 1, true>(), i);
  }
  if constexpr (Reg::lanes * last > 1) {
    if (i < n) body(PackLanes<Reg, last, false>(n - i), i);
  }
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_PACK_LANES_HPP_
