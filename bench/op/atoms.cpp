// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/atoms.hpp"

#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace op {

void reset_atoms() {
  for (auto& [mnemonic, count] : CountRetired::counts) count = 0;
  CountRetired::decodes = 0;
#if TESSERA_WITH_TRAP
  tessera_trap_reset();
#endif
}

std::string retired_atoms(const std::string& name) {
  std::string text;
  const auto add = [&](std::string_view mnemonic, std::uint64_t count) {
    if (count == 0) return;
    text += (text.empty() ? "" : " ") + std::string(mnemonic) + "=" + std::to_string(count);
  };
  for (const auto& [mnemonic, count] : CountRetired::counts) add(mnemonic, count);
#if TESSERA_WITH_TRAP
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i)
    add(tessera_trap_name(i), tessera_trap_retired_at(i));
#endif
  return text.empty() ? "not counted (" + name + ")" : text;
}

}  // namespace op
