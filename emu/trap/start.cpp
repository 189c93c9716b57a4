// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Link this object to have the runtime installed before main.
#include "emu/trap/successor.hpp"
#include "emu/trap/tessera_trap.h"

namespace {

__attribute__((constructor)) void start() {
  tessera::trap::note_emulator();
  tessera_trap_install();
}

}  // namespace
