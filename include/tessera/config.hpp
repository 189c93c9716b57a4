// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Every macro of the library (this list is closed), its version and its two inline namespaces.
///
/// A user may define, before the first include or on the command line:
///   TESSERA_ENABLE_HWY      1: the hwy backend exists (needs Highway >= 1.2 on the include path)
///   TESSERA_ENABLE_XSIMD    1: the xsimd backend exists (needs xsimd >= 13 on the include path)
///   TESSERA_CHECK_CONTROL   1: public calls verify the rounding mode and flush-to-zero bits
///                              (default: on unless NDEBUG)
/// All other names here are read only. Those of the C interface, TSR_..., are in tessera.h.
#ifndef TESSERA_CONFIG_HPP_
#define TESSERA_CONFIG_HPP_

#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "tessera needs C++20: compile with -std=c++20 or later"
#endif

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "tessera needs infinities and NaNs: build without -ffast-math and -ffinite-math-only"
#endif

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tessera stores formats little-endian and needs a little-endian target"
#endif

#ifndef TESSERA_ENABLE_HWY
#define TESSERA_ENABLE_HWY 0
#endif
#ifndef TESSERA_ENABLE_XSIMD
#define TESSERA_ENABLE_XSIMD 0
#endif
/// 1: the kernels are compiled elsewhere in the program (tessera/instances.cpp).
#ifndef TESSERA_EXTERN_KERNELS
#define TESSERA_EXTERN_KERNELS 0
#endif
#ifndef TESSERA_CHECK_CONTROL
#ifdef NDEBUG
#define TESSERA_CHECK_CONTROL 0
#else
#define TESSERA_CHECK_CONTROL 1
#endif
#endif

/// Is the vector extension of RISC-V usable? (`__riscv_v_intrinsic` alone says nothing: newer
/// clang defines it without V.)
#if defined(__riscv_vector) && defined(__riscv_v_intrinsic) && __riscv_v_intrinsic >= 12000
#define TESSERA_HAS_RVV 1
#else
#define TESSERA_HAS_RVV 0
#endif
#if TESSERA_HAS_RVV && defined(__riscv_zvfh)
#define TESSERA_HAS_ZVFH 1
#else
#define TESSERA_HAS_ZVFH 0
#endif

/// Is fma one hardware instruction under the compiler's flags?
#if defined(__FMA__) || defined(__AVX512F__) || defined(__riscv_flen) || defined(__aarch64__)
#define TESSERA_HAS_FMA 1
#else
#define TESSERA_HAS_FMA 0
#endif

/// Inlining that correctness across translation units relies on: such a function leaves no symbol.
#define TESSERA_INLINE inline __attribute__((always_inline))
/// The same for lambdas, written after the parameter list.
#define TESSERA_LAMBDA __attribute__((always_inline))
#define TESSERA_NOINLINE __attribute__((noinline))
#define TESSERA_RESTRICT __restrict__

#define TESSERA_CONCAT2_(a, b) a##b
#define TESSERA_CONCAT_(a, b) TESSERA_CONCAT2_(a, b)
#define TESSERA_CONCAT4_(a, b, c, d) TESSERA_CONCAT_(TESSERA_CONCAT_(a, b), TESSERA_CONCAT_(c, d))

// 1 if a macro is defined as 1 or, as RISC-V extensions are, as version 1.0 or 2.0; else 0.
#define TESSERA_DEFINED_1 0,
#define TESSERA_DEFINED_1000000 0,
#define TESSERA_DEFINED_2000000 0,
#define TESSERA_SECOND_(first, second, ...) second
#define TESSERA_SELECT_(maybe_comma) TESSERA_SECOND_(maybe_comma 1, 0, 0)
#define TESSERA_DEFINED2_(value) TESSERA_SELECT_(TESSERA_DEFINED_##value)
#define TESSERA_DEFINED_(macro) TESSERA_DEFINED2_(macro)
/// Four of them, as digits.
#define TESSERA_DEFINED4_(a, b, c, d)                                             \
  TESSERA_CONCAT4_(TESSERA_DEFINED_(a), TESSERA_DEFINED_(b), TESSERA_DEFINED_(c), \
                   TESSERA_DEFINED_(d))

// The ISA namespace: one name per configuration that can change generated code, so that
// translation units built with different flags never share a symbol. What compilers use of their
// own accord follows as digits.
#if defined(__x86_64__)
#if defined(__AVX512F__) && defined(__AVX512VNNI__) && defined(__AVX512VBMI2__)
#define TESSERA_ISA_BASE_ x86_avx512vnni
#elif defined(__AVX512F__)
#define TESSERA_ISA_BASE_ x86_avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define TESSERA_ISA_BASE_ x86_avx2fma
#elif defined(__AVX__)
#define TESSERA_ISA_BASE_ x86_avx
#elif defined(__SSE4_1__)
#define TESSERA_ISA_BASE_ x86_sse4
#else
#define TESSERA_ISA_BASE_ x86
#endif
#define TESSERA_ISA_EXTRA_                                                          \
  TESSERA_CONCAT_(                                                                  \
      _, TESSERA_CONCAT4_(                                                          \
             TESSERA_DEFINED4_(__AES__, __PCLMUL__, __F16C__, __BMI2__),            \
             TESSERA_DEFINED4_(__BMI__, __LZCNT__, __MOVBE__, __AVXVNNI__),         \
             TESSERA_DEFINED4_(__GFNI__, __VAES__, __AVX512IFMA__, __AVX512VBMI__), \
             TESSERA_DEFINED4_(__AVX512BF16__, __AVX512FP16__, __AVX512VNNI__, __AVX512BITALG__)))
