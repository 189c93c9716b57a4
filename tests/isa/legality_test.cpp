// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// One negative test per rule, each a single change to a legal case; and what execution touches.
#include "tests/isa/model.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

using namespace isa_tests;
using ime::Element;
using ime::Form;
using ime::Rule;

constexpr std::uint64_t vtype_e8m1 = 0xc0;
constexpr std::uint32_t vmadot_v2_v0_v1 = 0xe210312b;
constexpr std::uint32_t vmadot_i4_v2_v0_v1 = 0xc210312b;

// Breaks a rule: it is named, and nothing changes.
void expect_refused(Machine& machine, std::uint32_t word, Rule rule) {
  const auto before = machine.bytes();
  EXPECT_EQ(machine.execute(word), rule) << disassembled(word) << ": wanted " << ime::message(rule);
  EXPECT_EQ(machine.bytes(), before);
}

std::uint32_t word_of(int vd, int vs1, int vs2) {
  return ime::encode<ime::Vmadot<Element::int8>>({.vd = static_cast<std::uint8_t>(vd),
                                                  .vs1 = static_cast<std::uint8_t>(vs1),
                                                  .vs2 = static_cast<std::uint8_t>(vs2)});
}

class Legality : public ::testing::TestWithParam<ime::Profile> {
 protected:
  Machine machine_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Cores, Legality, ::testing::Values(ime::k1, ime::x100, ime::k3),
                         [](const auto& info) { return std::string(info.param.name()); });

TEST_P(Legality, the_legal_case_is_legal) {
  EXPECT_EQ(machine_.execute(vmadot_v2_v0_v1), Rule::none);
}

TEST_P(Legality, unknown_word) {
  expect_refused(machine_, 0x0000002b, Rule::unknown_word);
  expect_refused(machine_, 0, Rule::unknown_word);
  expect_refused(machine_, vmadot_v2_v0_v1 & ~(3u << 30), Rule::unknown_word);
}

TEST_P(Legality, reserved_data_type) {
  expect_refused(machine_, vmadot_v2_v0_v1 & ~(3u << 29), Rule::reserved_data_type);
  expect_refused(machine_, (vmadot_v2_v0_v1 & ~(3u << 29)) | 1u << 29, Rule::reserved_data_type);
}

TEST_P(Legality, masked) {
  expect_refused(machine_, vmadot_v2_v0_v1 & ~(1u << 25), Rule::masked);
}

TEST_P(Legality, vd_odd) {
  for (int vd = 1; vd < 32; vd += 2)
    expect_refused(machine_, word_of(vd, (vd + 3) % 32, (vd + 5) % 32), Rule::vd_odd);
}

TEST_P(Legality, vd_overlaps_a_source) {
  for (int vd = 0; vd < 32; vd += 2) {
    for (int half = 0; half < 2; ++half) {
      const int free = (vd + 2) % 32;
      expect_refused(machine_, word_of(vd, vd + half, free), Rule::vd_overlaps_vs1);
      expect_refused(machine_, word_of(vd, free, vd + half), Rule::vd_overlaps_vs2);
    }
    EXPECT_EQ(machine_.execute(word_of(vd, (vd + 2) % 32, (vd + 31) % 32)), Rule::none);
  }
}

TEST_P(Legality, sources_may_be_equal_and_odd) {
  EXPECT_EQ(machine_.execute(word_of(4, 7, 7)), Rule::none);
}

TEST_P(Legality, vill) {
  machine_.state.vtype.bits = ime::VectorType::vill;
  machine_.state.vl = 0;
  expect_refused(machine_, vmadot_v2_v0_v1, Rule::vill);
}

TEST_P(Legality, lmul_must_be_one) {
  for (std::uint64_t vlmul = 1; vlmul < 8; ++vlmul) {
    machine_.state.vtype.bits = vtype_e8m1 | vlmul;
    expect_refused(machine_, vmadot_v2_v0_v1, Rule::lmul_not_one);
  }
}

TEST_P(Legality, every_sew_and_policy_is_fine) {
  for (std::uint64_t vsew = 0; vsew < 4; ++vsew) {
    for (std::uint64_t policy = 0; policy < 4; ++policy) {
      machine_.state.vtype.bits = policy << 6 | vsew << 3;
      machine_.state.vl = static_cast<std::uint64_t>(GetParam().vlen / (8 << vsew));
      EXPECT_EQ(machine_.execute(vmadot_v2_v0_v1), Rule::none) << vsew;
    }
  }
}

