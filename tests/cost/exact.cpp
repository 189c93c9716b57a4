// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Runs the functions of exact.S: tessera_cost_exact NAME N.
#include <cstdlib>
#include <cstring>

#include "emu/trap/tessera_trap.h"

extern "C" {
using Function = void(unsigned long n, void* memory);
Function exact_rows, exact_apart, exact_kinds, exact_bound, exact_calls;
}

int main(int argc, char** argv) {
  alignas(64) static unsigned char memory[4096];
  const struct {
    const char* name;
    Function* function;
  } functions[] = {{"exact_rows", exact_rows},
                   {"exact_apart", exact_apart},
                   {"exact_kinds", exact_kinds},
                   {"exact_bound", exact_bound},
                   {"exact_calls", exact_calls}};
  if (argc != 3) return 2;
  tessera_trap_install();
  for (const auto& f : functions) {
    if (std::strcmp(argv[1], f.name) != 0) continue;
    f.function(std::strtoul(argv[2], nullptr, 10), memory);
    return 0;
  }
  return 2;
}
