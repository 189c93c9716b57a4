/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/steady.h"

#include <stdatomic.h>
#include <string.h>

/* riscv64 Linux's numbers. */
enum {
  call_clock_gettime = 113,
  call_times = 153,
  call_getrusage = 165,
  call_gettimeofday = 169,
  call_getrandom = 278,
  times_bytes = 32,
  rusage_bytes = 144,
  random_byte = 0x5a
};

/* Every look at a clock is a millisecond later, lest a loop that waits for one never ends. */
static atomic_uint_least64_t milliseconds;

static void write_clock(uint64_t host, uint64_t parts_of_millisecond) {
  const uint64_t now = atomic_fetch_add(&milliseconds, 1);
  const uint64_t value[2] = {1000000000 + now / 1000, now % 1000 * parts_of_millisecond};
  memcpy((void*)(uintptr_t)host, value, sizeof value);
}

void steady_begin(struct steady_call* call, int64_t number, uint64_t a1, uint64_t a2) {
  *call = (struct steady_call){number, {a1, a2}};
}

void steady_end(const struct steady_call* call, int64_t result, uint64_t base) {
  if (result < 0) return;
  const uint64_t first = base + call->arguments[0];
  const uint64_t second = base + call->arguments[1];
  switch (call->number) {
    case call_clock_gettime:
      write_clock(second, 1000000);
      break;
    case call_gettimeofday:
      if (call->arguments[0] != 0) write_clock(first, 1000);
      break;
    case call_times:
      if (call->arguments[0] != 0) memset((void*)(uintptr_t)first, 0, times_bytes);
      break;
    case call_getrusage:
      memset((void*)(uintptr_t)second, 0, rusage_bytes);
      break;
    case call_getrandom:
      memset((void*)(uintptr_t)first, random_byte, (size_t)result);
      break;
    default:
      break;
  }
}
