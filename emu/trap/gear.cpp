// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/gear.hpp"

#include "emu/trap/tessera_trap.h"

namespace tessera::trap {

std::atomic<Gear> chosen_gear{default_gear};

bool choose_gear(const char* number) {
  if (number == nullptr || *number == '\0') return true;
  const int gear = *number - '0';
  if (number[1] != '\0' || gear < 0 || gear > static_cast<int>(Gear::rewrite)) return false;
  set_gear(static_cast<Gear>(gear));
  return true;
}

void set_gear(Gear gear) {
  chosen_gear.store(gear, std::memory_order_relaxed);
}

}  // namespace tessera::trap

int tessera_trap_set_gear(int gear) {
  if (gear < 0 || gear > static_cast<int>(tessera::trap::Gear::rewrite)) return -1;
  tessera::trap::set_gear(static_cast<tessera::trap::Gear>(gear));
  return 0;
}
