// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Linux system calls without libc: libc's wrappers write errno, which belongs to the interrupted
// program, and its sigaction may be the one that the preload library puts in front.
#ifndef TESSERA_EMU_TRAP_SYSTEM_CALL_HPP_
#define TESSERA_EMU_TRAP_SYSTEM_CALL_HPP_

#include <sys/syscall.h>

namespace tessera::trap {

/// Returns what the kernel returns: a negative errno on failure.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  register long a0 asm("a0") = a;
  register long a1 asm("a1") = b;
  register long a2 asm("a2") = c;
  register long a3 asm("a3") = d;
  register long a4 asm("a4") = e;
  register long a5 asm("a5") = f;
  register long a7 asm("a7") = number;
  asm volatile("ecall"
               : "+r"(a0)
               : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
               : "memory");
  return a0;
}

/// write(2), whole text or as much as the descriptor takes.
inline void write_all(int descriptor, const char* text, int length) {
  while (length > 0) {
    const long count = system_call(SYS_write, descriptor, reinterpret_cast<long>(text), length);
    if (count <= 0) return;
    text += count;
    length -= static_cast<int>(count);
  }
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_SYSTEM_CALL_HPP_
