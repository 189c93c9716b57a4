// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// With TESSERA_PROFILE=k2 the installation is refused, twice, and nothing is installed.
#include "emu/trap/tessera_trap.h"

#include <csignal>

int main() {
  if (tessera_trap_install() != -1 || tessera_trap_install() != -1) return 1;
  struct sigaction action{};
  if (sigaction(SIGILL, nullptr, &action) != 0) return 2;
  return action.sa_handler == SIG_DFL ? 0 : 3;
}