TEST_P(Legality, vl_must_be_vlmax) {
  const std::uint64_t vlmax = machine_.state.vl;
  for (const std::uint64_t vl : {std::uint64_t{0}, std::uint64_t{1}, vlmax - 1}) {
    machine_.state.vl = vl;
    expect_refused(machine_, vmadot_v2_v0_v1, Rule::vl_not_vlmax);
  }
  machine_.state.vl = vlmax;
  machine_.state.vtype.bits = vtype_e8m1 | 1 << 3;  // e16 halves VLMAX: this vl is stale
  expect_refused(machine_, vmadot_v2_v0_v1, Rule::vl_not_vlmax);
}

TEST_P(Legality, vstart_must_be_zero) {
  machine_.state.vstart = 1;
  expect_refused(machine_, vmadot_v2_v0_v1, Rule::vstart_not_zero);
}

TEST_P(Legality, int4_is_k3_only) {
  if (GetParam().core == ime::Core::k3) {
    EXPECT_EQ(machine_.execute(vmadot_i4_v2_v0_v1), Rule::none);
  } else {
    expect_refused(machine_, vmadot_i4_v2_v0_v1, Rule::not_in_profile);
  }
}

TEST(LegalityOfLength, the_registers_must_have_the_cores_length) {
  Machine machine(ime::k3);
  for (const int vlenb : {16, 32, 64}) {
    machine.state.regs.vlenb = vlenb;
    for (int i = 0; i < ime::instruction_count; ++i) {
      std::mt19937 random(1);
      EXPECT_EQ(isa_tests::check(ime::k3, machine.state, random_legal_word(random, i)),
                Rule::vlen_mismatch);
    }
  }
  machine.state.regs.vlenb = 128;
  EXPECT_EQ(isa_tests::check(ime::k1, machine.state, vmadot_v2_v0_v1), Rule::vlen_mismatch);
}

TEST(LegalityMessages, each_rule_has_its_own) {
  std::set<std::string> messages;
  for (int rule = 0; rule <= static_cast<int>(Rule::vl_not_vlmax); ++rule) {
    const std::string text = ime::message(static_cast<Rule>(rule));
    EXPECT_NE(text, "unknown rule");
    EXPECT_TRUE(messages.insert(text).second) << text;
  }
}

// Every rule for every instruction, each a single change to the legal case vd = v16, vs1 = v4,
// vs2 = v8, v1, imm 0.
class EachInstruction : public ::testing::TestWithParam<int> {
 protected:
  const ime::Descriptor& descriptor() const { return ime::Instructions::table[GetParam()]; }
  const ime::Signature& signature() const { return descriptor().signature; }
  bool has_vmask() const { return signature().form == Form::registers_vmask_imm; }
  bool is_layout() const { return descriptor().element == Element::none; }
  bool is_sparse() const { return has_vmask() && signature().vd_registers == 2; }
  bool is_slide() const {
    return descriptor().element == Element::int8 && signature().form == Form::registers &&
           signature().vs1_registers == 2;
  }
  std::uint32_t word(int vd = 16, int vs1 = 4, int vs2 = 8, int imm = 0) const {
    return ime::Instructions::encode(GetParam(), {.vd = static_cast<std::uint8_t>(vd),
                                                  .vs1 = static_cast<std::uint8_t>(vs1),
                                                  .vs2 = static_cast<std::uint8_t>(vs2),
                                                  .vmask = 1,
                                                  .imm = static_cast<std::uint8_t>(imm)});
  }
  ime::Operands operands() const { return {.vd = 16, .vs1 = 4, .vs2 = 8, .vmask = 1, .imm = 0}; }

  Machine machine_{ime::k3};
};
INSTANTIATE_TEST_SUITE_P(List, EachInstruction, ::testing::Range(0, ime::instruction_count),
                         [](const auto& info) {
                           std::string name = name_of(info.param);
                           for (char& c : name) {
                             if (c == '.' || c == ':') c = '_';
                           }
                           return name;
                         });

