// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The one asm of the core layer: an empty statement that ends a product.
#ifndef TESSERA_CORE_ROUNDED_HPP_
#define TESSERA_CORE_ROUNDED_HPP_

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// The value of `p`, which no compiler may fuse into a following addition.
///
/// Hazard: GCC 12-15 contract `a * b + c` by default even at -std=c++20, and clang does so within a
/// statement; bit_cast and conversions through double do not stop them. This does.
TESSERA_INLINE float rounded(float p) noexcept {
#if defined(__x86_64__)
  __asm__("" : "+x"(p));
#elif defined(__riscv_flen)
  __asm__("" : "+f"(p));
#elif defined(__aarch64__)
  __asm__("" : "+w"(p));
#else
  __asm__("" : "+m"(p));
#endif
  return p;
}

/// \copydoc rounded(float)
TESSERA_INLINE double rounded(double p) noexcept {
#if defined(__x86_64__)
  __asm__("" : "+x"(p));
#elif defined(__riscv_flen)
  __asm__("" : "+f"(p));
#elif defined(__aarch64__)
  __asm__("" : "+w"(p));
#else
  __asm__("" : "+m"(p));
#endif
  return p;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_ROUNDED_HPP_
