// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The thread's floating-point control register: kernels need nearest-even and no flushing.
#ifndef TESSERA_BACKEND_CONTROL_HPP_
#define TESSERA_BACKEND_CONTROL_HPP_

#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Status::control_register if the thread rounds otherwise or flushes subnormals. Reads the register
/// only where TESSERA_CHECK_CONTROL is on.
[[nodiscard]] TESSERA_INLINE Status check_control() noexcept {
#if TESSERA_CHECK_CONTROL
#if defined(__x86_64__)
  const unsigned mxcsr = __builtin_ia32_stmxcsr();
  if ((mxcsr & 0xe040u) != 0) return Status::control_register;  // flush, rounding, denormals zero
#elif defined(__riscv_flen)
  unsigned long frm;
  __asm__ volatile("frrm %0" : "=r"(frm));
  if (frm != 0) return Status::control_register;
#elif defined(__aarch64__)
  std::uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  if ((fpcr & 0x1c00000u) != 0) return Status::control_register;
#endif
#endif
  return Status::ok;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_CONTROL_HPP_
