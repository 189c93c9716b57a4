// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Finding a qemu-riscv64 that can be the wanted machine.
#ifndef TESSERA_EMU_RUN_EMULATOR_HPP_
#define TESSERA_EMU_RUN_EMULATOR_HPP_

#include "emu/run/machine.hpp"

#include <string>

namespace tessera::run {

/// What a mode asks of the emulator.
struct EmulatorNeeds {
  CpuVariant variant;
  bool plugins = false;  ///< takes -plugin
};

/// A qemu-riscv64 and the -cpu string that it understands.
struct Emulator {
  std::string path;
  std::string cpu;
  std::string error;  ///< not empty: none fits, and why for each that was tried
};

/// The first that fits: $TESSERA_QEMU alone where that is set; else that of the build prefix, then
/// qemu-riscv64 and qemu-riscv64-static on the PATH. A small program is run to see that it has vectors
/// of the right length.
Emulator find_emulator(const Machine& machine, const EmulatorNeeds& needs);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_EMULATOR_HPP_
