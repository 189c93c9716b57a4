// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Words: published ones both ways, and every word of the opcode.
#include "emu/tool/parse.hpp"
#include "emu/tool/sweep.hpp"
#include "tessera/isa/ime/all.hpp"
#include "tests/isa/golden_words.hpp"
#include "tests/isa/model.hpp"

#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace {

namespace ime = tessera::ime;
namespace tool = tessera::tool;
using ime::Element;

using isa_tests::disassembled;

// int8 is the default and is printed without its suffix.
std::string canonical(std::string assembly) {
  const auto suffix = assembly.rfind(", i8");
  if (suffix != std::string::npos) assembly.erase(suffix);
  return assembly;
}

TEST(Encoding, golden_words_disassemble) {
  for (const GoldenWord& golden : golden_words) {
    EXPECT_EQ(disassembled(golden.word), canonical(golden.assembly)) << golden.source;
  }
}

static_assert(std::size(golden_words) == 137);

TEST(Encoding, golden_words_assemble_in_both_spellings) {
  int legal = 0;
  for (const GoldenWord& golden : golden_words) {
    const std::string line = golden.assembly;
    std::string vendor = line.substr(4);
    if (const auto dot = vendor.find(".vv"); dot != std::string::npos) vendor.erase(dot, 3);
    const ime::Rule rule = ime::check_word(ime::k3, golden.word);
    const std::string error = rule == ime::Rule::none ? "" : ime::message(rule);
    legal += rule == ime::Rule::none;
    for (const std::string& spelling : {line, canonical(line), vendor}) {
      const tool::Assembled result = tool::assemble(spelling);
      EXPECT_EQ(result.word, golden.word) << spelling;
      EXPECT_EQ(result.error, error) << spelling;
    }
  }
  // Sixteen lines of the assemblers' suites overlap vd:vd+1 with vs1 = v3: encodable, legal nowhere.
  EXPECT_EQ(legal, 121);
}

TEST(Encoding, int8_may_be_spelled) {
  EXPECT_EQ(tool::assemble("smt.vmadot1 v0, v2, v4, i8").word, 0xe641302bu);
  EXPECT_EQ(tool::assemble("vmadot.hp v16, v2, v8, v1, 4, i8").word, 0xf281482bu);
}

TEST(Encoding, random_words_of_each_instruction_assemble_from_their_disassembly) {
  std::mt19937 random(5);
  for (int i = 0; i < ime::instruction_count; ++i) {
    for (int repetition = 0; repetition < 200; ++repetition) {
      const std::uint32_t word = isa_tests::random_legal_word(random, i);
      const tool::Assembled result = tool::assemble(disassembled(word));
      ASSERT_EQ(result.word, word) << disassembled(word);
      ASSERT_EQ(result.error, "");
      ASSERT_EQ(ime::identify(word).index, i);
    }
  }
}

TEST(Encoding, golden_words_encode_from_their_operands) {
  for (const GoldenWord& golden : golden_words) {
    const ime::Identified found = ime::identify(golden.word);
    ASSERT_GE(found.index, 0) << golden.assembly;
    const ime::Operands operands = ime::Instructions::operands(found.index, golden.word);
    EXPECT_EQ(ime::Instructions::encode(found.index, operands), golden.word) << golden.assembly;
  }
}

TEST(Encoding, vendor_spelling_and_spaces) {
  EXPECT_EQ(tool::assemble("vmadot v2,v0,v1").word, 0xe210312bu);
  EXPECT_EQ(tool::assemble("  smt.vmadot\tv2 , v0 , v1 ").word, 0xe210312bu);
  EXPECT_EQ(tool::assemble("vmadot v0,v31,v2,i4").word, 0xc22fb02bu);
}

