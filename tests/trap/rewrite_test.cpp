// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The second gear: rewritten instructions execute without a trap and look as if they trapped.
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/child.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

extern "C" unsigned long changed_registers(void (*code)());

namespace {

namespace ime = tessera::ime;
using trap_tests::Ended;
using trap_tests::Machine;

constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;
constexpr std::uint32_t vmadotu_v4_v0_v1 = 0xe210022b;
constexpr std::uint32_t vmadot_v3_v0_v1 = 0xe21031ab;  // vd is odd: illegal
constexpr std::uint32_t ret = 0x00008067;
constexpr std::size_t page = 4096;
const std::vector<std::uint32_t> six = {0xe210312b, 0xe210022b, 0xe210132b,
                                        0xe210242b, 0xe210352b, 0xe210062b};

std::string hex(std::uint64_t value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%llx", static_cast<unsigned long long>(value));
  return buffer;
}

ime::Profile this_profile() {
  const char* chosen = std::getenv("TESSERA_PROFILE");
  if (chosen != nullptr && std::string(chosen) == ime::k3_bf16.name()) return ime::k3_bf16;
  return trap_tests::vlenb() == 128 ? ime::k3 : ime::k1;
}

// What the words make of these registers.
[[gnu::noinline]] void model(std::vector<std::uint8_t>& bytes,
                             const std::vector<std::uint32_t>& words) {
  const auto vlenb = static_cast<int>(trap_tests::vlenb());
  ime::VectorState state{{bytes.data(), vlenb}, {0xc0}, static_cast<unsigned>(vlenb), 0, 0};
  const ime::Profile profile = this_profile();
  for (const std::uint32_t word : words) {
    if (ime::execute(profile, state, word) != ime::Rule::none) std::abort();
  }
}

// Code at `offset` of a mapping of its own, readable and executable as a program's text is.
class Text {
 public:
  explicit Text(const std::vector<std::uint32_t>& words, std::size_t offset = 0,
                int sharing = MAP_PRIVATE, void* address = middle_of_nothing())
      : memory_(static_cast<char*>(
            mmap(address, 2 * page, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0))),
        offset_(offset) {
    if (memory_ == MAP_FAILED) std::abort();
    std::memcpy(memory_ + offset, words.data(), 4 * words.size());
    std::memcpy(memory_ + offset + 4 * words.size(), &ret, sizeof ret);
    if (mprotect(memory_, 2 * page, PROT_READ | PROT_EXEC) != 0) std::abort();
    asm volatile("fence.i" ::: "memory");
  }
  ~Text() { munmap(memory_, 2 * page); }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  void run(Machine& machine, std::size_t from = 0) const {
    run_on_registers(&machine.image, code(from));
  }
  using Function = void (*)();
  Function code(std::size_t from = 0) const {
    return reinterpret_cast<Function>(memory_ + offset_ + 4 * from);
  }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_ + offset_); }
  std::uint32_t word(std::size_t i) const {
    std::uint32_t value;
    std::memcpy(&value, memory_ + offset_ + 4 * i, sizeof value);
    return value;
  }
  void replace(std::size_t i, std::uint32_t value) {
    mprotect(memory_, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
    std::memcpy(memory_ + offset_ + 4 * i, &value, sizeof value);
    asm volatile("fence.i" ::: "memory");
    mprotect(memory_, 2 * page, PROT_READ | PROT_EXEC);
  }

  // An address with free memory around it. (QEMU 10 puts a mapping between its own libraries, which
  // the program cannot see, if it fits there.)
  static void* middle_of_nothing() {
    constexpr std::size_t around = 4u << 20;
    void* memory = mmap(nullptr, around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory, around);
    return static_cast<char*>(memory) + around / 2;
  }

 private:
  char* memory_;
  std::size_t offset_;
};

bool is_jump(std::uint32_t word) {
  return (word & 0xfff) == 0x06f;  // jal zero
}

