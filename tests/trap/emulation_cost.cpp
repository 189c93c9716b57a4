// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What a matrix instruction costs under emulation: microseconds of this emulator on this computer,
// never a board's. Prints `KEY MICROSECONDS` lines. All ways are measured in turn, many times over,
// and the least time of each counts, so that other work on the computer disturbs little.
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/machine.hpp"

#include <time.h>
#include <ucontext.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

namespace ime = tessera::ime;

constexpr std::uint32_t nop = 0x00000013;
constexpr int words_per_call = 24;
constexpr int calls_per_measurement = 4;
constexpr int rounds = 150;

// Six sums in v8 to v19, rows of A in v0 and v1, columns of B in v2 to v4.
std::uint32_t vmadot(int i) {
  return ime::encode<ime::Vmadot<ime::Element::int8>>(
      {.vd = static_cast<std::uint8_t>(8 + 2 * i),
       .vs1 = static_cast<std::uint8_t>(i % 2),
       .vs2 = static_cast<std::uint8_t>(2 + i / 2)});
}

// Rows of this many vmadots with something else between them.
std::vector<std::uint32_t> program(int row) {
  std::vector<std::uint32_t> words;
  for (int i = 0; i < words_per_call; ++i) {
    words.push_back(vmadot(i % 6));
    if (i % row == row - 1) words.push_back(nop);
  }
  return words;
}

void skip(int, siginfo_t*, void* context) {
  static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0] += 4;
}

double microseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

// All ones in every vector register that is a source, and a legal vtype.
void prepare() {
  asm volatile(
      ".option push\n.option arch, +v\n"
      "vsetvli t0, zero, e8, m8, ta, ma\n"
      "vmv.v.i v0, 1\nvmv.v.i v8, 0\nvmv.v.i v16, 0\n"
      "vsetvli t0, zero, e8, m1, ta, ma\n"
      ".option pop"
      :
      :
      : "t0");
}

std::int64_t first_sum() {
  std::int64_t sum;
  asm volatile(
      ".option push\n.option arch, +v\n"
      "vsetvli t0, zero, e32, m1, ta, ma\nvmv.x.s %0, v8\n"
      "vsetvli t0, zero, e8, m1, ta, ma\n"
      ".option pop"
      : "=r"(sum)
      :
      : "t0");
  return sum;
}

struct Way {
  const char* key;
  const trap_tests::Code* code;
  int gear;  ///< -1: the empty handler
  double least = 1e9;
};

struct Actions {
  struct sigaction empty;
  struct sigaction runtime;
};

void measure(Way& way, const Actions& actions) {
  sigaction(SIGILL, way.gear < 0 ? &actions.empty : &actions.runtime, nullptr);
  if (way.gear >= 0) tessera_trap_set_gear(way.gear);
  prepare();
  const std::uint64_t before = tessera_trap_retired("smt.vmadot");
  const double start = microseconds();
  for (int call = 0; call < calls_per_measurement; ++call) way.code->call();
  const double elapsed = microseconds() - start;
  constexpr int executed = words_per_call * calls_per_measurement;
  const int expected = way.gear < 0 ? 0 : executed;
  const auto k = static_cast<std::int64_t>(trap_tests::vlenb() == 128 ? 16 : 8);
  if (tessera_trap_retired("smt.vmadot") - before != static_cast<std::uint64_t>(expected) ||
      first_sum() != k * expected / 6) {
    std::fprintf(stderr, "%s: wrong count or sum\n", way.key);
    std::exit(1);
  }
  if (elapsed / executed < way.least) way.least = elapsed / executed;
}

}  // namespace

int main() {
  Actions actions{};
  actions.empty.sa_sigaction = skip;
  actions.empty.sa_flags = SA_SIGINFO;
  sigfillset(&actions.empty.sa_mask);
  if (tessera_trap_install() != 0) return 2;
  sigaction(SIGILL, nullptr, &actions.runtime);
  const trap_tests::Code single(program(1));
  const trap_tests::Code row(program(6));
  const trap_tests::Code rewritten_single(program(1));
  const trap_tests::Code rewritten_row(program(6));
  Way ways[] = {{"empty_handler", &single, -1},  {"gear0_single", &single, 0},
                {"gear0_row", &row, 0},          {"gear1_single", &single, 1},
                {"gear1_row", &row, 1},          {"gear2_single", &rewritten_single, 2},
                {"gear2_row", &rewritten_row, 2}};
  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) measure(way, actions);
  }
  for (const Way& way : ways) std::printf("%s %.2f\n", way.key, way.least);
  for (const Way& way : ways) {
    if (way.gear == 0 || (way.gear == 1 && way.code == &single))
      std::printf("%s_above_empty %.2f\n", way.key, way.least - ways[0].least);
  }
  return 0;
}
