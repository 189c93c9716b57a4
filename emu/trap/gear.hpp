// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// How much is done per trap.
#ifndef TESSERA_EMU_TRAP_GEAR_HPP_
#define TESSERA_EMU_TRAP_GEAR_HPP_

#include "tessera/config.hpp"

#include <atomic>

namespace tessera::trap {

enum class Gear : int {
  single = 0,   ///< a trap per instruction
  row = 1,      ///< a trap per row of instructions that follow one another directly
  rewrite = 2,  ///< the same, and the instruction is rewritten so that it does not trap again
};

inline constexpr Gear default_gear = Gear::rewrite;

extern std::atomic<Gear> chosen_gear;

/// Chooses by the number as text (null or empty: the default). False: there is no such gear.
bool choose_gear(const char* number);
void set_gear(Gear gear);
TESSERA_INLINE Gear present_gear() {
  return chosen_gear.load(std::memory_order_relaxed);
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_GEAR_HPP_
