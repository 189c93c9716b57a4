// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What xsimd lacks on x86, by intrinsics.
#ifndef TESSERA_BACKEND_XSIMD_RAW_REGISTER_X86_HPP_
#define TESSERA_BACKEND_XSIMD_RAW_REGISTER_X86_HPP_

#include <immintrin.h>

#include <cstdint>

#include "tessera/backend/xsimd/target.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The register, whose origin (a product, maybe) the compiler no longer knows.
TESSERA_INLINE XsimdFloats xsimd_barrier(XsimdFloats v) {
  XsimdFloats::register_type r = v;
  __asm__("" : "+v"(r));
  return r;
}

#if XSIMD_WITH_AVX512F

/// Consecutive elements to lanes.
TESSERA_INLINE XsimdInts xsimd_widen(const std::uint16_t* p) {
  return _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
TESSERA_INLINE XsimdInts xsimd_widen(const std::int8_t* p) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

/// The low bits of the lanes to consecutive elements.
TESSERA_INLINE void xsimd_narrow(std::uint16_t* p, XsimdInts v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(v));
}
TESSERA_INLINE void xsimd_narrow(std::int8_t* p, XsimdInts v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
}

#else

/// Consecutive elements to lanes.
TESSERA_INLINE XsimdInts xsimd_widen(const std::uint16_t* p) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
TESSERA_INLINE XsimdInts xsimd_widen(const std::int8_t* p) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}

/// The low 16 bits of eight lanes; masked first, since packing saturates.
TESSERA_INLINE __m128i xsimd_low_halves(XsimdInts v) {
  const __m256i low = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
  return _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
}

/// The low bits of the lanes to consecutive elements.
TESSERA_INLINE void xsimd_narrow(std::uint16_t* p, XsimdInts v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), xsimd_low_halves(v));
}
TESSERA_INLINE void xsimd_narrow(std::int8_t* p, XsimdInts v) {
  const __m128i low = _mm_and_si128(xsimd_low_halves(v), _mm_set1_epi16(0xff));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(low, low));
}

#endif

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

#endif  // TESSERA_BACKEND_XSIMD_RAW_REGISTER_X86_HPP_
