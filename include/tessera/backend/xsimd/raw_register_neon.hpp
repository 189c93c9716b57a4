// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What xsimd lacks or does otherwise on AArch64: intrinsics and the compiler's own vector types.
#ifndef TESSERA_BACKEND_XSIMD_RAW_REGISTER_NEON_HPP_
#define TESSERA_BACKEND_XSIMD_RAW_REGISTER_NEON_HPP_

#include <arm_neon.h>

#include <cstdint>

#include "tessera/backend/xsimd/target.hpp"
#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// A vector of T with as many elements as a register has 32-bit lanes.
template <class T>
using XsimdElements [[gnu::vector_size(XsimdFloats::size * sizeof(T))]] = T;

/// The register, whose origin (a product, maybe) the compiler no longer knows.
TESSERA_INLINE XsimdFloats xsimd_barrier(XsimdFloats v) {
  XsimdFloats::register_type r = v;
  __asm__("" : "+w"(r));
  return r;
}

/// Consecutive elements of 8 or 16 bits to lanes.
template <class T>
TESSERA_INLINE XsimdInts xsimd_widen(const T* p) {
  XsimdElements<T> narrow;
  __builtin_memcpy(&narrow, p, sizeof(narrow));
  const auto wide = __builtin_convertvector(narrow, XsimdElements<std::int32_t>);
  return __builtin_bit_cast(XsimdInts::register_type, wide);
}

/// The low bits of the lanes to consecutive elements.
template <class T>
TESSERA_INLINE void xsimd_narrow(T* p, XsimdInts v) {
  const XsimdInts::register_type r = v;
  const auto wide = __builtin_bit_cast(XsimdElements<std::int32_t>, r);
  const auto narrow = __builtin_convertvector(wide, XsimdElements<T>);
  __builtin_memcpy(p, &narrow, sizeof(narrow));
}

TESSERA_INLINE XsimdFloats xsimd_fnma(XsimdFloats a, XsimdFloats b, XsimdFloats c) {
  return vfmsq_f32(c, a, b);  // xsimd's rounds twice
}

TESSERA_INLINE XsimdFloats xsimd_div(XsimdFloats a, XsimdFloats b) {
  return vdivq_f32(a, b);  // xsimd's is Newton steps
}

TESSERA_INLINE XsimdFloats xsimd_sqrt(XsimdFloats a) {
  return vsqrtq_f32(a);  // likewise
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_RAW_REGISTER_NEON_HPP_