TEST_P(EachInstruction, the_legal_case_is_legal) {
  EXPECT_EQ(machine_.execute(word()), Rule::none);
}

TEST_P(EachInstruction, is_in_its_profiles_only) {
  const bool base = descriptor().extension == ime::Extension::xsmtvdot;
  for (const ime::Profile& profile : {ime::k1, ime::x100}) {
    Machine machine(profile);
    if (base) {
      EXPECT_EQ(machine.execute(word()), Rule::none);
    } else {
      expect_refused(machine, word(), Rule::not_in_profile);
    }
  }
}

TEST_P(EachInstruction, has_no_masked_form) {
  if (has_vmask()) {
    EXPECT_EQ(machine_.execute(word() ^ ime::unmasked_bit), Rule::none);
  } else {
    expect_refused(machine_, word() & ~ime::unmasked_bit, Rule::masked);
  }
}

TEST_P(EachInstruction, data_type_must_be_its_own) {
  if (is_layout()) return;  // these bits are part of the opcode
  for (std::uint32_t code = 0; code < 4; ++code) {
    const std::uint32_t changed = (word() & ~ime::data_type_mask) | code << 29;
    const std::uint32_t own = ime::field(word(), 29, 2);
    if (code == own) continue;
    if (is_slide() && code == 2) {
      expect_refused(machine_, changed, Rule::slide_not_int8);
    } else if (code < 2 || own == 0 || is_slide()) {
      expect_refused(machine_, changed, Rule::reserved_data_type);
    } else {
      EXPECT_EQ(machine_.execute(changed), Rule::none);  // the other integer type
    }
  }
}

TEST_P(EachInstruction, vd_of_a_pair_is_even) {
  auto odd = operands();
  odd.vd = 17;
  if (signature().vd_registers == 1) {
    EXPECT_EQ(ime::check_fields(signature(), odd), Rule::none);
    EXPECT_EQ(machine_.execute(word(17)), Rule::none);
    return;
  }
  EXPECT_EQ(ime::check_fields(signature(), odd), Rule::vd_odd);
  if (!is_sparse()) expect_refused(machine_, word(17), Rule::vd_odd);
}

TEST_P(EachInstruction, vs1_of_a_pair_is_even) {
  auto odd = operands();
  odd.vs1 = 5;
  const bool pair = signature().vs1_registers == 2;
  EXPECT_EQ(ime::check_fields(signature(), odd), pair ? Rule::vs1_odd : Rule::none);
  if (!pair) {
    EXPECT_EQ(machine_.execute(word(16, 5)), Rule::none);
  } else if (descriptor().element == Element::float16) {
    expect_refused(machine_, word(16, 5), Rule::vs1_odd);  // the others have no such word
  }
}

TEST_P(EachInstruction, vd_overlaps_no_source) {
  const int vd_count = signature().vd_registers;
  const int vs1_count = signature().vs1_registers;
  for (int i = 0; i < vd_count; ++i) {
    expect_refused(machine_, word(16, 4, 16 + i), Rule::vd_overlaps_vs2);
    if (vs1_count == 1) expect_refused(machine_, word(16, 16 + i), Rule::vd_overlaps_vs1);
  }
  if (vs1_count == 2) expect_refused(machine_, word(16, 16), Rule::vd_overlaps_vs1);
  EXPECT_EQ(machine_.execute(word(16, 16 - vs1_count, 16 + vd_count)), Rule::none);
  EXPECT_EQ(machine_.execute(word(16, 16 + vd_count, 15)), Rule::none);
}

TEST_P(EachInstruction, sources_may_be_the_same) {
  EXPECT_EQ(machine_.execute(word(16, 8, 8)), Rule::none);
}

TEST_P(EachInstruction, v0_is_a_source_unless_it_may_be_the_mask) {
  if (has_vmask()) {
    expect_refused(machine_, word(16, 0), Rule::source_is_v0);
    expect_refused(machine_, word(16, 4, 0), Rule::source_is_v0);
  } else {
    EXPECT_EQ(machine_.execute(word(16, 0, 0)), Rule::none);
  }
}

