// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Programs that this one starts or becomes. The kernel below an emulator runs riscv64 programs only
// where binfmt_misc knows them; under tessera-run the emulator is entered again instead, so that the
// program is on the same machine and has the runtime.
#ifndef TESSERA_EMU_TRAP_SUCCESSOR_HPP_
#define TESSERA_EMU_TRAP_SUCCESSOR_HPP_

#include <cstddef>

namespace tessera::trap {

/// Notes the variables that tessera-run set (TESSERA_RUN_QEMU among them) and takes the runtime out
/// of LD_PRELOAD, where programs of the machine below would trip over it; QEMU_SET_ENV has it. Once,
/// from a constructor.
void note_emulator();

/// Shall this file be started through the emulator: is there one, and is it a riscv64 program that may
/// be executed?
bool needs_emulator(const char* path);

/// The arguments and variables of a successor. `Room` says how much memory the caller must lend.
struct Successor {
  const char* path;
  char* const* arguments;
  char* const* environment;
};
struct Room {
  std::size_t arguments;    ///< pointers
  std::size_t environment;  ///< pointers
  static constexpr std::size_t text = 1200;
};
Room room_for(char* const* arguments, char* const* environment);

/// Fills the lent memory: the emulator with the program behind it where that is needed, all
/// variables that tessera-run set and the caller left out, and, where `leaves_counts`, another name
/// for the statistics, whose file this program has written.
Successor make_successor(const Successor& wanted, bool leaves_counts, char** arguments,
                         char** environment, char* text);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_SUCCESSOR_HPP_
