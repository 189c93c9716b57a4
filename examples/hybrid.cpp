// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Answers questions with a small network of all kinds of layers, on any backend, with weights in any format.
#include <cstddef>
#include <cstdio>
#include <span>

#include "examples/hybrid/program.hpp"
#include "tests/support/host_cpu.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::fprintf(stderr, "hybrid: this CPU has no %s\n", missing);
    return 77;
  }
#if TESSERA_WITH_TRAP
  if (tessera_trap_install() != 0) return 2;  // it has said why
#endif
  const std::span<const char* const> arguments(argv, static_cast<std::size_t>(argc));
  return hybrid::run(arguments.subspan(argc > 0 ? 1 : 0), stdin, stdout, stderr);
}
