// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What Highway lacks, on the compiler's own register type.
#ifndef TESSERA_BACKEND_HWY_RAW_REGISTER_HPP_
#define TESSERA_BACKEND_HWY_RAW_REGISTER_HPP_

#include "tessera/backend/hwy/target.hpp"
#include "tessera/config.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's AVX-512 intrinsics make their undefined operand by `x = x` and warn about it once inlined.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The register, whose origin (a product, maybe) the compiler no longer knows.
template <class V>
TESSERA_INLINE V hwy_barrier(V v) {
#if HWY_ARCH_X86
  __asm__("" : "+v"(v.raw));
#elif HWY_ARCH_ARM_A64
  __asm__("" : "+w"(v.raw));
#else
  __asm__("" : "+vr"(v));
#endif
  return v;
}

/// Nearest even. Highway's NearestInt also mends what lies beyond 2^31, which is excluded here.
template <class V>
TESSERA_INLINE auto hwy_round_to_i32(V v) {
#if HWY_ARCH_X86
  using I = hn::VFromD<hn::RebindToSigned<hn::DFromV<V>>>;
  if constexpr (sizeof(v.raw) == 64) {
    return I{_mm512_cvtps_epi32(v.raw)};
  } else {
    return I{_mm256_cvtps_epi32(v.raw)};
  }
#else
  return hn::NearestInt(v);
#endif
}

/// x * 2^n in two steps, of which only the last rounds; `d` is the tag of x.
template <class D>
TESSERA_INLINE auto hwy_ldexp(D d, hn::VFromD<D> x, hn::VFromD<hn::RebindToSigned<D>> n) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  // One instruction with the same bits: it rounds once, denormals included.
  (void)d;
  return hn::VFromD<D>{_mm512_scalef_ps(x.raw, _mm512_cvtepi32_ps(n.raw))};
#else
  const hn::RebindToSigned<D> di;
  const auto power_of_two = [&](auto k) TESSERA_LAMBDA {
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
  };
  const auto half = hn::ShiftRight<1>(n);
  const auto once = hwy_barrier(hn::Mul(x, power_of_two(half)));
  return hwy_barrier(hn::Mul(once, power_of_two(hn::Sub(n, half))));
#endif
}

/// a0 b0 a1 b1 ... over both vectors: the lower and the upper half of that.
template <class V>
TESSERA_INLINE void hwy_interleave(V a, V b, V& lower, V& upper) {
#if HWY_ARCH_X86
  if constexpr (sizeof(a.raw) == 64) {
    const auto low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const auto high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    lower = V{_mm512_permutex2var_ps(a.raw, low, b.raw)};
    upper = V{_mm512_permutex2var_ps(a.raw, high, b.raw)};
  } else {
    const auto low = _mm256_unpacklo_ps(a.raw, b.raw);
    const auto high = _mm256_unpackhi_ps(a.raw, b.raw);
    lower = V{_mm256_permute2f128_ps(low, high, 0x20)};
    upper = V{_mm256_permute2f128_ps(low, high, 0x31)};
  }
#else
  const hn::DFromV<V> d;
  lower = hn::InterleaveWholeLower(d, a, b);
  upper = hn::InterleaveWholeUpper(d, a, b);
#endif
}

#if HWY_ARCH_X86
/// Half precision by the hardware: the same values for all 65,536 codes, NaNs quietened alike.
template <class V, class Codes>
TESSERA_INLINE V hwy_from_f16(Codes codes) {
  if constexpr (sizeof(V::raw) == 64) {
    return V{_mm512_cvtph_ps(codes.raw)};
  } else {
    return V{_mm256_cvtph_ps(codes.raw)};
  }
}
#endif

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#endif  // TESSERA_BACKEND_HWY_RAW_REGISTER_HPP_
