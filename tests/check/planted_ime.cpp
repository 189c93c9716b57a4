// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Runs one function of planted_ime.S: tessera_check_planted_ime NAME.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "emu/trap/tessera_trap.h"

extern "C" {
using Function = void(const std::int32_t* in, std::int32_t* out);
Function clobbers_missing, clobbers_named, vtype_of_compiler;
}

int main(int argc, char** argv) {
  alignas(64) static std::int32_t in[64] = {1, 2, 3, 4, 5};
  alignas(64) static std::int32_t out[64];
  const struct {
    const char* name;
    Function* function;
  } cases[] = {{"clobbers_missing", clobbers_missing},
               {"clobbers_named", clobbers_named},
               {"vtype_of_compiler", vtype_of_compiler}};
  if (argc != 2) return 2;
  tessera_trap_install();
  for (const auto& c : cases) {
    if (std::strcmp(argv[1], c.name) != 0) continue;
    c.function(in, out);
    for (int i = 0; i < 5; ++i) std::printf("%d\n", out[i]);
    return 0;
  }
  return 2;
}
