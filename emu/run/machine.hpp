// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The cores that a program can be run on.
#ifndef TESSERA_EMU_RUN_MACHINE_HPP_
#define TESSERA_EMU_RUN_MACHINE_HPP_

#include "tessera/isa/ime/geometry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::run {

/// A row of the table: a core, and what QEMU calls it.
struct Machine {
  ime::Profile profile;
  const char* rest_of_cpu;  ///< the extensions besides vectors
};

/// The machine of that name (k1, x100, k3, k3-bf16), or null.
const Machine* find_machine(std::string_view name);

/// All names, for messages.
std::string machine_names();

/// What elements that an instruction leaves open become, and how long vl is.
struct CpuVariant {
  bool agnostic_ones = false;
  bool half_avl = false;
};

/// -cpu strings of a machine, the most complete first: an emulator that does not know the first may
/// know the second.
std::vector<std::string> cpu_strings(const Machine& machine, CpuVariant variant);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_MACHINE_HPP_
