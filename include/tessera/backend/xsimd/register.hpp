// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One xsimd batch of f32 or i32.
#ifndef TESSERA_BACKEND_XSIMD_REGISTER_HPP_
#define TESSERA_BACKEND_XSIMD_REGISTER_HPP_

#include <complex>
#include <cstddef>
#include <cstdint>

#include "tessera/backend/xsimd/target.hpp"
#include "tessera/config.hpp"
#if XSIMD_WITH_RVV
#include "tessera/backend/xsimd/raw_register_rvv.hpp"
#elif XSIMD_WITH_NEON64
#include "tessera/backend/xsimd/raw_register_neon.hpp"
#else
#include "tessera/backend/xsimd/raw_register_x86.hpp"
#endif

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's AVX-512 intrinsics make their undefined operand by `x = x` and warn about it once inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The architecture's register (backend/pack_lanes.hpp has the meaning of the members).
class XsimdRegister {
 public:
  static constexpr std::size_t lanes = XsimdFloats::size;
  using V = XsimdFloats;
  using I = XsimdInts;
  using K = V::batch_bool_type;

  TESSERA_INLINE static V load(const float* p) { return V::load_unaligned(p); }
  TESSERA_INLINE static I load(const std::int32_t* p) { return I::load_unaligned(p); }
  TESSERA_INLINE static I load_u16(const std::uint16_t* p) { return xsimd_widen(p); }
  TESSERA_INLINE static I load_i8(const std::int8_t* p) { return xsimd_widen(p); }
  // xsimd has no partial loads and stores: a short stretch goes through a buffer.
  TESSERA_INLINE static V load_n(const float* p, std::size_t n) {
    return load(Buffer<float>(p, n).elements);
  }
  TESSERA_INLINE static I load_n(const std::int32_t* p, std::size_t n) {
    return load(Buffer<std::int32_t>(p, n).elements);
  }
  TESSERA_INLINE static I load_u16_n(const std::uint16_t* p, std::size_t n) {
    return load_u16(Buffer<std::uint16_t>(p, n).elements);
  }
  TESSERA_INLINE static I load_i8_n(const std::int8_t* p, std::size_t n) {
    return load_i8(Buffer<std::int8_t>(p, n).elements);
  }
  TESSERA_INLINE static void store(float* p, V a) { a.store_unaligned(p); }
  TESSERA_INLINE static void store(std::int32_t* p, I a) { a.store_unaligned(p); }
  TESSERA_INLINE static void store_u16(std::uint16_t* p, I a) { xsimd_narrow(p, a); }
  TESSERA_INLINE static void store_i8(std::int8_t* p, I a) { xsimd_narrow(p, a); }
  TESSERA_INLINE static void store_n(float* p, V a, std::size_t n) {
    Buffer<float> b;
    store(b.elements, a);
    b.copy_to(p, n);
  }
  TESSERA_INLINE static void store_n(std::int32_t* p, I a, std::size_t n) {
    Buffer<std::int32_t> b;
    store(b.elements, a);
    b.copy_to(p, n);
  }
  TESSERA_INLINE static void store_u16_n(std::uint16_t* p, I a, std::size_t n) {
    Buffer<std::uint16_t> b;
    store_u16(b.elements, a);
    b.copy_to(p, n);
  }
  TESSERA_INLINE static void store_i8_n(std::int8_t* p, I a, std::size_t n) {
    Buffer<std::int8_t> b;
    store_i8(b.elements, a);
    b.copy_to(p, n);
  }
  TESSERA_INLINE static void load_pairs(const float* p, V& even, V& odd) {
    const auto pairs = Pairs::load_unaligned(reinterpret_cast<const std::complex<float>*>(p));
    even = pairs.real(), odd = pairs.imag();
  }
  TESSERA_INLINE static void store_pairs(float* p, V even, V odd) {
    Pairs(even, odd).store_unaligned(reinterpret_cast<std::complex<float>*>(p));
  }

  TESSERA_INLINE static V set(float x) { return V(x); }
  TESSERA_INLINE static I set_i(std::int32_t x) { return I(x); }
  TESSERA_INLINE static V add(V a, V b) { return a + b; }
  TESSERA_INLINE static V sub(V a, V b) { return a - b; }
  TESSERA_INLINE static V mul(V a, V b) { return a * b; }
  TESSERA_INLINE static V fma(V a, V b, V c) { return xs::fma(a, b, c); }
  TESSERA_INLINE static V fnma(V a, V b, V c) { return xsimd_fnma(a, b, c); }
  TESSERA_INLINE static V div(V a, V b) { return xsimd_div(a, b); }
  TESSERA_INLINE static V sqrt(V a) { return xsimd_sqrt(a); }
  TESSERA_INLINE static V neg(V a) { return from_bits(bits(a) ^ set_i(INT32_MIN)); }
  TESSERA_INLINE static V abs(V a) { return from_bits(bits(a) & set_i(INT32_MAX)); }
  TESSERA_INLINE static V barrier(V a) { return xsimd_barrier(a); }

