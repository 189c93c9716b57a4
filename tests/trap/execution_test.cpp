// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Legal words on the real registers: results, untouched state and counts.
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

namespace {

namespace ime = tessera::ime;
using trap_tests::Code;
using trap_tests::Machine;

ime::Profile this_profile() {
  const char* chosen = std::getenv("TESSERA_PROFILE");
  if (chosen != nullptr && std::string(chosen) == ime::k3_bf16.name()) return ime::k3_bf16;
  return trap_tests::vlenb() == 128 ? ime::k3 : ime::k1;
}

ime::VectorState state_of(const Registers& image, std::vector<std::uint8_t>& bytes) {
  return {{bytes.data(), static_cast<int>(image.vlenb)},
          {image.vtype},
          image.vl,
          image.vstart,
          image.vcsr};
}

// Not inlined: the whole model is compiled once here, instead of once per use.
[[gnu::noinline]] ime::Rule model(const ime::Profile& profile, const Registers& image,
                                  std::vector<std::uint8_t>& bytes, std::uint32_t word) {
  ime::VectorState state = state_of(image, bytes);
  return ime::execute(profile, state, word);
}

// A word of the instruction at `index` that keeps every rule of the operands.
std::uint32_t random_legal_word(std::mt19937& random, const ime::Profile& profile, int index) {
  while (true) {
    const ime::Operands operands{.vd = static_cast<std::uint8_t>(random() % 32),
                                 .vs1 = static_cast<std::uint8_t>(random() % 32),
                                 .vs2 = static_cast<std::uint8_t>(random() % 32),
                                 .vmask = static_cast<std::uint8_t>(random() % 2),
                                 .imm = static_cast<std::uint8_t>(random() % 8)};
    const ime::Signature& signature = ime::Instructions::table[index].signature;
    if (ime::check_fields(signature, operands) != ime::Rule::none) continue;
    const std::uint32_t word = ime::Instructions::encode(index, operands);
    if (ime::check_word(profile, word) == ime::Rule::none) return word;
  }
}

TEST(Execution, all_registers_equal_the_model_under_every_sew) {
  std::mt19937 random(3);
  const ime::Profile profile = this_profile();
  Code code({0});
  int executed[ime::instruction_count] = {};
  for (const std::uint64_t vtype : {0x00, 0x40, 0x80, 0xc0, 0xc8, 0xd0, 0xd8}) {
    Machine machine(vtype);
    auto expected = machine.bytes();
    for (int repetition = 0; repetition < 4 * ime::instruction_count; ++repetition) {
      const int index = repetition % ime::instruction_count;
      if (!profile.has(ime::Instructions::table[index].extension)) continue;
      const std::uint32_t word = random_legal_word(random, profile, index);
      const ime::Rule rule = model(profile, machine.image, expected, word);
      if (rule == ime::Rule::sew_too_wide) continue;  // vnpack at e64
      ASSERT_EQ(rule, ime::Rule::none) << std::hex << word;
      const Registers before = machine.image;
      code.set({word});
      code.run(&machine.image);
      ++executed[index];
      ASSERT_EQ(machine.bytes(), expected) << std::hex << word;
      ASSERT_EQ(machine.image.vtype, before.vtype);
      ASSERT_EQ(machine.image.vl, before.vl);
      ASSERT_EQ(machine.image.vcsr, before.vcsr);
      ASSERT_EQ(machine.image.vstart, 0u);
    }
  }
  for (int i = 0; i < ime::instruction_count; ++i) {
    const bool has = profile.has(ime::Instructions::table[i].extension);
    EXPECT_GE(executed[i], has ? 24 : 0) << tessera_trap_name(static_cast<unsigned>(i));
  }
}

TEST(Execution, layout_instructions_ignore_vl) {
  const ime::Profile profile = this_profile();
  if (!profile.has(ime::Extension::xsmtvdotii)) GTEST_SKIP() << "this machine has none";
  for (const std::uint32_t word :
       {0x67281c2bu /* vpack v24, v16, v18, 1 */, 0x4318362bu /* vnpack4 v12, v16, v17, 3 */}) {
    Machine machine;
    machine.image.vl = 3;
    auto expected = machine.bytes();
    ASSERT_EQ(model(profile, machine.image, expected, word), ime::Rule::none);
    const Code code({word});
    code.run(&machine.image);
    EXPECT_EQ(machine.bytes(), expected);
    EXPECT_EQ(machine.image.vl, 3u);
  }
}

TEST(Execution, a_row_of_words) {
  const ime::Profile profile = this_profile();
  Machine machine;
  auto expected = machine.bytes();
  const std::uint32_t words[] = {0xe210312b, 0xe210082b, 0xe210182b, 0xe210282b, 0xe210382b};
  for (const std::uint32_t word : words) {
    ASSERT_EQ(model(profile, machine.image, expected, word), ime::Rule::none);
  }
  const Code code({words[0], words[1], words[2], words[3], words[4]});
  code.run(&machine.image);
  EXPECT_EQ(machine.bytes(), expected);
}

TEST(Execution, an_instruction_may_straddle_a_four_byte_boundary) {
  const ime::Profile profile = this_profile();
  Machine machine;
  auto expected = machine.bytes();
  ASSERT_EQ(model(profile, machine.image, expected, 0xe210312b), ime::Rule::none);
  // c.nop, the word in two halves, c.nop
  const Code code({0x312b0001, 0x0001e210});
  code.run(&machine.image);
  EXPECT_EQ(machine.bytes(), expected);
}

TEST(Execution, counts_are_exact_per_mnemonic) {
  tessera_trap_reset();
  const auto runs = [](unsigned index) -> std::uint64_t { return 1 + (index * 5 + 6) % 13; };
  std::mt19937 random(4);
  Machine machine;
  Code code({0});
  std::uint64_t total = 0;
  for (unsigned i = 0; i < ime::instruction_count; ++i) {
    if (!this_profile().has(ime::Instructions::table[i].extension)) continue;
    code.set({random_legal_word(random, this_profile(), static_cast<int>(i))});
    for (std::uint64_t run = 0; run < runs(i); ++run) code.run(&machine.image);
    total += runs(i);
  }
  ASSERT_EQ(tessera_trap_instructions(), static_cast<unsigned>(ime::instruction_count));
  std::uint64_t counted = 0;
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) {
    const bool has = this_profile().has(ime::Instructions::table[i].extension);
    const std::uint64_t expected = has ? runs(i) : 0;
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
      const Code code({0xe210312b});
      for (int run = 0; run < runs; ++run) {
        (void)model(profile, machine.image, expected, 0xe210312b);
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
  ASSERT_EQ(model(profile, machine.image, expected, 0xe210312b), ime::Rule::none);
  const Code code({0xe210312b});
  errno = 77;
  code.run(&machine.image);
  EXPECT_EQ(errno, 77);
  EXPECT_EQ(machine.bytes(), expected);
  alternate.ss_flags = SS_DISABLE;
  ASSERT_EQ(sigaltstack(&alternate, nullptr), 0);
}

}  // namespace
