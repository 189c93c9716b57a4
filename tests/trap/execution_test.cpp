// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Legal words on the real registers: results, untouched state and counts.
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <cerrno>
#include <csignal>
#include <random>
#include <string>
#include <thread>

namespace {

namespace ime = tessera::ime;
using trap_tests::Code;
using trap_tests::Machine;

ime::Profile this_profile() {
  return trap_tests::vlenb() == 128 ? ime::k3 : ime::k1;
}

ime::VectorState state_of(const Registers& image, std::vector<std::uint8_t>& bytes) {
  return {{bytes.data(), static_cast<int>(image.vlenb)},
          {image.vtype},
          image.vl,
          image.vstart,
          image.vcsr};
}

std::uint32_t random_legal_word(std::mt19937& random, const ime::Profile& profile) {
  while (true) {
    const int index = static_cast<int>(random() % ime::instruction_count);
    const ime::Operands operands{.vd = static_cast<std::uint8_t>(random() % 32),
                                 .vs1 = static_cast<std::uint8_t>(random() % 32),
                                 .vs2 = static_cast<std::uint8_t>(random() % 32)};
    const std::uint32_t word = ime::Instructions::encode(index, operands);
    if (ime::check_word(profile, word) == ime::Rule::none) return word;
  }
}

TEST(Execution, all_registers_equal_the_model_under_every_sew) {
  std::mt19937 random(3);
  const ime::Profile profile = this_profile();
  Code code({0});
  for (const std::uint64_t vtype : {0x00, 0x40, 0x80, 0xc0, 0xc8, 0xd0, 0xd8}) {
    Machine machine(vtype);
    auto expected = machine.bytes();
    for (int repetition = 0; repetition < 60; ++repetition) {
      const std::uint32_t word = random_legal_word(random, profile);
      ime::VectorState state = state_of(machine.image, expected);
      ASSERT_EQ(ime::execute(profile, state, word), ime::Rule::none);
      const Registers before = machine.image;
      code.set({word});
      code.run(&machine.image);
      ASSERT_EQ(machine.bytes(), expected) << std::hex << word;
      ASSERT_EQ(machine.image.vtype, before.vtype);
      ASSERT_EQ(machine.image.vl, before.vl);
      ASSERT_EQ(machine.image.vcsr, before.vcsr);
      ASSERT_EQ(machine.image.vstart, 0u);
    }
  }
}

TEST(Execution, a_row_of_words) {
  const ime::Profile profile = this_profile();
  Machine machine;
  auto expected = machine.bytes();
  const std::uint32_t words[] = {0xe210312b, 0xe210082b, 0xe210182b, 0xe210282b, 0xe210382b};
  ime::VectorState state = state_of(machine.image, expected);
  for (const std::uint32_t word : words) {
    ASSERT_EQ(ime::execute(profile, state, word), ime::Rule::none);
  }
  const Code code({words[0], words[1], words[2], words[3], words[4]});
  code.run(&machine.image);
  EXPECT_EQ(machine.bytes(), expected);
}

TEST(Execution, an_instruction_may_straddle_a_four_byte_boundary) {
  const ime::Profile profile = this_profile();
  Machine machine;
  auto expected = machine.bytes();
  ime::VectorState state = state_of(machine.image, expected);
  ASSERT_EQ(ime::execute(profile, state, 0xe210312b), ime::Rule::none);
  // c.nop, the word in two halves, c.nop
  const Code code({0x312b0001, 0x0001e210});
  code.run(&machine.image);
  EXPECT_EQ(machine.bytes(), expected);
}

TEST(Execution, counts_are_exact_per_mnemonic) {
  tessera_trap_reset();
  const int runs[] = {7, 5, 3, 2, 11, 13, 17, 19};
  static_assert(sizeof runs / sizeof *runs == ime::instruction_count);
  Machine machine;
  Code code({0});
  std::uint64_t total = 0;
  for (int i = 0; i < ime::instruction_count; ++i) {
    if (!this_profile().has(ime::Instructions::table[i].extension)) continue;
    code.set({ime::Instructions::encode(i, {.vd = 2, .vs1 = 0, .vs2 = 1})});
    for (int run = 0; run < runs[i]; ++run) code.run(&machine.image);
    total += static_cast<std::uint64_t>(runs[i]);
  }
  ASSERT_EQ(tessera_trap_instructions(), static_cast<unsigned>(ime::instruction_count));
  std::uint64_t counted = 0;
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) {
    const bool has = this_profile().has(ime::Instructions::table[i].extension);
    const std::uint64_t expected = has ? static_cast<std::uint64_t>(runs[i]) : 0;
    EXPECT_EQ(tessera_trap_retired_at(i), expected) << tessera_trap_name(i);
    EXPECT_EQ(tessera_trap_retired(tessera_trap_name(i)), expected);
    counted += tessera_trap_retired_at(i);
  }
  EXPECT_EQ(counted, total);
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 7u);
  EXPECT_EQ(tessera_trap_retired("no such name"), 0u);
  EXPECT_EQ(tessera_trap_name(tessera_trap_instructions()), nullptr);
  EXPECT_EQ(tessera_trap_retired_at(tessera_trap_instructions()), 0u);
  tessera_trap_reset();
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 0u);
}

TEST(Execution, threads_have_their_own_registers) {
  constexpr int thread_count = 4;
  constexpr int runs = 100;
  tessera_trap_reset();
  const ime::Profile profile = this_profile();
  bool right[thread_count] = {};
  std::thread threads[thread_count];
  for (int t = 0; t < thread_count; ++t) {
    threads[t] = std::thread([&right, &profile, t] {
      Machine machine;
      machine.bytes()[0] = static_cast<std::uint8_t>(t + 1);
      auto expected = machine.bytes();
      ime::VectorState state = state_of(machine.image, expected);
      const Code code({0xe210312b});
      for (int run = 0; run < runs; ++run) {
        (void)ime::execute(profile, state, 0xe210312b);
        code.run(&machine.image);
      }
      right[t] = machine.bytes() == expected;
    });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < thread_count; ++t) EXPECT_TRUE(right[t]) << t;
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), std::uint64_t{thread_count} * runs);
}

TEST(Execution, errno_and_the_alternate_stack) {
  alignas(16) static char stack[16384];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  ASSERT_EQ(sigaltstack(&alternate, nullptr), 0);
  const ime::Profile profile = this_profile();
  Machine machine;
  auto expected = machine.bytes();
  ime::VectorState state = state_of(machine.image, expected);
  ASSERT_EQ(ime::execute(profile, state, 0xe210312b), ime::Rule::none);
  const Code code({0xe210312b});
  errno = 77;
  code.run(&machine.image);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(machine.bytes(), expected);
  alternate.ss_flags = SS_DISABLE;
  ASSERT_EQ(sigaltstack(&alternate, nullptr), 0);
}

}  // namespace
