// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/retired.hpp"

#include <cstddef>
#include <string_view>

#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace examples {
namespace {

struct Slot {
  const char* mnemonic;
  std::uint64_t count;
};
std::vector<Slot> slots;

}  // namespace

void RetiredCounter::retired(const char* mnemonic) {
  for (Slot& slot : slots) {
    if (slot.mnemonic == mnemonic || std::string_view(slot.mnemonic) == mnemonic) {
      ++slot.count;
      return;
    }
  }
  slots.push_back({mnemonic, 1});
}

std::vector<RetiredCount> retired_counts() {
  std::vector<RetiredCount> counts;
  for (const Slot& slot : slots) counts.push_back({slot.mnemonic, slot.count});
#if TESSERA_WITH_TRAP
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i)
    if (const std::uint64_t n = tessera_trap_retired_at(i); n != 0)
      counts.push_back({tessera_trap_name(i), n});
#endif
  return counts;
}

void reset_retired() {
  slots.clear();
#if TESSERA_WITH_TRAP
  tessera_trap_reset();
#endif
}

}  // namespace examples
