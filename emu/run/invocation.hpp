// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The command that runs a program.
#ifndef TESSERA_EMU_RUN_INVOCATION_HPP_
#define TESSERA_EMU_RUN_INVOCATION_HPP_

#include "emu/run/child.hpp"
#include "emu/run/emulator.hpp"
#include "emu/run/guest.hpp"
#include "emu/run/options.hpp"

#include <string>

namespace tessera::run {

/// A command and its variables, or why there is none.
struct Invocation {
  Words command;
  Settings environment;
  std::string error;
};

/// The emulator on the program, with the runtime and the libraries it needs. `emulator_options` come
/// before the program's name. The variables make programs that this one starts run alike: through
/// binfmt_misc by what QEMU itself reads, and through the runtime, which re-enters TESSERA_RUN_QEMU.
Invocation make_invocation(const Options& options, const Guest& guest, const Emulator& emulator,
                           const Words& emulator_options = {});

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_INVOCATION_HPP_
