// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Other people's SIGILLs: handlers installed before the runtime (in main) and after it.
#include "tests/trap/foreign.hpp"
#include "emu/trap/tessera_trap.h"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <sys/time.h>
#include <ucontext.h>
#include <csignal>

namespace {

using trap_tests::Code;
using trap_tests::Machine;

constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;
constexpr std::uint32_t custom0 = 0x0000000b;

struct sigaction old_action;
volatile int after_calls = 0;

// Handles custom-0 and passes the rest to the action that it replaced.
void polite_handler(int signal, siginfo_t* info, void* context) {
  auto* ucontext = static_cast<ucontext_t*>(context);
  if (*reinterpret_cast<std::uint16_t*>(ucontext->uc_mcontext.__gregs[0]) == custom0) {
    after_calls = after_calls + 1;
    ucontext->uc_mcontext.__gregs[0] += 4;
    return;
  }
  old_action.sa_sigaction(signal, info, context);
}

void install_after(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGILL, &action, &old_action), 0);
}

TEST(Foreign, a_handler_installed_before_gets_what_is_not_ours) {
  const int calls = trap_tests::foreign_calls;
  Machine machine;
  const auto before = machine.bytes();
  const Code code({custom0, custom0});
  code.run(&machine.image);
  EXPECT_EQ(trap_tests::foreign_calls, calls + 2);
  EXPECT_EQ(machine.bytes(), before);  // live registers went through both handlers
}

TEST(Foreign, it_is_not_asked_about_what_is_ours) {
  const int calls = trap_tests::foreign_calls;
  Machine machine;
  const Code code({vmadot_v2_v0_v1});
  code.run(&machine.image);
  EXPECT_EQ(trap_tests::foreign_calls, calls);
}

TEST(Foreign, a_signal_that_was_sent_reaches_it_with_its_mask) {
  const int calls = trap_tests::foreign_calls;
  ASSERT_EQ(raise(SIGILL), 0);
  EXPECT_EQ(trap_tests::foreign_calls, calls + 1);
  EXPECT_TRUE(trap_tests::foreign_saw_sigill_blocked);
  EXPECT_TRUE(trap_tests::foreign_saw_sigusr1_blocked);
  EXPECT_FALSE(trap_tests::foreign_saw_sigusr2_blocked);
}

TEST(Foreign, a_handler_installed_after_passes_on_to_us) {
  install_after(polite_handler);
  tessera_trap_reset();
  const int calls = after_calls;
  Machine machine;
  const Code code({vmadot_v2_v0_v1, custom0, vmadot_v2_v0_v1});
  code.run(&machine.image);
  EXPECT_EQ(after_calls, calls + 1);
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 2u);
  ASSERT_EQ(sigaction(SIGILL, &old_action, nullptr), 0);
}

// An interrupted context whose mask blocks SIGILL is the runtime's own.
volatile int alarms = 0;
volatile int alarms_inside = 0;

void alarm_handler(int, siginfo_t*, void* context) {
  alarms = alarms + 1;
  if (sigismember(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGILL) == 1) {
    alarms_inside = alarms_inside + 1;
  }
}

TEST(Foreign, other_signals_wait_until_the_registers_are_back) {
  struct sigaction action{};
  action.sa_sigaction = alarm_handler;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ASSERT_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  const itimerval every_millisecond{{0, 1000}, {0, 1000}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &every_millisecond, nullptr), 0);
  Machine machine;
  const Code code({vmadot_v2_v0_v1, vmadot_v2_v0_v1, vmadot_v2_v0_v1, vmadot_v2_v0_v1});
  while (alarms < 50) code.run(&machine.image);
  const itimerval never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  EXPECT_EQ(alarms_inside, 0);
}

TEST(Foreign, a_handler_may_jump_out) {
  tessera_trap_reset();
  const Code theirs({custom0});
  const Code ours({vmadot_v2_v0_v1});
  Machine machine;
  trap_tests::foreign_jumps = 1;
  volatile int jumps = 0;
  while (jumps < 3) {
    if (sigsetjmp(trap_tests::foreign_jump, 1) == 0) {
      theirs.run(&machine.image);
      FAIL() << "the handler did not jump";
    } else {
      jumps = jumps + 1;
    }
    ours.run(&machine.image);
  }
  trap_tests::foreign_jumps = 0;
  EXPECT_EQ(jumps, 3);
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 3u);
}

}  // namespace
