// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A program that knows nothing of the runtime: it executes matrix instructions and checks the result.
//   guest compute   100 vmadots            exit 0 if right
//   guest foreign   the same, with a SIGILL handler of its own set by sigaction and by signal
//   guest illegal   an illegal form
//   guest probe     no matrix instruction
// Built twice: dynamically for LD_PRELOAD, and statically without the runtime.
#include "tests/trap/machine.hpp"

#include <ucontext.h>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace {

using trap_tests::Code;

constexpr int runs = 100;
volatile int handled = 0;

void skip(int, siginfo_t*, void* context) {
  handled = handled + 1;
  static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0] += 4;
}

void leave(int) {
  handled = handled + 1;
  signal(SIGILL, SIG_DFL);
}

// v0: all 1, v1: all 2, v2 and v3: 0. Every sum is then 2 * K * runs.
bool compute() {
  static std::uint8_t bytes[32 * 1024];
  const std::uint64_t vlenb = trap_tests::vlenb();
  Registers image{0, vlenb, 0xc0, 0, vlenb, bytes};
  for (std::uint64_t i = 0; i < 4 * vlenb; ++i) {
    bytes[i] = i < vlenb ? 1 : i < 2 * vlenb ? 2 : 0;
  }
  const Code code({0xe210312b});
  for (int run = 0; run < runs; ++run) code.run(&image);
  const std::int32_t expected = runs * 2 * (vlenb == 32 ? 8 : 16);
  for (std::uint64_t i = 0; i < 2 * vlenb; i += 4) {
    std::int32_t sum;
    std::memcpy(&sum, bytes + 2 * vlenb + i, 4);
    if (sum != expected) return false;
  }
  return true;
}

bool foreign() {
  struct sigaction action{};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  struct sigaction seen{};
  if (sigaction(SIGILL, &action, &seen) != 0 || seen.sa_handler != SIG_DFL) return false;
  if (sigaction(SIGILL, nullptr, &seen) != 0 || seen.sa_sigaction != skip) return false;
  std::uint8_t bytes[32 * 128] = {};
  Registers image{0, 0, 0xc0, 0, trap_tests::vlenb(), bytes};
  const Code code({0x0000000b});
  code.run(&image);
  if (handled != 1 || !compute() || handled != 1) return false;
  if (signal(SIGILL, leave) != reinterpret_cast<void (*)(int)>(skip)) return false;
  raise(SIGILL);
  if (handled != 2 || !compute()) return false;
  return signal(SIGILL, SIG_IGN) == SIG_DFL;
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "compute";
  bool right = true;
  if (std::strcmp(what, "compute") == 0) right = compute();
  if (std::strcmp(what, "foreign") == 0) right = foreign();
  if (std::strcmp(what, "illegal") == 0) {
    std::uint8_t bytes[32 * 128] = {};
    Registers image{0, 0, 0xc1, 0, trap_tests::vlenb(), bytes};
    const Code code({0xe210312b});
    code.run(&image);
  }
  std::puts(right ? "guest right" : "guest wrong");
  return right ? 0 : 1;
}
