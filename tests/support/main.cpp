// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The main function of every GoogleTest program: skips (77) on a CPU that lacks the program's
// instructions, and installs the trap runtime where vmadot words are to run under QEMU.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/host_cpu.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::printf("skipped: this CPU has no %s\n", missing);
    return 77;
  }
#if TESSERA_WITH_TRAP
  tessera_trap_install();
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
