// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/emulator.hpp"

#include "emu/run/child.hpp"
#include "emu/run/cpu_strings.hpp"
#include "emu/run/probe.hpp"

#include <unistd.h>
#include <cstdlib>
#include <sstream>

namespace tessera::run {
namespace {

bool executable(const std::string& path) {
  return access(path.c_str(), X_OK) == 0;
}

void add_from_path(std::vector<std::string>& candidates, const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + name;
    if (!folder.empty() && executable(candidate)) {
      candidates.push_back(candidate);
      return;
    }
  }
}

std::vector<std::string> emulator_candidates() {
  if (const char* chosen = std::getenv("TESSERA_QEMU"); chosen != nullptr && *chosen != '\0') {
    return {chosen};
  }
  std::vector<std::string> candidates;
  const char* prefix = std::getenv("TESSERA_PREFIX");
  const std::string own =
      std::string(prefix != nullptr ? prefix : cpu::prefix) + "/usr/bin/qemu-riscv64";
  if (executable(own)) candidates.push_back(own);
  add_from_path(candidates, "qemu-riscv64");
  add_from_path(candidates, "qemu-riscv64-static");
  return candidates;
}

// The -cpu string that the candidate understands, or why it does not fit.
Emulator examine(const std::string& path, const Machine& machine, const EmulatorNeeds& needs) {
  if (!executable(path)) return {path, "", "is not an executable file"};
  if (needs.plugins && output_of({path, "--help"}).find("-plugin") == std::string::npos) {
    return {path, "", "was built without plugins"};
  }
  for (const std::string& cpu : cpu_strings(machine, needs.variant)) {
    if (probe_vector_bits(path, cpu) == machine.profile.vlen) return {path, cpu, ""};
  }
  return {path, "",
          "cannot be this core: vectors of " + std::to_string(machine.profile.vlen) +
              " bits are missing (-cpu " + cpu_strings(machine, needs.variant).back() +
              "; QEMU 7 or later is needed" + (needs.variant.half_avl ? ", here 10" : "") + ")"};
}

}  // namespace

Emulator find_emulator(const Machine& machine, const EmulatorNeeds& needs) {
  std::string reasons;
  for (const std::string& candidate : emulator_candidates()) {
    Emulator emulator = examine(candidate, machine, needs);
    if (emulator.error.empty()) return emulator;
    reasons += "\n  " + emulator.path + " " + emulator.error;
  }
  if (reasons.empty()) {
    reasons =
        "\n  neither TESSERA_QEMU nor the PATH names one (Debian: the package qemu-user, or "
        "toolchains/dev.sh setup)";
  }
  return {"", "", "no qemu-riscv64 fits:" + reasons};
}

}  // namespace tessera::run
