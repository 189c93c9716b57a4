// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Installs a foreign SIGILL handler, then the runtime behind whose back it came, then runs the tests.
#include "emu/trap/tessera_trap.h"
#include "tests/trap/foreign.hpp"

#include <gtest/gtest.h>
#include <ucontext.h>
#include <csignal>

namespace trap_tests {

volatile int foreign_calls = 0;
volatile bool foreign_saw_sigill_blocked = false;
volatile bool foreign_saw_sigusr1_blocked = false;
volatile bool foreign_saw_sigusr2_blocked = false;
volatile int foreign_jumps = 0;
sigjmp_buf foreign_jump;

namespace {

void handler(int, siginfo_t* info, void* context) {
  foreign_calls = foreign_calls + 1;
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  foreign_saw_sigill_blocked = sigismember(&mask, SIGILL) == 1;
  foreign_saw_sigusr1_blocked = sigismember(&mask, SIGUSR1) == 1;
  foreign_saw_sigusr2_blocked = sigismember(&mask, SIGUSR2) == 1;
  if (foreign_jumps != 0) siglongjmp(foreign_jump, 1);
  if (info->si_code > 0) static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0] += 4;
}

}  // namespace

void install_foreign_handler() {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGILL, &action, nullptr);
}

}  // namespace trap_tests

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  trap_tests::install_foreign_handler();
  if (tessera_trap_install() != 0 || tessera_trap_install() != 0) return 1;
  return RUN_ALL_TESTS();
}