TEST(Encoding, bad_lines_are_refused_with_a_reason) {
  for (const char* line :
       {"", "smt.vmadot", "smt.vmadot v2, v0", "smt.vmadot v2, v0, v1, v3",
        "smt.vmadot v2, v0, v32", "smt.vmadot v2, v0, x1", "smt.vmadot v2, v0, v",
        "smt.vmadot v2, v0, v01", "smt.vmadotx v2, v0, v1", "smt.vmadot v2, v0, v1, i2",
        "smt.vmadot v3, v0, v1", "smt.vmadot.vv v2, v0, v1", "vpack.sp v2, v4, v5, 1",
        "smt.vpack.vv v2, v4, v5", "smt.vpack.vv v2, v4, v5, -1", "smt.vpack.vv v2, v4, v5, 1, i8",
        "smt.vmadot.sp v16, v2, v8, 1", "smt.vmadot.sp v16, v2, v8, v0", "smt. v2, v0, v1"}) {
    const tool::Assembled result = tool::assemble(line);
    EXPECT_FALSE(result.word) << line;
    EXPECT_FALSE(result.error.empty()) << line;
  }
}

TEST(Encoding, broken_rules_are_named) {
  using ime::Rule;
  const struct {
    const char* line;
    Rule rule;
  } cases[] = {
      {"smt.vmadot v3, v0, v1", Rule::vd_odd},
      {"smt.vmadot1 v2, v5, v1", Rule::vs1_odd},
      {"smt.vmadot2su v2, v4, v1, i4", Rule::slide_not_int8},
      {"smt.vmadot.sp v17, v2, v8, v0, 1", Rule::vd_odd},
      {"smt.vmadot.sp v16, v3, v8, v0, 1", Rule::vs1_odd},
      {"smt.vmadot.sp v16, v2, v8, v2, 1", Rule::vmask_not_v0_v1},
      {"smt.vmadot.sp v16, v2, v8, v0, 4", Rule::imm_out_of_range},
      {"smt.vmadot.sp v16, v2, v8, v0, 2, i4", Rule::imm_out_of_range},
      {"smt.vmadot.sp v16, v0, v8, v1, 0", Rule::source_is_v0},
      {"smt.vmadot.hp v16, v2, v0, v1, 0", Rule::source_is_v0},
      {"smt.vmadot.hp v16, v2, v3, v31, 0", Rule::vmask_not_v0_v1},
      {"smt.vmadot.hp v16, v2, v3, v1, 8", Rule::imm_out_of_range},
      {"smt.vfwmadot v1, v2, v3", Rule::vd_odd},
      {"smt.vfwmadot3 v2, v5, v8", Rule::vs1_odd},
      {"smt.vpack.vv v3, v4, v5, 1", Rule::vd_odd},
      {"smt.vnpack4.vv v3, v4, v5, 4", Rule::imm_out_of_range},
  };
  for (const auto& c : cases) {
    const tool::Assembled result = tool::assemble(c.line);
    EXPECT_FALSE(result.word) << c.line;
    EXPECT_EQ(result.error, ime::message(c.rule)) << c.line;
  }
  // These can be encoded, so the word comes with the error.
  for (const char* line : {"smt.vmadot v2, v2, v1", "smt.vmadot.hp v3, v3, v1, v0, 0",
                           "smt.vnpack.vv v3, v3, v1, 0", "smt.vmadot3 v2, v2, v1"}) {
    EXPECT_TRUE(tool::assemble(line).word) << line;
    EXPECT_EQ(tool::assemble(line).error, ime::message(Rule::vd_overlaps_vs1)) << line;
  }
  EXPECT_EQ(tool::assemble("smt.vmadot v2, v0, v3").error, ime::message(Rule::vd_overlaps_vs2));
}

TEST(Encoding, words_parse) {
  EXPECT_EQ(tool::parse_word("0xe210312b"), 0xe210312bu);
  EXPECT_EQ(tool::parse_word("E210312B"), 0xe210312bu);
  for (const char* bad : {"", "0x", "g", "123456789", "-1", "0x 1"}) {
    EXPECT_FALSE(tool::parse_word(bad)) << bad;
  }
}