#elif defined(__riscv)
#if TESSERA_HAS_RVV && TESSERA_HAS_ZVFH
#define TESSERA_ISA_BASE_ rv64gcv_zvfh
#elif TESSERA_HAS_RVV
#define TESSERA_ISA_BASE_ rv64gcv
#else
#define TESSERA_ISA_BASE_ rv64gc
#endif
#if TESSERA_HAS_RVV && defined(__riscv_v_fixed_vlen)
#define TESSERA_ISA_VLEN_                                    \
  TESSERA_CONCAT_(TESSERA_CONCAT_(_zvl, __riscv_v_min_vlen), \
                  TESSERA_CONCAT_(_fixed, __riscv_v_fixed_vlen))
#elif TESSERA_HAS_RVV
#define TESSERA_ISA_VLEN_ TESSERA_CONCAT_(_zvl, __riscv_v_min_vlen)
#else
#define TESSERA_ISA_VLEN_
#endif
#define TESSERA_ISA_EXTRA_                                                              \
  TESSERA_CONCAT4_(                                                                     \
      TESSERA_ISA_VLEN_, _, /* base extensions, then those of vectors */                \
      TESSERA_CONCAT_(                                                                  \
          TESSERA_DEFINED4_(__riscv_zba, __riscv_zbb, __riscv_zbs, __riscv_zicond),     \
          TESSERA_DEFINED4_(__riscv_zfhmin, __riscv_zfh, __riscv_zfa, __riscv_zicbop)), \
      TESSERA_DEFINED4_(__riscv_zvfhmin, __riscv_zvbb, __riscv_zvkb, __riscv_zvfbfmin))
#elif defined(__aarch64__)
#define TESSERA_ISA_BASE_ aarch64
#define TESSERA_ISA_EXTRA_                                                                      \
  TESSERA_CONCAT_(                                                                              \
      _, TESSERA_CONCAT_(                                                                       \
             TESSERA_DEFINED4_(__ARM_FEATURE_DOTPROD, __ARM_FEATURE_SVE, __ARM_FEATURE_SVE2,    \
                               __ARM_FEATURE_FP16_VECTOR_ARITHMETIC),                           \
             TESSERA_DEFINED4_(__ARM_FEATURE_MATMUL_INT8, __ARM_FEATURE_BF16_VECTOR_ARITHMETIC, \
                               __ARM_FEATURE_ATOMICS, __ARM_FEATURE_CRYPTO)))
#else
#define TESSERA_ISA_BASE_ generic
#define TESSERA_ISA_EXTRA_
#endif
#if TESSERA_CHECK_CONTROL
#define TESSERA_ISA_CHECK_ _checked
#else
#define TESSERA_ISA_CHECK_
#endif
#define TESSERA_ISA_NAMESPACE \
  TESSERA_CONCAT_(TESSERA_CONCAT_(TESSERA_ISA_BASE_, TESSERA_ISA_EXTRA_), TESSERA_ISA_CHECK_)

#define TESSERA_STRING2_(a) #a
#define TESSERA_STRING_(a) TESSERA_STRING2_(a)
/// The ISA configuration as text, for reports.
#define TESSERA_ISA_STRING TESSERA_STRING_(TESSERA_ISA_NAMESPACE)

/// Vocabulary types (Status, views, argument structs, formats, the instruction set model): the
/// namespace spells the version only, so they can cross anybody's signatures.
#define TESSERA_NAMESPACE_BEGIN \
  namespace tessera {           \
  inline namespace v0_1 {
#define TESSERA_NAMESPACE_END \
  }                           \
  }

/// Everything that computes: the namespace also spells the ISA configuration.
#define TESSERA_ISA_NAMESPACE_BEGIN \
  namespace tessera {               \
  inline namespace v0_1 {           \
  inline namespace TESSERA_ISA_NAMESPACE {
#define TESSERA_ISA_NAMESPACE_END \
  }                               \
  }                               \
  }

// Details of the vocabulary live in `internal`, details of what computes in `detail`: one name for both
// would be ambiguous through the inline namespace. Computing code sees the vocabulary's.
TESSERA_NAMESPACE_BEGIN
namespace internal {}
TESSERA_NAMESPACE_END
TESSERA_ISA_NAMESPACE_BEGIN
namespace detail {
using namespace internal;
}
TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CONFIG_HPP_
