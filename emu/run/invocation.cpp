// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/invocation.hpp"

#include "emu/run/libraries.hpp"

#include <cstdlib>

namespace tessera::run {
namespace {

// What a variable has already, and something behind a comma.
std::string extended(const char* name, const std::string& more) {
  const char* present = std::getenv(name);
  return present != nullptr && *present != '\0' ? std::string(present) + "," + more : more;
}

std::string why_not(const Options& options, const Guest& guest, const Libraries& libraries) {
  if (guest.dynamic()) return libraries.error;
  if (guest.first_ime_place.empty()) return {};
  return options.command.front() +
         " is statically linked without the runtime, and has a matrix instruction at " +
         guest.first_ime_place +
         ": link tessera::trap_start and tessera::trap, or link it dynamically";
}

}  // namespace

Invocation make_invocation(const Options& options, const Guest& guest, const Emulator& emulator,
                           const Words& emulator_options) {
  Invocation result;
  const Libraries libraries = find_libraries(options.sysroot, guest.interpreter);
  result.error = why_not(options, guest, libraries);
  if (!result.error.empty()) return result;

  result.environment = {{"TESSERA_PROFILE", options.machine->profile.name()},
                        {"TESSERA_RUN_QEMU", emulator.path},
                        {"QEMU_CPU", emulator.cpu}};
  result.command = {emulator.path, "-cpu", emulator.cpu};
  result.command.insert(result.command.end(), emulator_options.begin(), emulator_options.end());
  if (!libraries.sysroot.empty()) {
    result.environment.emplace_back("QEMU_LD_PREFIX", libraries.sysroot);
    if (guest.dynamic()) {
      result.command.insert(result.command.end(), {"-L", libraries.sysroot});
    }
  }
  if (!libraries.runtime.empty()) {
    const std::string preload = "LD_PRELOAD=" + libraries.runtime;
    result.environment.emplace_back("QEMU_SET_ENV", extended("QEMU_SET_ENV", preload));
    if (guest.dynamic()) {
      result.command.insert(result.command.end(), {"-E", preload});
    } else {
      result.command.insert(result.command.end(), {"-U", "LD_PRELOAD"});
    }
  }
  if (options.trace) result.environment.emplace_back("TESSERA_TRAP_TRACE", "stderr");
  result.command.insert(result.command.end(), options.command.begin(), options.command.end());
  return result;
}

}  // namespace tessera::run
