// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// fork: parent and child execute matrix instructions before, between and after; the child's count
// begins at zero. Each process executes an amount of its own, so that sums tell who counted what.
#include "tests/run/programs/rows.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#ifdef TESSERA_TESTS_STATIC
#include "emu/trap/tessera_trap.h"
#endif

namespace {

bool work(std::uint32_t seed, long rows) {
  run_tests::Rows own(seed);
  own.run(rows);
  return own.right();
}

bool counted([[maybe_unused]] unsigned long rows) {
#ifdef TESSERA_TESTS_STATIC
  return tessera_trap_retired("smt.vmadot") == rows && tessera_trap_retired("smt.vmadotu") == rows;
#else
  return true;  // tessera-run --stats tells
#endif
}

// Half of the children end by their exit handlers, half without.
[[noreturn]] void child(int number) {
  const bool right = work(static_cast<std::uint32_t>(number), 100) && counted(100);
  if (number % 2 == 0) std::exit(right ? 0 : 1);
  _exit(right ? 0 : 1);
}

}  // namespace

int main() {
  constexpr int children = 4;
  bool right = work(1, 1000);
  pid_t ids[children];
  for (int i = 0; i < children; ++i) {
    ids[i] = ::fork();
    if (ids[i] == 0) child(i);
    right = ids[i] > 0 && work(2, 10) && right;  // while the child works
  }
  for (const pid_t id : ids) {
    int status = 1;
    right = waitpid(id, &status, 0) == id && status == 0 && right;
  }
  right = right && work(3, 1) && counted(1000 + 10 * children + 1);
  return run_tests::verdict("fork", right);
}