// The number of legal words, counted from the prose: registers that are apart, times immediates.
std::uint64_t expected_words(const std::string& name) {
  const bool int4 = name.ends_with(":i4");
  // vd even, vs1 and vs2 among the 30 others.
  constexpr std::uint64_t pair_one_one = 16 * 30 * 30;
  constexpr std::uint64_t pair_pair_one = 16 * 15 * 30;
  if (name.find(".sp") != std::string::npos) {
    // Without v0: for vd = v0 one pair and one register less are left than for the 15 others.
    return 2 * (int4 ? 2 : 4) * (1 * 15 * 30 + 15 * 14 * 29);
  }
  if (name.find(".hp") != std::string::npos) return 2 * 8 * (1 * 31 * 31 + 31 * 30 * 30);
  if (name.find("vpack") != std::string::npos || name.find("vupack") != std::string::npos) {
    return 4 * pair_one_one;
  }
  if (name.find("pack") != std::string::npos) return 4 * 32 * 31 * 31;
  const bool slide = name.find_first_of("123") != std::string::npos;
  return slide ? pair_pair_one : pair_one_one;
}

TEST(Encoding, exactly_the_legal_words_decode) {
  for (const ime::Profile& profile : {ime::k1, ime::x100, ime::k3}) {
    const tool::SweepResult result = tool::sweep(profile);
    EXPECT_EQ(result.words, std::uint64_t{1} << 25);
    EXPECT_EQ(result.faults, 0u) << std::hex << result.first_fault;
    std::uint64_t total = 0;
    for (int i = 0; i < ime::instruction_count; ++i) {
      const bool has = profile.has(ime::Instructions::table[i].extension);
      const std::string name = isa_tests::name_of(i);
      EXPECT_EQ(result.legal[i], has ? expected_words(name) : 0u) << profile.name() << ' ' << name;
      total += result.legal[i];
    }
    EXPECT_EQ(total, profile.core == ime::Core::k3 ? 4852960u : 144000u);
  }
}

TEST(Encoding, other_opcodes_do_not_decode) {
  for (std::uint32_t opcode = 0; opcode < 128; ++opcode) {
    if (opcode == ime::opcode_custom1) continue;
    const std::uint32_t word = (0xe210312b & ~0x7fu) | opcode;
    EXPECT_FALSE(ime::decode(word, ime::k3)) << opcode;
    EXPECT_EQ(disassembled(word).substr(0, 7), ".4byte ") << opcode;
  }
}

TEST(Encoding, dt_selects_the_element_type) {
  const std::uint32_t word =
      ime::encode<ime::Vmadotus<Element::int4>>({.vd = 8, .vs1 = 1, .vs2 = 2});
  EXPECT_EQ(ime::field(word, 29, 2), 2u);
  EXPECT_EQ(disassembled(word), "smt.vmadotus v8, v1, v2, i4");
  EXPECT_EQ(disassembled(word | 1u << 29), "smt.vmadotus v8, v1, v2");
}

TEST(Text, cuts_what_does_not_fit) {
  char buffer[8];
  ime::Text text(buffer, sizeof buffer);
  text.put("abc").decimal(12345).put("xyz");
  EXPECT_STREQ(buffer, "abc1234");
  EXPECT_EQ(text.length(), 7);
  ime::Text hex(buffer, sizeof buffer);
  hex.hex(0).put(' ').hex(0xf, 2);
  EXPECT_STREQ(buffer, "0x0 0x0");
}

TEST(Text, numbers) {
  char buffer[64];
  ime::Text text(buffer, sizeof buffer);
  text.decimal(0)
      .put(' ')
      .decimal(~std::uint64_t{0})
      .put(' ')
      .hex(~std::uint64_t{0})
      .put(' ')
      .hex(0x12, 8);
  EXPECT_STREQ(buffer, "0 18446744073709551615 0xffffffffffffffff 0x00000012");
}

}  // namespace
