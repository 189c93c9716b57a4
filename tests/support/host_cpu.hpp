// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Can the CPU at hand run what this program was compiled for?
#ifndef TESSERA_TESTS_SUPPORT_HOST_CPU_HPP_
#define TESSERA_TESTS_SUPPORT_HOST_CPU_HPP_

namespace tessera_test {

/// The first instruction set extension that the compiler's flags use and the CPU lacks; null if
/// there is none.
inline const char* missing_extension() {
#if defined(__x86_64__)
  __builtin_cpu_init();
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f")) return "avx512f";
#endif
#if defined(__AVX512VNNI__)
  if (!__builtin_cpu_supports("avx512vnni")) return "avx512vnni";
#endif
#if defined(__AVX512VBMI2__)
  if (!__builtin_cpu_supports("avx512vbmi2")) return "avx512vbmi2";
#endif
#if defined(__AVX512BITALG__)
  if (!__builtin_cpu_supports("avx512bitalg")) return "avx512bitalg";
#endif
#if defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2")) return "avx2";
#endif
#if defined(__FMA__)
  if (!__builtin_cpu_supports("fma")) return "fma";
#endif
#endif
  return nullptr;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_HOST_CPU_HPP_
