// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/actions.hpp"
#include "emu/trap/counters.hpp"
#include "emu/trap/entry.hpp"
#include "emu/trap/gear.hpp"
#include "emu/trap/profile.hpp"
#include "emu/trap/site.hpp"
#include "emu/trap/system_call.hpp"
#include "emu/trap/tessera_trap.h"
#include "emu/trap/trace.hpp"

#include <pthread.h>
#include <atomic>
#include <cstdlib>

namespace {

constexpr char bad_profile[] = "tessera: TESSERA_PROFILE must be k1, x100, k3 or k3-bf16\n";
constexpr char bad_gear[] = "tessera: TESSERA_TRAP_GEAR must be 0, 1 or 2\n";

std::atomic<int> begun{0};  // int: GCC calls libatomic for the exchange of a byte

// What the parent executed is in the parent's statistics.
void begin_child() {
  tessera::trap::begin_counts();
  tessera::trap::reopen_trace();
  tessera::trap::forget_other_threads();
}

}  // namespace

int tessera_trap_install(void) {
  using namespace tessera::trap;
  if (begun.exchange(1)) return handler_installed() ? 0 : -1;
  if (!choose_profile(std::getenv("TESSERA_PROFILE"))) {
    write_all(2, bad_profile, sizeof bad_profile - 1);
    return -1;
  }
  if (!choose_gear(std::getenv("TESSERA_TRAP_GEAR"))) {
    write_all(2, bad_gear, sizeof bad_gear - 1);
    return -1;
  }
  if (!choose_trace(std::getenv("TESSERA_TRAP_TRACE"))) return -1;
  const char* statistics = std::getenv("TESSERA_TRAP_STATS");
  choose_statistics(statistics);
  begin_counts();
  install_handler();
  set_have_vector(tessera_trap_read_vlenb() != 0);
  pthread_atfork(nullptr, nullptr, begin_child);
  if (statistics != nullptr) std::atexit(print_statistics);
  return 0;
}
