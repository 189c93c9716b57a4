// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The handler on signal frames that carry the vector state, as Linux makes them: made by hand here,
// because this emulator leaves the state in the registers.
#include "emu/trap/entry.hpp"
#include "emu/trap/tessera_trap.h"
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/child.hpp"
#include "tests/trap/foreign.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <csignal>

namespace {

namespace ime = tessera::ime;
using tessera::trap::VectorFrame;
using trap_tests::Machine;

constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;

// A user context, the extension headers behind it, and the interrupted stack directly above.
class SignalFrame {
 public:
  SignalFrame(Machine& machine, std::uint32_t word, int code = ILL_ILLOPC) : word_(word) {
    const std::uint64_t vlenb = machine.image.vlenb;
    std::uint8_t* machine_context = reinterpret_cast<std::uint8_t*>(&context()->uc_mcontext);
    std::uint8_t* header = machine_context + 256 + 520;
    const std::uint32_t vector_header[2] = {0x53465457,
                                            static_cast<std::uint32_t>(8 + 48 + 32 * vlenb)};
    std::memcpy(header, vector_header, 8);
    const VectorFrame state{
        machine.image.vstart, machine.image.vl, machine.image.vtype, machine.image.vcsr, vlenb,
        header + 56};
    std::memcpy(header + 8, &state, sizeof state);
    std::memcpy(header + 56, machine.bytes().data(), 32 * vlenb);
    std::memset(header + 56 + 32 * vlenb, 0, 8);
    saved_ = header + 56;
    size_ = 32 * vlenb;
    context()->uc_mcontext.__gregs[0] = reinterpret_cast<unsigned long>(&word_);
    context()->uc_mcontext.__gregs[2] = reinterpret_cast<unsigned long>(header + 64 + size_);
    info_.si_code = code;
  }

  int arrive() { return tessera_trap_arrive(SIGILL, &info_, context(), &plan_); }
  ucontext_t* context() { return reinterpret_cast<ucontext_t*>(bytes_); }
  unsigned long progress() {
    return context()->uc_mcontext.__gregs[0] - reinterpret_cast<unsigned long>(&word_);
  }
  std::vector<std::uint8_t> saved() const { return {saved_, saved_ + size_}; }

 private:
  alignas(16) std::uint8_t bytes_[8192] = {};
  std::uint32_t word_;
  siginfo_t info_{};
  tessera::trap::Plan plan_{};
  std::uint8_t* saved_ = nullptr;
  std::uint64_t size_ = 0;
};

TEST(SavedState, is_used_instead_of_the_registers) {
  Machine machine;
  auto expected = machine.bytes();
  ime::VectorState state{{expected.data(), static_cast<int>(machine.image.vlenb)},
                         {machine.image.vtype},
                         machine.image.vl,
                         0,
                         0};
  const ime::Profile profile = machine.image.vlenb == 128 ? ime::k3 : ime::k1;
  ASSERT_EQ(ime::execute(profile, state, vmadot_v2_v0_v1), ime::Rule::none);
  tessera_trap_reset();
  SignalFrame frame(machine, vmadot_v2_v0_v1);
  EXPECT_EQ(frame.arrive(), 0);
  EXPECT_EQ(frame.progress(), 4u);
  EXPECT_EQ(frame.saved(), expected);
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 1u);
}

TEST(SavedState, breaks_rules_too) {
  const trap_tests::Ended ended = trap_tests::run_in_child([] {
    Machine machine;
    machine.image.vl = 1;
    SignalFrame frame(machine, vmadot_v2_v0_v1);
    const auto before = frame.saved();
    const bool stays = frame.arrive() == 0 && frame.progress() == 0 && frame.saved() == before;
    struct sigaction action{};
    sigaction(SIGILL, nullptr, &action);
    _exit(stays && action.sa_handler == SIG_DFL ? 5 : 6);
  });
  EXPECT_EQ(ended.status, 5);
  EXPECT_NE(ended.error.find(ime::message(ime::Rule::vl_not_vlmax)), std::string::npos);
}

TEST(SavedState, a_signal_that_was_sent_executes_nothing) {
  Machine machine;
  tessera_trap_reset();
  const int calls = trap_tests::foreign_calls;
  SignalFrame frame(machine, vmadot_v2_v0_v1, SI_USER);
  EXPECT_EQ(frame.arrive(), 0);
  EXPECT_EQ(frame.progress(), 0u);
  EXPECT_EQ(frame.saved(), machine.bytes());
  EXPECT_EQ(tessera_trap_retired("smt.vmadot"), 0u);
  EXPECT_EQ(trap_tests::foreign_calls, calls + 1);
}

TEST(SavedState, a_frame_without_it_means_live_registers) {
  Machine machine;
  SignalFrame frame(machine, vmadot_v2_v0_v1);
  // The stack pointer directly above the plain context: what lies beyond is not the frame's.
  frame.context()->uc_mcontext.__gregs[2] =
      reinterpret_cast<unsigned long>(&frame.context()->uc_mcontext) + 256 + 520;
  EXPECT_EQ(frame.arrive(), 1);
  EXPECT_EQ(frame.progress(), 0u);
}

}  // namespace
