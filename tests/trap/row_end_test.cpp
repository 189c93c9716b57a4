// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Random rows that end in an illegal word: the process dies at exactly that word, and all that came
// before it is in the registers.
#include "emu/trap/entry.hpp"
#include "tests/isa/model.hpp"
#include "tests/trap/child.hpp"
#include "tests/trap/machine.hpp"
#include "tests/trap/stream.hpp"

#include <gtest/gtest.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

namespace ime = tessera::ime;
using trap_tests::Code;
using trap_tests::Ended;
using trap_tests::Machine;
using trap_tests::Random;
using trap_tests::Stream;

constexpr std::uint32_t illegal_words[] = {
    0xe21031ab,  // vd is odd
    0xe241b12b,  // vd holds vs1
    0xa210312b,  // a reserved data type
    0xe010312b,  // masked
};

ime::Profile this_profile() {
  const char* chosen = std::getenv("TESSERA_PROFILE");
  if (chosen != nullptr && std::string(chosen) == ime::k3_bf16.name()) return ime::k3_bf16;
  return trap_tests::vlenb() == 128 ? ime::k3 : ime::k1;
}

struct Row {
  std::vector<std::uint32_t> words;
  std::vector<std::uint8_t> registers;  // after all but the last
};

Row row_with_end(Random& random, int length, std::uint32_t end) {
  Machine machine;  // as the one that the row will run on
  const ime::Profile profile = this_profile();
  Row row;
  row.registers = machine.bytes();
  ime::VectorState state{
      {row.registers.data(), profile.vlen_bytes()}, {machine.image.vtype}, machine.image.vl, 0, 0};
  Stream stream;
  trap_tests::append_row(random, profile, state, stream, length);
  EXPECT_EQ(trap_tests::execute_stream(profile, state, stream.halves), ime::Rule::none);
  for (std::size_t half = 0; half < stream.halves.size(); half += 2) {
    row.words.push_back(trap_tests::fetch(stream.halves, half).word);
  }
  row.words.push_back(end);
  return row;
}

const Row* expected_row;
std::uint64_t expected_pc;

// The vector state is live here, or in the frame. All is stored before anything is called.
void at_death(int, siginfo_t*, void* context) {
  static std::uint8_t bytes[32 * 128];
  Registers image{};
  image.bytes = bytes;
  store_registers(&image);
  auto* user = static_cast<ucontext_t*>(context);
  const tessera::trap::VectorFrame* frame = tessera::trap::vector_frame_of(user);
  const std::uint8_t* registers = frame != nullptr ? frame->registers : bytes;
  const bool right =
      tessera::trap::pc_of(user) == expected_pc &&
      std::memcmp(registers, expected_row->registers.data(), expected_row->registers.size()) == 0;
  _exit(right ? 5 : 6);
}

// Nobody reads the message, so its write sends SIGPIPE. That waits until the runtime's handler has
// returned, and so comes directly before the illegal word kills.
void die_into_a_closed_pipe() {
  int ends[2];
  if (pipe(ends) != 0) _exit(7);
  dup2(ends[1], 2);
  close(ends[0]);
  close(ends[1]);
  struct sigaction action{};
  action.sa_sigaction = at_death;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGPIPE, &action, nullptr);
}

void expect_death_at_the_end(const Row& row) {
  Machine machine;
  const Code code(row.words);
  expected_row = &row;
  expected_pc = code.address() + 4 * (row.words.size() - 1);
  const Ended spoken = trap_tests::run_in_child([&] { code.run(&machine.image); });
  char message[64];
  std::snprintf(message, sizeof message, "illegal instruction at pc 0x%llx: word 0x%08x ",
                static_cast<unsigned long long>(expected_pc), row.words.back());
  EXPECT_EQ(spoken.signal, SIGILL) << spoken.error;
  EXPECT_NE(spoken.error.find(message), std::string::npos) << message << spoken.error;
  const Ended unheard = trap_tests::run_in_child([&] {
    die_into_a_closed_pipe();
    code.run(&machine.image);
  });
  EXPECT_EQ(unheard.status, 5) << message << unheard.signal;
}

// A death takes QEMU a tenth of a second, so not every length meets every end.
TEST(RowEnd, an_illegal_word_kills_at_its_pc_and_what_came_before_is_done) {
  Random random(11);
  int deaths = 0;
  for (const int length : {0, 1, 2, 7, 15, 16, 17, 33}) {
    SCOPED_TRACE(length);
    expect_death_at_the_end(row_with_end(random, length, illegal_words[deaths++ % 4]));
  }
}

}  // namespace
