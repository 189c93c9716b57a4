// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Highway for the compiler's own flags, and the conditions under which its bits are ours.
#ifndef TESSERA_BACKEND_HWY_TARGET_HPP_
#define TESSERA_BACKEND_HWY_TARGET_HPP_

#include <hwy/highway.h>

#include "tessera/config.hpp"

#if !defined(HWY_MAJOR) || HWY_MAJOR < 1 || (HWY_MAJOR == 1 && HWY_MINOR < 2)
#error "the hwy backend needs Highway 1.2 or later"
#endif
#if !(HWY_ARCH_X86 || HWY_ARCH_ARM_A64 || HWY_ARCH_RISCV)
#error "the hwy backend knows x86, AArch64 and RISC-V"
#endif
#if HWY_TARGET_IS_SVE
#error "the hwy backend has no lanes for SVE: compile without it or define HWY_DISABLED_TARGETS"
#endif
#if !HWY_NATIVE_FMA
#error \
    "the hwy backend needs fma as one instruction, and Highway chose a target without it (on x86: \
SSE4 or less); x86-64-v3 and -march=haswell lack AES: compile with -march=haswell -maes or \
-march=icelake-server"
#endif

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

// Inside namespace backend the name hwy is the backend's: everything here goes through this alias.
namespace hn = ::hwy::HWY_NAMESPACE;

/// Highway's name of the target, "AVX3_DL" for instance: its namespace is N_ and that name.
inline constexpr const char* hwy_target_name = &HWY_STR(HWY_NAMESPACE)[2];

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_TARGET_HPP_
