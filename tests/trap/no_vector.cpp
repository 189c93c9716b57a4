// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The runtime in a program on a machine without vector registers: it starts, other SIGILLs pass, and
// a matrix instruction dies with a message.
#include "emu/trap/tessera_trap.h"
#include "tests/trap/child.hpp"

#include <ucontext.h>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace {

volatile int skipped = 0;

void skip(int, siginfo_t*, void* context) {
  skipped = skipped + 1;
  static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0] += 4;
}

void vadd() {
  asm volatile(".4byte 0x02208157");
}
void vmadot() {
  asm volatile(".4byte 0xe210312b");
}

}  // namespace

int main() {
  struct sigaction action{};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
  if (tessera_trap_install() != 0 || skipped != 0) return 1;
  vadd();
  if (skipped != 1) return 2;
  const trap_tests::Ended ended = trap_tests::run_in_child(vmadot);
  std::printf("signal %d\n%s", ended.signal, ended.error.c_str());
  if (ended.signal != SIGILL) return 3;
  return ended.error.find("no vector registers") == std::string::npos ? 4 : 0;
}
