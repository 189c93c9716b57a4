// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// profiler [vectors]: SIGPROF a thousand times a second while matrix instructions execute, until there
// were enough of both. With "vectors" its handler overwrites vector registers, as it may where the
// kernel saves them; qemu-riscv64 loses them even without matrix instructions.
#include "tests/run/programs/rows.hpp"

#include <sys/time.h>
#include <csignal>

namespace {

constexpr int least_signals = 50;
volatile int signals = 0;
volatile double sum = 0;
bool with_vectors = false;

void sample(int) {
  signals = signals + 1;
  double x = sum;
  for (int i = 0; i < 20; ++i) x = x * 0.5 + i;
  sum = x;
  if (with_vectors) {
    asm volatile(
        ".option push\n.option arch, +v\nvsetvli t0, zero, e32, m8, ta, ma\nvmv.v.i v0, 7\n"
        "vmv.v.i v8, 7\n.option pop" ::
            : "t0", "memory");
  }
}

}  // namespace

int main(int count, char** words) {
  with_vectors = count > 1 && std::strcmp(words[1], "vectors") == 0;
  struct sigaction action{};
  action.sa_handler = sample;
  action.sa_flags = SA_RESTART;
  const itimerval kilohertz{{0, 1000}, {0, 1000}};
  if (sigaction(SIGPROF, &action, nullptr) != 0) return 2;
  if (setitimer(ITIMER_PROF, &kilohertz, nullptr) != 0) return 2;
  bool right = true;
  for (std::uint32_t round = 0; round < 20 || signals < least_signals; ++round) {
    run_tests::Rows rows(round);
    rows.run(200);
    right = rows.right() && right;
  }
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  return run_tests::verdict("profiler", right);
}