// Runs the text until its word `from` is rewritten; tells how often it ran.
int run_until_rewritten(const Text& text, Machine& machine, std::size_t from = 0) {
  constexpr int enough = 5000;  // after a failure at this address it waits for 4096 traps
  for (int runs = 1; runs <= enough; ++runs) {
    text.run(machine, from);
    if (is_jump(text.word(from))) return runs;
  }
  ADD_FAILURE() << "not rewritten: " << hex(text.address() + 4 * from);
  return enough;
}

// From here on a trap is the end of the process.
void forbid_traps() {
  signal(SIGILL, SIG_DFL);
}

class Rewrite : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* gear = std::getenv("TESSERA_TRAP_GEAR");
    if (gear != nullptr) old_gear_ = std::atoi(gear);
    tessera_trap_set_gear(2);
    tessera_trap_reset();
  }
  void TearDown() override { tessera_trap_set_gear(old_gear_); }

 private:
  int old_gear_ = 2;
};

// On both alignments: with compressed instructions a word may straddle.
TEST_F(Rewrite, executes_without_a_trap) {
  for (const std::size_t offset : {0, 2}) {
    for (const auto& words : {std::vector<std::uint32_t>{vmadot_v2_v0_v1}, six}) {
      const Text text(words, offset);
      Machine machine;
      auto expected = machine.bytes();
      for (int runs = run_until_rewritten(text, machine); runs > 0; --runs) model(expected, words);
      ASSERT_EQ(machine.bytes(), expected);
      EXPECT_GE(tessera_trap_sites(), 1);
      if (words.size() > 1) {
        EXPECT_EQ(text.word(1), words[1]);
      }
      const Ended ended = trap_tests::run_in_child([&] {
        forbid_traps();
        // Every SEW is legal; the rest of the state is kept.
        for (const std::uint64_t vtype : {0xc0, 0x08, 0x50, 0x98}) {
          machine.image.vtype = vtype;
          machine.image.vl = trap_tests::vlenb() >> (vtype >> 3 & 7);
          const Registers before = machine.image;
          text.run(machine);
          model(expected, words);
          if (machine.bytes() != expected || machine.image.vtype != vtype ||
              machine.image.vl != before.vl || machine.image.vcsr != before.vcsr ||
              machine.image.vstart != 0) {
            _exit(6);
          }
        }
        _exit(tessera_trap_retired("smt.vmadot") >= 4 ? 5 : 7);
      });
      EXPECT_EQ(ended.status, 5) << ended.signal << ended.error;
    }
  }
}

TEST_F(Rewrite, keeps_the_integer_registers) {
  const Text text(six, 2);
  Machine machine;
  run_until_rewritten(text, machine);
  const Ended ended = trap_tests::run_in_child([&] {
    forbid_traps();
    asm volatile(".option push\n.option arch, +v\nvsetvli t0, zero, e8, m1, ta, ma\n.option pop" ::
                     : "t0");
    _exit(changed_registers(text.code()) == 0 ? 5 : 6);
  });
  EXPECT_EQ(ended.status, 5) << ended.signal << ended.error;
}

TEST_F(Rewrite, checks_the_state_each_time) {
  const Text text(six, 2);
  Machine machine;
  run_until_rewritten(text, machine);
  const struct {
    ime::Rule rule;
    std::uint64_t vtype, vl, vstart;
  } cases[] = {{ime::Rule::vill, std::uint64_t{1} << 63, 0, 0},
               {ime::Rule::lmul_not_one, 0xc1, 2 * trap_tests::vlenb(), 0},
               {ime::Rule::lmul_not_one, 0x17, trap_tests::vlenb() / 8, 0},
               {ime::Rule::vl_not_vlmax, 0xc0, trap_tests::vlenb() - 1, 0},
               {ime::Rule::vl_not_vlmax, 0x48, trap_tests::vlenb() / 4, 0},
               {ime::Rule::vstart_not_zero, 0xc0, trap_tests::vlenb(), 2}};
  for (const auto& c : cases) {
    const Ended ended = trap_tests::run_in_child([&] {
      machine.image.vtype = c.vtype;
      machine.image.vl = c.vl;
      machine.image.vstart = c.vstart;
      text.run(machine);
    });
    EXPECT_EQ(ended.signal, SIGILL) << ended.error;
    const std::string place = "pc " + hex(text.address()) + ": word " + hex(six[0]);
    EXPECT_NE(ended.error.find(place), std::string::npos) << ended.error;
    EXPECT_NE(ended.error.find(std::string("rule broken: ") + ime::message(c.rule)),
              std::string::npos)
        << ended.error;
  }
}

