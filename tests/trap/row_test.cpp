// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Rows: several instructions per trap must look like one trap each.
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/child.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <csignal>
#include <cstdio>

namespace {

namespace ime = tessera::ime;
using trap_tests::Code;
using trap_tests::Ended;
using trap_tests::Machine;

constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;
constexpr std::uint32_t vmadotu_v4_v0_v1 = 0xe210022b;
constexpr std::uint32_t vmadot_v3_v0_v1 = 0xe21031ab;  // vd is odd: illegal
constexpr std::uint32_t nop = 0x00000013;

std::string hex(std::uint64_t value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

TEST(Row, a_breach_inside_has_its_own_pc_and_what_came_before_is_done) {
  const Code code({vmadot_v2_v0_v1, vmadotu_v4_v0_v1, vmadot_v3_v0_v1, vmadot_v2_v0_v1});
  const Ended ended = trap_tests::run_in_child([&] {
    Machine machine;
    code.run(&machine.image);
  });
  EXPECT_EQ(ended.signal, SIGILL) << ended.error;
  EXPECT_NE(ended.error.find("pc " + hex(code.address() + 8) + ": word 0xe21031ab"),
            std::string::npos)
      << ended.error;
}

// More words than one trap takes, with others between them.
TEST(Row, counts_every_word) {
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 40; ++i) {
    words.push_back(i % 3 == 2 ? vmadotu_v4_v0_v1 : vmadot_v2_v0_v1);
    if (i == 5 || i == 6) words.push_back(nop);
  }
  Machine machine;
  auto expected = machine.bytes();
  ime::VectorState state{{expected.data(), static_cast<int>(machine.image.vlenb)},
                         {machine.image.vtype},
                         machine.image.vl,
                         0,
                         0};
  const ime::Profile profile = machine.image.vlenb == 128 ? ime::k3 : ime::k1;
  for (const std::uint32_t word : words) {
    if (word != nop) {
      ASSERT_EQ(ime::execute(profile, state, word), ime::Rule::none);
    }
  }
  tessera_trap_reset();
  const Code code(words);
  code.run(&machine.image);
  EXPECT_EQ(machine.bytes(), expected);
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 27u);
  EXPECT_EQ(tessera_trap_retired("smt.vmadotu"), 13u);
}

char* forbidden_page;
unsigned long expected_pc;

void at_the_end(int, siginfo_t* info, void* context) {
  const bool right = static_cast<ucontext_t*>(context)->uc_mcontext.__gregs[0] == expected_pc &&
                     info->si_addr == forbidden_page && tessera_trap_retired("smt.vmadot") == 1;
  _exit(right ? 5 : 6);
}

// The last word of a page is executed without a look at the next page; also where the next word
// begins in this one.
TEST(Row, ends_with_the_page) {
  constexpr std::size_t page = 4096;
  auto* memory = static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  forbidden_page = memory + page;
  ASSERT_EQ(mprotect(forbidden_page, page, PROT_NONE), 0);
  for (const int begin : {4, 6}) {
    char* code = forbidden_page - begin;
    std::memcpy(code, &vmadot_v2_v0_v1, 4);
    std::memcpy(code + 4, &vmadot_v2_v0_v1, static_cast<std::size_t>(begin) - 4);
    asm volatile("fence.i" ::: "memory");
    const Ended ended = trap_tests::run_in_child([&] {
      struct sigaction action{};
      action.sa_sigaction = at_the_end;
      action.sa_flags = SA_SIGINFO;
      sigaction(SIGSEGV, &action, nullptr);
      expected_pc = reinterpret_cast<unsigned long>(code + 4);
      Machine machine;
      tessera_trap_reset();
      run_on_registers(&machine.image, reinterpret_cast<void (*)()>(code));
    });
    EXPECT_EQ(ended.status, 5) << begin << ' ' << ended.signal << ended.error;
  }
  munmap(memory, 2 * page);
}

}  // namespace
