// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// In front of libc's, in the preload library and with tessera::trap_start: ends that pass by the exit
// handlers, which print the statistics.
#include "emu/trap/counters.hpp"
#include "emu/trap/system_call.hpp"

#include <unistd.h>
#include <cstdlib>

extern "C" {

__attribute__((visibility("default"), noreturn)) void _exit(int status) {
  tessera::trap::leave_statistics();
  while (true) tessera::trap::system_call(SYS_exit_group, status);
}

__attribute__((visibility("default"), noreturn)) void _Exit(int status) noexcept {
  _exit(status);
}
}
