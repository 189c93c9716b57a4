// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// small_stack: with an alternate signal stack of 8 KiB, which the runtime must not overrun.
#include "tests/run/programs/rows.hpp"

#include <csignal>

namespace {

constexpr unsigned long size = 8192;
constexpr unsigned char canary = 0xa5;

struct {
  unsigned char below[size];
  alignas(16) unsigned char stack[size];
} memory;

}  // namespace

int main() {
  std::memset(&memory, canary, sizeof memory);
  stack_t stack{};
  stack.ss_sp = memory.stack;
  stack.ss_size = size;
  if (sigaltstack(&stack, nullptr) != 0) return 2;
  run_tests::Rows rows(1);
  rows.run(1000);
  unsigned long unused = 0;
  while (unused < size && memory.stack[unused] == canary) ++unused;
  bool right = rows.right();
  for (const unsigned char byte : memory.below) right = right && byte == canary;
  std::printf("alternate stack: %lu bytes used of %lu\n", size - unused, size);
  // Untouched, it was not used at all.
  return run_tests::verdict("small_stack", right && unused < size && unused > 0);
}