TEST_P(EachInstruction, immediates_and_mask_registers) {
  auto wrong = operands();
  if (signature().form == Form::registers) {
    EXPECT_EQ(signature().immediates, 0);
    return;
  }
  for (int imm = 0; imm < signature().immediates; ++imm) {
    EXPECT_EQ(machine_.execute(word(16, 4, 8, imm)), Rule::none);
  }
  wrong.imm = static_cast<std::uint8_t>(signature().immediates);
  EXPECT_EQ(ime::check_fields(signature(), wrong), Rule::imm_out_of_range);
  if (is_sparse() && descriptor().element == Element::int4) {
    expect_refused(machine_, word(16, 4, 8, 2), Rule::imm_out_of_range);
    expect_refused(machine_, word(16, 4, 8, 3), Rule::imm_out_of_range);
  }
  wrong = operands();
  wrong.vmask = 2;
  EXPECT_EQ(ime::check_fields(signature(), wrong),
            has_vmask() ? Rule::vmask_not_v0_v1 : Rule::none);
}

TEST_P(EachInstruction, state) {
  machine_.state.vtype.bits = ime::VectorType::vill;
  expect_refused(machine_, word(), Rule::vill);
  for (std::uint64_t vlmul = 1; vlmul < 8; ++vlmul) {
    machine_.state.vtype.bits = vtype_e8m1 | vlmul;
    if (vlmul == 4 && is_layout()) continue;  // reserved, and no block fits 1/16
    expect_refused(machine_, word(), Rule::lmul_not_one);
  }
  machine_.set_vsew(0);
  machine_.state.vstart = 1;
  expect_refused(machine_, word(), Rule::vstart_not_zero);
  machine_.state.vstart = 0;
  for (const std::uint64_t vl : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}}) {
    machine_.state.vl = vl;
    if (is_layout()) {
      EXPECT_EQ(machine_.execute(word()), Rule::none);
    } else {
      expect_refused(machine_, word(), Rule::vl_not_vlmax);
    }
  }
}

TEST_P(EachInstruction, every_sew) {
  const std::string name = name_of(GetParam());
  const bool halves = name == "smt.vnpack.vv" || name == "smt.vnspack.vv";
  for (int vsew = 0; vsew < 4; ++vsew) {
    machine_.set_vsew(vsew);
    if (halves && vsew == 3) {
      expect_refused(machine_, word(), Rule::sew_too_wide);
    } else {
      EXPECT_EQ(machine_.execute(word()), Rule::none) << vsew;
    }
  }
}

// VLEN / 8 is 16 bytes, VLEN / 4 32, VLEN / 2 64.
TEST_P(EachInstruction, a_block_fits_the_register_group) {
  if (!is_layout()) return;
  const bool narrow = signature().vd_registers == 1;
  for (int imm = 0; imm < 4; ++imm) {
    const int block = narrow ? 8 << imm : imm == 0 ? 1 : 8 << imm;
    for (int eighths = 1; eighths <= 4; eighths *= 2) {
      const std::uint64_t vlmul = eighths == 1 ? 5 : eighths == 2 ? 6 : 7;
      machine_.state.vtype.bits = vtype_e8m1 | vlmul;
      expect_refused(machine_, word(16, 4, 8, imm),
                     block > 16 * eighths ? Rule::block_too_large : Rule::lmul_not_one);
    }
  }
}

TEST(LegalityOfWords, reserved_patterns_are_unknown) {
  Machine machine(ime::k3);
  const std::uint32_t slide3_with_bit14 = 0xe680b12b | 1u << 14;
  const std::uint32_t sparse_with_bit14 = 0xe88138ab | 1u << 14;
  const std::uint32_t vmadot_with_bit14 = vmadot_v2_v0_v1 | 1u << 14;
  const std::uint32_t float_without_bit14 = 0x9e62412b & ~(1u << 14);
  for (const std::uint32_t word :
       {slide3_with_bit14, sparse_with_bit14, vmadot_with_bit14, float_without_bit14,
        0x6652112bu ^ 1u << 29, 0x6652112bu ^ 1u << 27, 0x4231b42bu ^ 1u << 26}) {
    if (ime::identify(word).rule == Rule::none) {
      ADD_FAILURE() << disassembled(word);
      continue;
    }
    expect_refused(machine, word, Rule::unknown_word);
  }
}

}  // namespace
