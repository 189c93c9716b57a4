// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// xsimd for the compiler's own flags, and the conditions under which its bits are ours.
#ifndef TESSERA_BACKEND_XSIMD_TARGET_HPP_
#define TESSERA_BACKEND_XSIMD_TARGET_HPP_

#include <cstdint>
#include <type_traits>

#include <xsimd/xsimd.hpp>

#include "tessera/config.hpp"

#if !defined(XSIMD_VERSION_MAJOR) || XSIMD_VERSION_MAJOR < 13
#error "the xsimd backend needs xsimd 13 or later"
#endif
#if !(XSIMD_WITH_AVX512F || XSIMD_WITH_FMA3_AVX2 || XSIMD_WITH_NEON64 || XSIMD_WITH_RVV)
#error \
    "the xsimd backend needs fma as one instruction: on x86 compile with -mavx2 -mfma (or \
-march=haswell) or with AVX-512, on AArch64 it is always there, on RISC-V compile with clang and \
-march=rv64gcv_zvl256b -mrvv-vector-bits=zvl"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

// Inside namespace backend the name xsimd is the backend's: everything goes through this alias.
namespace xs = ::xsimd;

// Not xsimd's own choice: under -mavxvnni it prefers an architecture whose fma rounds twice.
#if XSIMD_WITH_AVX512F
using XsimdArch = xs::x86_arch;
static_assert(std::is_base_of_v<xs::avx512f, XsimdArch>);
#elif XSIMD_WITH_FMA3_AVX2
using XsimdArch = xs::fma3<xs::avx2>;
#elif XSIMD_WITH_NEON64
using XsimdArch = xs::neon64;
#else
using XsimdArch = xs::rvv;
#endif

using XsimdFloats = xs::batch<float, XsimdArch>;
using XsimdInts = xs::batch<std::int32_t, XsimdArch>;

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_TARGET_HPP_
