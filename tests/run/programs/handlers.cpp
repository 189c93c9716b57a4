// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// handlers: illegal instructions of this program's own among matrix instructions, with a SIGILL
// handler of its own. Under the preload library the handler comes after the runtime and need not know
// of it. Linked with the runtime (TESSERA_TESTS_STATIC), one comes before and one after.
#include "tests/run/programs/rows.hpp"

#include <ucontext.h>
#include <csignal>
#include <cstdlib>

#ifdef TESSERA_TESTS_STATIC
#include "emu/trap/tessera_trap.h"
#endif

namespace {

constexpr int rounds = 500;
volatile int before_calls = 0;
volatile int after_calls = 0;
struct sigaction replaced;

unsigned long& pc_of(void* context) {
  return static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0];
}
// custom-0 with funct3 0 is the earlier handler's, with funct3 1 the later one's.
std::uint32_t word_at(void* context) {
  std::uint32_t word;
  std::memcpy(&word, reinterpret_cast<const void*>(pc_of(context)), 4);
  return word;
}
void custom0_0() {
  asm volatile(".4byte 0x0000000b");
}
void custom0_1() {
  asm volatile(".4byte 0x0000100b");
}

void before(int, siginfo_t*, void* context) {
  before_calls = before_calls + 1;
  if (word_at(context) != 0x0000000b) _Exit(3);  // a matrix instruction came this far
  pc_of(context) += 4;
}

void after(int signal, siginfo_t* info, void* context) {
  if (word_at(context) == 0x0000100b) {
    after_calls = after_calls + 1;
    pc_of(context) += 4;
  } else {
    replaced.sa_sigaction(signal, info, context);
  }
}

bool set_handler(void (*handler)(int, siginfo_t*, void*), struct sigaction* old) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  return sigaction(SIGILL, &action, old) == 0;
}

// Before the runtime where this program decides when that is.
bool set_up() {
#ifdef TESSERA_TESTS_STATIC
  return set_handler(before, nullptr) && tessera_trap_install() == 0 &&
         set_handler(after, &replaced) && replaced.sa_sigaction != before;
#else
  return set_handler(before, nullptr) && set_handler(after, &replaced) &&
         replaced.sa_sigaction == before;
#endif
}

}  // namespace

int main() {
  if (!set_up()) return 2;
  bool right = true;
  for (int round = 0; round < rounds; ++round) {
    run_tests::Rows rows(static_cast<std::uint32_t>(round));
    custom0_0();
    rows.run(3);
    custom0_1();
    right = rows.right() && right;
  }
  return run_tests::verdict("handlers", right && before_calls == rounds && after_calls == rounds);
}
