// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Illegal forms on the real registers: death by SIGILL, with a message that names the rule.
#include "tessera/isa/ime/all.hpp"
#include "tests/trap/child.hpp"
#include "tests/trap/machine.hpp"

#include <gtest/gtest.h>
#include <csignal>
#include <cstdio>

namespace {

namespace ime = tessera::ime;
using trap_tests::Code;
using trap_tests::Ended;
using trap_tests::Machine;

constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string hex(std::uint64_t value, int width = 1) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "0x%0*llx", width, static_cast<unsigned long long>(value));
  return buffer;
}

// One word on a machine that `prepare` spoilt.
template <class Prepare>
void expect_breach(std::uint32_t word, ime::Rule rule, const std::string& mnemonic,
                   Prepare prepare) {
  const Code code({word});
  const Ended ended = trap_tests::run_in_child([&] {
    Machine machine;
    prepare(machine.image);
    code.run(&machine.image);
  });
  EXPECT_EQ(ended.signal, SIGILL) << ended.error;
  EXPECT_TRUE(contains(ended.error, "pc " + hex(code.address()))) << ended.error;
  EXPECT_TRUE(contains(ended.error, "word " + hex(word, 8))) << ended.error;
  EXPECT_TRUE(contains(ended.error, mnemonic)) << ended.error;
  EXPECT_TRUE(contains(ended.error, std::string("rule broken: ") + ime::message(rule)))
      << ended.error;
}

void leave(Registers&) {}

TEST(Breach, the_legal_form_survives) {
  const Code code({vmadot_v2_v0_v1});
  const Ended ended = trap_tests::run_in_child([&] {
    Machine machine;
    code.run(&machine.image);
  });
  EXPECT_EQ(ended.status, 0) << ended.error;
  EXPECT_EQ(ended.error, "");
}

TEST(Breach, word_rules) {
  expect_breach(0xe21031ab, ime::Rule::vd_odd, "smt.vmadot v3, v0, v1", leave);
  expect_breach(0xe241b12b, ime::Rule::vd_overlaps_vs1, "smt.vmadot v2, v3, v4", leave);
  expect_breach(0xe232012b, ime::Rule::vd_overlaps_vs2, "smt.vmadotu v2, v4, v3", leave);
  expect_breach(vmadot_v2_v0_v1 & ~(1u << 25), ime::Rule::masked, "smt.vmadot v2, v0, v1", leave);
  expect_breach(vmadot_v2_v0_v1 & ~(3u << 29), ime::Rule::reserved_data_type, ".4byte", leave);
}

TEST(Breach, state_rules) {
  expect_breach(vmadot_v2_v0_v1, ime::Rule::vill, "vtype vill",
                [](Registers& r) { r.vtype = std::uint64_t{1} << 63; });
  expect_breach(vmadot_v2_v0_v1, ime::Rule::lmul_not_one, "vtype e8,m2,ta,ma (0xc1)",
                [](Registers& r) { r.vtype = 0xc1; });
  expect_breach(vmadot_v2_v0_v1, ime::Rule::lmul_not_one, "vtype e32,mf2,tu,mu (0x17)",
                [](Registers& r) { r.vtype = 0x17, r.vl = 1; });
  expect_breach(vmadot_v2_v0_v1, ime::Rule::vl_not_vlmax, " vl 3 ", [](Registers& r) { r.vl = 3; });
  expect_breach(vmadot_v2_v0_v1, ime::Rule::vstart_not_zero, " vstart 2 ",
                [](Registers& r) { r.vstart = 2; });
}

TEST(Breach, rules_of_the_other_families) {
  if (trap_tests::vlenb() != 128) GTEST_SKIP() << "this machine is no K3";
  expect_breach(0xc641302b, ime::Rule::slide_not_int8, ".4byte", leave);
  expect_breach(0x9e52d12b, ime::Rule::vs1_odd, "smt.vfwmadot1 v2, v5, v5", leave);
  expect_breach(0xd088382b, ime::Rule::vd_overlaps_vs1, "smt.vmadot.hp v16, v16, v8, v0, 3, i4",
                leave);
  expect_breach(0xc88138ab | 1u << 15, ime::Rule::imm_out_of_range,
                "smt.vmadot.sp v16, v2, v8, v0, 3, i4", leave);
  expect_breach(0xe80138ab, ime::Rule::source_is_v0, "smt.vmadot.sp v16, v2, v0, v0, 1", leave);
  expect_breach(0x625190ab, ime::Rule::sew_too_wide, "smt.vnpack.vv v1, v3, v5, 1",
                [](Registers& r) { r.vtype = 0xd8, r.vl = 16; });
  expect_breach(0x66c6372b, ime::Rule::block_too_large, "smt.vpack.vv v14, v12, v12, 3",
                [](Registers& r) { r.vtype = 0xc5, r.vl = 16; });
}

TEST(Breach, int4_on_a_core_without_it) {
  if (trap_tests::vlenb() != 32) GTEST_SKIP() << "this machine is a K3";
  expect_breach(0xc210312b, ime::Rule::not_in_profile, "smt.vmadot v2, v0, v1, i4", leave);
}

// These two are not ours: the handler of main skips them after the message. How a program without a
// handler ends is tested with the guest program.
TEST(Breach, an_ordinary_vector_instruction_under_vill_is_explained) {
  for (const std::uint32_t word :
       {0x02208157u /* vadd.vv v2, v2, v1 */, 0x02050107u /* vle8.v v2, (a0) */}) {
    const Code code({word});
    const Ended ended = trap_tests::run_in_child([&] {
      Machine machine;
      machine.image.vtype = std::uint64_t{1} << 63;
      code.run(&machine.image);
    });
    EXPECT_EQ(ended.status, 0);
    EXPECT_TRUE(contains(ended.error, "vill is set")) << ended.error;
    EXPECT_TRUE(contains(ended.error, "word " + hex(word, 8))) << ended.error;
    EXPECT_FALSE(contains(ended.error, "rule broken")) << ended.error;
  }
}

TEST(Breach, an_ordinary_illegal_instruction_says_nothing) {
  const Code code({0x0000000b});  // custom-0
  const Ended ended = trap_tests::run_in_child([&] {
    Machine machine;
    code.run(&machine.image);
  });
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.error, "");
}

}  // namespace
