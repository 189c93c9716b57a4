// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Where this system keeps the vector state of an interrupted program, without the runtime: prints
// "vector state in the signal frame, vlen N" or "vector state in live registers".
#include "emu/trap/entry.hpp"

#include <csignal>
#include <cstdio>

namespace {

volatile unsigned long vlenb = 0;

void look(int, siginfo_t*, void* context) {
  auto* user = static_cast<ucontext_t*>(context);
  if (const auto* frame = tessera::trap::vector_frame_of(user)) vlenb = frame->vlenb;
  tessera::trap::pc_of(user) += 4;
}

}  // namespace

int main() {
  struct sigaction action{};
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, nullptr);
  // A use of vectors first: Linux saves no state of who has none.
  asm volatile(
      ".option push\n.option arch, +v\nvsetvli t0, zero, e8, m1, ta, ma\nvmv.v.i v0, 1\n"
      ".4byte 0x0000000b\n.option pop" ::
          : "t0", "memory");
  if (vlenb != 0) {
    std::printf("vector state in the signal frame, vlen %lu\n", vlenb * 8);
  } else {
    std::puts("vector state in live registers");
  }
  return 0;
}
