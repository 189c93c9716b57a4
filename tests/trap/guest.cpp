// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A program that knows nothing of the runtime: it executes matrix instructions and checks the result.
//   guest compute   100 vmadots            exit 0 if right
//   guest foreign   the same, with a SIGILL handler of its own set by sigaction and by signal
//   guest illegal   an illegal form
//   guest other     an illegal instruction that is nobody's
//   guest vill      a vector instruction under vill
//   guest sent      raise(SIGILL)
//   guest idle      none of these
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

void execute(std::uint32_t word, std::uint64_t vtype) {
  static std::uint8_t bytes[32 * 1024];
  Registers image{0, 0, vtype, 0, trap_tests::vlenb(), bytes};
  const Code code({word});
  code.run(&image);
}

bool foreign() {
  struct sigaction action{};
  action.sa_sigaction = skip;
  action.sa_flags = SA_SIGINFO;
  struct sigaction seen{};
  if (sigaction(SIGILL, &action, &seen) != 0 || seen.sa_handler != SIG_DFL) return false;
  if (sigaction(SIGILL, nullptr, &seen) != 0 || seen.sa_sigaction != skip) return false;
  execute(0x0000000b, 0xc0);
  if (handled != 1 || !compute() || handled != 1) return false;
  if (signal(SIGILL, leave) != seen.sa_handler) return false;  // skip, in its other type
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
  if (std::strcmp(what, "illegal") == 0) execute(0xe210312b, 0xc1);
  if (std::strcmp(what, "other") == 0) execute(0x0000000b, 0xc0);
  if (std::strcmp(what, "vill") == 0) execute(0x02208157, std::uint64_t{1} << 63);
  if (std::strcmp(what, "sent") == 0) raise(SIGILL);
  std::puts(right ? "guest right" : "guest wrong");
  std::fflush(stdout);  // before the runtime's statistics
  return right ? 0 : 1;
}