TEST_F(Rewrite, a_jump_into_the_middle_of_a_row) {
  const Text text(six, 2);
  Machine machine;
  auto expected = machine.bytes();
  const auto check = [&](std::size_t from, int runs) {
    for (; runs > 0; --runs) {
      model(expected, {six.begin() + static_cast<std::ptrdiff_t>(from), six.end()});
    }
    ASSERT_EQ(machine.bytes(), expected) << from;
  };
  for (const std::size_t from : {0u, 2u, 5u, 1u}) {
    check(from, run_until_rewritten(text, machine, from));
    for (std::size_t other = 0; other < six.size(); ++other) {
      text.run(machine, other);
      check(other, 1);
    }
  }
}

TEST_F(Rewrite, a_program_that_changes_its_code) {
  Text text(six);
  Machine machine;
  auto expected = machine.bytes();
  auto words = six;
  for (const std::size_t changed : {3u, 0u, 5u, 3u}) {
    for (int runs = run_until_rewritten(text, machine); runs > 0; --runs) model(expected, words);
    text.run(machine);
    model(expected, words);
    ASSERT_EQ(machine.bytes(), expected) << changed;
    words[changed] = words[changed] == vmadot_v2_v0_v1 ? vmadotu_v4_v0_v1 : vmadot_v2_v0_v1;
    text.replace(changed, words[changed]);
    text.run(machine);
    model(expected, words);
    ASSERT_EQ(machine.bytes(), expected) << changed;
  }
  text.replace(2, vmadot_v3_v0_v1);
  const Ended ended = trap_tests::run_in_child([&] { text.run(machine); });
  EXPECT_EQ(ended.signal, SIGILL);
  EXPECT_NE(ended.error.find("pc " + hex(text.address() + 8) + ":"), std::string::npos)
      << ended.error;
  // Something else, and then the old words again.
  text.replace(0, ret);
  text.run(machine);
  EXPECT_EQ(machine.bytes(), expected);
  text.replace(0, words[0]);
  text.replace(2, words[2]);
  for (int runs = run_until_rewritten(text, machine); runs > 0; --runs) model(expected, words);
  EXPECT_EQ(machine.bytes(), expected);
}

TEST_F(Rewrite, protection_stays) {
  const Text text({vmadot_v2_v0_v1});
  Machine machine;
  run_until_rewritten(text, machine);
  const Ended ended = trap_tests::run_in_child(
      [&] { *reinterpret_cast<volatile std::uint32_t*>(text.address()) = ret; });
  EXPECT_EQ(ended.signal, SIGSEGV);
}

