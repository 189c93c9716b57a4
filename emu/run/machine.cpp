// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/machine.hpp"

#include "emu/run/cpu_strings.hpp"

namespace tessera::run {
namespace {

constexpr Machine machines[] = {
    {ime::k1, cpu::rest_of_k1},
    {ime::x100, cpu::rest_of_k3},
    {ime::k3, cpu::rest_of_k3},
    {ime::k3_bf16, cpu::rest_of_k3},
};

}  // namespace

const Machine* find_machine(std::string_view name) {
  for (const Machine& machine : machines) {
    if (name == machine.profile.name()) return &machine;
  }
  return nullptr;
}

std::string machine_names() {
  std::string names;
  for (const Machine& machine : machines) {
    if (!names.empty()) names += ", ";
    names += machine.profile.name();
  }
  return names;
}

std::vector<std::string> cpu_strings(const Machine& machine, CpuVariant variant) {
  std::string base = cpu::vector + std::to_string(machine.profile.vlen);
  if (variant.agnostic_ones) base += cpu::agnostic_ones;
  if (variant.half_avl) base += cpu::half_avl;
  return {base + machine.rest_of_cpu, base};
}

}  // namespace tessera::run