  TESSERA_INLINE static K gt(V a, V b) { return a > b; }
  TESSERA_INLINE static K ge(V a, V b) { return a >= b; }
  TESSERA_INLINE static K lt(V a, V b) { return a < b; }
  TESSERA_INLINE static K le(V a, V b) { return a <= b; }
  TESSERA_INLINE static K eq(V a, V b) { return a == b; }
  TESSERA_INLINE static K igt(I a, I b) { return xs::batch_bool_cast<float>(a > b); }
  TESSERA_INLINE static K ieq(I a, I b) { return xs::batch_bool_cast<float>(a == b); }
  TESSERA_INLINE static K k_and(K a, K b) { return a & b; }
  TESSERA_INLINE static K k_or(K a, K b) { return a | b; }
  TESSERA_INLINE static K k_not(K a) { return ~a; }
  TESSERA_INLINE static V select(K k, V a, V b) { return xs::select(k, a, b); }
  TESSERA_INLINE static I select_i(K k, I a, I b) {
    return xs::select(xs::batch_bool_cast<std::int32_t>(k), a, b);
  }

  TESSERA_INLINE static I bits(V a) { return xs::bitwise_cast<std::int32_t>(a); }
  TESSERA_INLINE static V from_bits(I a) { return xs::bitwise_cast<float>(a); }
  TESSERA_INLINE static I iadd(I a, I b) { return a + b; }
  TESSERA_INLINE static I isub(I a, I b) { return a - b; }
  TESSERA_INLINE static I imul(I a, I b) { return a * b; }
  TESSERA_INLINE static I iand(I a, I b) { return a & b; }
  TESSERA_INLINE static I ior(I a, I b) { return a | b; }
  TESSERA_INLINE static I ixor(I a, I b) { return a ^ b; }
  TESSERA_INLINE static I imax(I a, I b) { return xs::max(a, b); }
  template <int N>
  TESSERA_INLINE static I shl(I a) {
    return a << N;
  }
  template <int N>
  TESSERA_INLINE static I shr(I a) {
    return xs::bitwise_cast<std::int32_t>(xs::bitwise_cast<std::uint32_t>(a) >> N);
  }
  template <int N>
  TESSERA_INLINE static I sra(I a) {
    return a >> N;
  }
  TESSERA_INLINE static V to_f32(I a) { return xs::to_float(a); }
  TESSERA_INLINE static I round_to_i32(V a) { return xs::nearbyint_as_int(a); }
  TESSERA_INLINE static V ldexp(V a, I n) {
#if XSIMD_WITH_AVX512F
    // One instruction with the same bits: it rounds once, denormals included.
    return V(_mm512_scalef_ps(a, to_f32(n)));
#else
    const I half = sra<1>(n);  // only the second step rounds
    return barrier(mul(barrier(mul(a, power_of_two(half))), power_of_two(n - half)));
#endif
  }

  TESSERA_INLINE static float fold_sum(V a) {
    return fold<float>(a, [](float x, float y) TESSERA_LAMBDA { return x + y; });
  }
  TESSERA_INLINE static float fold_max(V a) {
    return fold<float>(a, [](float x, float y) TESSERA_LAMBDA { return x > y ? x : y; });
  }
  TESSERA_INLINE static std::int32_t fold_imax(I a) {
    return fold<std::int32_t>(
        a, [](std::int32_t x, std::int32_t y) TESSERA_LAMBDA { return x > y ? x : y; });
  }

 private:
  using Pairs = xs::batch<std::complex<float>, XsimdArch>;

  /// Copies by memcpy, not element by element: clang 19 merges a buffer of floats with one of integers
  /// of the same bits, keeps the element types' aliasing promise, and loses the copy.
  template <class T>
  struct Buffer {
    T elements[lanes] = {};

    TESSERA_INLINE Buffer() = default;
    TESSERA_INLINE Buffer(const T* p, std::size_t n) {
      __builtin_memcpy(elements, p, n * sizeof(T));
    }
    TESSERA_INLINE void copy_to(T* p, std::size_t n) const {
      __builtin_memcpy(p, elements, n * sizeof(T));
    }
  };

  TESSERA_INLINE static V power_of_two(I n) { return from_bits(shl<23>(n + set_i(127))); }

  /// The lower half combined with the upper half until one lane is left.
  template <class T, class Batch, class F>
  TESSERA_INLINE static T fold(Batch a, F f) {
    Buffer<T> b;
    store(b.elements, a);
    for (std::size_t h = lanes / 2; h >= 1; h /= 2)
      for (std::size_t l = 0; l < h; ++l) b.elements[l] = f(b.elements[l], b.elements[l + h]);
    return b.elements[0];
  }
};

}  // namespace detail

using detail::XsimdRegister;

TESSERA_ISA_NAMESPACE_END

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif  // TESSERA_BACKEND_XSIMD_REGISTER_HPP_
