// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Words: published ones both ways, and every word of the opcode.
#include "emu/tool/parse.hpp"
#include "emu/tool/sweep.hpp"
#include "tessera/isa/ime/all.hpp"
#include "tests/isa/golden_words.hpp"

#include <gtest/gtest.h>
#include <cctype>
#include <string>

namespace {

namespace ime = tessera::ime;
namespace tool = tessera::tool;
using ime::Element;

std::string disassembled(std::uint32_t word) {
  char buffer[80];
  ime::Text text(buffer, sizeof buffer);
  ime::disassemble(word, text);
  return buffer;
}

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

TEST(Encoding, golden_words_assemble_where_legal) {
  int legal = 0;
  for (const GoldenWord& golden : golden_words) {
    const tool::Assembled result = tool::assemble(golden.assembly);
    const ime::Rule rule = ime::check_word(ime::k3, golden.word);
    if (rule == ime::Rule::none) {
      ++legal;
      EXPECT_EQ(result.word, golden.word) << golden.assembly;
    } else {
      EXPECT_FALSE(result.word) << golden.assembly;
      EXPECT_EQ(result.error, ime::message(rule));
    }
  }
  // The binutils lines all use v2, v3, v4, whose vd:vd+1 overlaps vs1.
  EXPECT_GE(legal, 10);
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
        "smt.vmadot v3, v0, v1", "smt.vmadot v2, v2, v1", "smt.vmadot v2, v0, v3"}) {
    const tool::Assembled result = tool::assemble(line);
    EXPECT_FALSE(result.word) << line;
    EXPECT_FALSE(result.error.empty()) << line;
  }
}

TEST(Encoding, words_parse) {
  EXPECT_EQ(tool::parse_word("0xe210312b"), 0xe210312bu);
  EXPECT_EQ(tool::parse_word("E210312B"), 0xe210312bu);
  for (const char* bad : {"", "0x", "g", "123456789", "-1", "0x 1"}) {
    EXPECT_FALSE(tool::parse_word(bad)) << bad;
  }
}

// vd is one of 16 even registers, and vs1 and vs2 are each one of the 30 outside vd:vd+1.
TEST(Encoding, exactly_the_legal_words_decode) {
  constexpr std::uint64_t legal_per_instruction = 16 * 30 * 30;
  for (const ime::Profile& profile : {ime::k1, ime::x100, ime::k3}) {
    const tool::SweepResult result = tool::sweep(profile);
    EXPECT_EQ(result.words, std::uint64_t{1} << 25);
    EXPECT_EQ(result.faults, 0u) << std::hex << result.first_fault;
    for (int i = 0; i < ime::instruction_count; ++i) {
      const bool has = profile.has(ime::Instructions::table[i].extension);
      EXPECT_EQ(result.legal[i], has ? legal_per_instruction : 0u) << profile.name() << ' ' << i;
    }
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