// Memory that others see, an instruction on two pages, nothing free within the reach of a jump.
TEST_F(Rewrite, leaves_what_it_cannot_rewrite) {
  constexpr std::size_t around = 8u << 20;
  const auto check = [](const Text& text) {
    Machine machine;
    auto expected = machine.bytes();
    for (int run = 0; run < 40; ++run) {
      text.run(machine);
      model(expected, {vmadot_v2_v0_v1});
      ASSERT_EQ(machine.bytes(), expected);
      EXPECT_EQ(text.word(0), vmadot_v2_v0_v1);
    }
  };
  check(Text({vmadot_v2_v0_v1}, 1000, MAP_SHARED));
  check(Text({vmadot_v2_v0_v1}, page - 2));
  void* wall = mmap(nullptr, around, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(wall, MAP_FAILED);
  char* middle = static_cast<char*>(wall) + around / 2;
  const std::uint32_t words[] = {vmadot_v2_v0_v1, ret};
  ASSERT_EQ(mprotect(middle, page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
  std::memcpy(middle, words, sizeof words);
  Machine machine;
  auto expected = machine.bytes();
  for (int run = 0; run < 40; ++run) {
    run_on_registers(&machine.image, reinterpret_cast<void (*)()>(middle));
    model(expected, {vmadot_v2_v0_v1});
    ASSERT_EQ(machine.bytes(), expected);
    ASSERT_EQ(std::memcmp(middle, words, sizeof words), 0);
  }
  munmap(wall, around);
}

// Threads meet at code that none has executed yet, again and again.
TEST_F(Rewrite, threads_race_for_a_site) {
  constexpr int thread_count = 4;
  constexpr int meetings = 40;
  constexpr int runs = 15;
  std::vector<std::unique_ptr<Text>> texts;
  auto* memory = static_cast<char*>(Text::middle_of_nothing());
  for (int i = 0; i < meetings; ++i, memory += 2 * page) {
    texts.push_back(std::make_unique<Text>(six, i % 2 == 0 ? 2 : 0, MAP_PRIVATE, memory));
  }
  std::atomic<int> arrived{0};
  bool right[thread_count] = {};
  std::thread threads[thread_count];
  for (int t = 0; t < thread_count; ++t) {
    threads[t] = std::thread([&, t] {
      Machine machine;
      machine.bytes()[0] = static_cast<std::uint8_t>(t);
      auto expected = machine.bytes();
      right[t] = true;
      for (int i = 0; i < meetings; ++i) {
        arrived.fetch_add(1);
        while (arrived.load() < thread_count * (i + 1)) std::this_thread::yield();
        for (int run = 0; run < runs; ++run) {
          // Some come in the middle.
          const std::size_t from = (t + run) % 3 == 2 ? 2 : 0;
          texts[static_cast<std::size_t>(i)]->run(machine, from);
          model(expected, {six.begin() + static_cast<std::ptrdiff_t>(from), six.end()});
        }
        right[t] = right[t] && machine.bytes() == expected;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < thread_count; ++t) EXPECT_TRUE(right[t]) << t;
  std::uint64_t expected = 0;
  for (int t = 0; t < thread_count; ++t) {
    for (int run = 0; run < runs; ++run) expected += (t + run) % 3 == 2 ? 4 : 6;
  }
  std::uint64_t counted = 0;
  for (unsigned i = 0; i < tessera_trap_instructions(); ++i) counted += tessera_trap_retired_at(i);
  EXPECT_EQ(counted, expected * meetings);
}

volatile int ticks = 0;

void tick(int) {
  ticks = ticks + 1;
}

TEST_F(Rewrite, a_profiling_timer) {
  struct sigaction action{};
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
  const Text text(six);
  Machine machine;
  auto expected = machine.bytes();
  const int before = ticks;
  for (int run = 0; run < 100000 && (run < 2000 || ticks < before + 20); ++run) {
    text.run(machine);
    model(expected, six);
    if (machine.bytes() != expected) break;
  }
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  EXPECT_EQ(machine.bytes(), expected);
  EXPECT_GE(ticks, before + 20);
}

// The child has the sites and goes on rewriting. (Not while another thread executes something new:
// QEMU 7.2 then forks with a lock of its own taken, and the child never returns from it.)
TEST_F(Rewrite, fork_takes_the_sites_along) {
  const Text old(six);
  Machine machine;
  auto expected = machine.bytes();
  for (int runs = run_until_rewritten(old, machine); runs > 0; --runs) model(expected, six);
  for (int i = 0; i < 10; ++i) {
    const Ended ended = trap_tests::run_in_child([&, i] {
      const Text fresh(six, static_cast<std::size_t>(64 * i + 2));
      auto after = expected;
      old.run(machine);
      model(after, six);
      for (int runs = run_until_rewritten(fresh, machine); runs > 0; --runs) model(after, six);
      _exit(machine.bytes() == after && is_jump(fresh.word(0)) ? 5 : 6);
    });
    EXPECT_EQ(ended.status, 5) << ended.signal << ended.error;
  }
  old.run(machine);
  model(expected, six);
  EXPECT_EQ(machine.bytes(), expected);
}

}  // namespace
