// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What tessera-ime reads besides words: ELF files and text dumps.
#include "emu/tool/dump.hpp"
#include "emu/tool/elf.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <random>
#include <string>

namespace {

namespace tool = tessera::tool;

constexpr std::uint32_t vmadot = 0xe210312b;
constexpr std::uint32_t vpack = 0x67281c2b;

// An executable made by hand: .text at 0x10000 with a short instruction, vmadot, data that would
// look like an instruction if it were read across the next symbol, and vpack in another function.
class ElfFile {
 public:
  ElfFile() {
    put(0,
        "\x7f"
        "ELF\2\1\1");
    put16(16, 2);    // executable
    put16(18, 243);  // RISC-V
    put32(20, 1);
    put64(40, headers);
    put16(52, 64);
    put16(58, 64);
    put16(60, 5);
    put16(62, 4);
    // .text
    put16(text, 0x0001);
    put32(text + 2, vmadot);
    put16(text + 6, 0x312b);  // the beginning of a word that the symbol below cuts
    put32(text + 8, vpack);
    section(1, 1, 1, 6, 0x10000, text, 12, 0, 0);
    // .symtab
    symbol(1, 1, 2, 1, 0x10000);    // kernel
    symbol(2, 8, 0, 1, 0x10002);    // $x
    symbol(3, 11, 18, 1, 0x10008);  // tail, weak function
    symbol(4, 1, 4, 1, 0x10008);    // a file's name
    symbol(5, 1, 2, 9, 0x10008);    // of no section
    section(2, 7, 2, 0, 0, symbols, 6 * 24, 3, 24);
    put(strings, std::string("\0kernel\0$x\0tail\0", 16));
    section(3, 15, 3, 0, 0, strings, 16, 0, 0);
    put(names, std::string("\0.text\0.symtab\0.strtab\0.shstrtab\0", 34));
    section(4, 23, 3, 0, 0, names, 34, 0, 0);
  }
  tool::ElfCode read() const { return tool::read_elf(bytes); }
  void put16(std::size_t at, std::uint16_t value) { std::memcpy(&grown(at + 2)[at], &value, 2); }
  void put32(std::size_t at, std::uint32_t value) { std::memcpy(&grown(at + 4)[at], &value, 4); }
  void put64(std::size_t at, std::uint64_t value) { std::memcpy(&grown(at + 8)[at], &value, 8); }

  static constexpr std::size_t headers = 0x400, text = 0x100, symbols = 0x200, strings = 0x300,
                               names = 0x340;
  std::vector<std::uint8_t> bytes;

 private:
  std::vector<std::uint8_t>& grown(std::size_t size) {
    if (bytes.size() < size) bytes.resize(size);
    return bytes;
  }
  void put(std::size_t at, const std::string& value) {
    std::memcpy(&grown(at + value.size())[at], value.data(), value.size());
  }
  void section(int index, std::uint32_t name, std::uint32_t type, std::uint64_t flags,
               std::uint64_t address, std::uint64_t offset, std::uint64_t size, std::uint32_t link,
               std::uint64_t entry) {
    const std::size_t at = headers + 64 * static_cast<std::size_t>(index);
    put32(at, name);
    put32(at + 4, type);
    put64(at + 8, flags);
    put64(at + 16, address);
    put64(at + 24, offset);
    put64(at + 32, size);
    put32(at + 40, link);
    put64(at + 56, entry);
  }
  void symbol(int index, std::uint32_t name, int info, std::uint16_t in, std::uint64_t value) {
    const std::size_t at = symbols + 24 * static_cast<std::size_t>(index);
    put32(at, name);
    grown(at + 24)[at + 4] = static_cast<std::uint8_t>(info);
    put16(at + 6, in);
    put64(at + 8, value);
  }
};

TEST(Elf, instructions_have_addresses_and_symbols) {
  const ElfFile file;
  const tool::ElfCode code = file.read();
  ASSERT_EQ(code.error, "");
  ASSERT_EQ(code.ranges.size(), 1u);
  EXPECT_EQ(code.ranges[0].section, ".text");
  const auto found = tool::find_words(code.ranges[0]);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, 0x10002u);
  EXPECT_EQ(found[0].word, vmadot);
  EXPECT_EQ(found[0].symbol, "kernel");
  EXPECT_EQ(found[0].offset, 2u);
  EXPECT_EQ(found[1].address, 0x10008u);
  EXPECT_EQ(found[1].word, vpack);
  EXPECT_EQ(found[1].symbol, "tail");
  EXPECT_EQ(found[1].offset, 0u);
}

TEST(Elf, without_sections_the_segments_are_read) {
  ElfFile file;
  file.put64(40, 0);
  file.put16(60, 0);
  file.put64(32, 64);
  file.put16(54, 56);
  file.put16(56, 1);
  file.put32(64, 1);      // PT_LOAD
  file.put32(64 + 4, 5);  // readable and executable
  file.put64(64 + 8, ElfFile::text);
  file.put64(64 + 16, 0x20000);
  file.put64(64 + 32, 12);
  const tool::ElfCode code = file.read();
  ASSERT_EQ(code.ranges.size(), 1u) << code.error;
  const auto found = tool::find_words(code.ranges[0]);
  ASSERT_GE(found.size(), 1u);
  EXPECT_EQ(found[0].address, 0x20002u);
  EXPECT_EQ(found[0].symbol, "");
}

TEST(Elf, other_files_are_refused_with_a_reason) {
  EXPECT_NE(tool::read_elf({}).error, "");
  ElfFile arm;
  arm.put16(18, 183);
  EXPECT_NE(arm.read().error.find("RISC-V"), std::string::npos);
  ElfFile small;
  small.bytes.resize(40);
  EXPECT_NE(small.read().error.find("cut off"), std::string::npos);
  ElfFile empty;
  empty.put32(ElfFile::headers + 64 + 4, 8);  // .text becomes NOBITS
  EXPECT_NE(empty.read().error.find("no executable"), std::string::npos);
}

// Cut anywhere, and with any byte changed: nothing is read outside (the sanitizers watch).
TEST(Elf, garbage_is_survived) {
  const ElfFile file;
  std::mt19937 random(6);
  for (int repetition = 0; repetition < 3000; ++repetition) {
    auto bytes = file.bytes;
    for (int change = 0; change < 4; ++change) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    if (repetition % 2 == 0) bytes.resize(random() % bytes.size());
    // An allocation of exactly this size, so that reading behind it is noticed.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    for (const tool::CodeRange& range : tool::read_elf(exact).ranges) {
      for (const tool::FoundWord& found : tool::find_words(range)) {
        ASSERT_LE(found.symbol.size(), exact.size());
      }
    }
  }
}

std::vector<std::uint32_t> words_in(const char* text) {
  std::vector<std::uint32_t> words;
  for (const tool::DumpedWord& dumped : tool::read_dump(text)) words.push_back(dumped.word);
  return words;
}

TEST(Dump, every_form) {
  const std::vector<std::uint32_t> both{vmadot, vpack};
  EXPECT_EQ(words_in("e210312b 67281c2b"), both);
  EXPECT_EQ(words_in("0xe210312b,\n0x67281C2B\n"), both);
  EXPECT_EQ(words_in("   10354:\te210312b          \t.insn\t4, 0xe210312b\n"
                     "   10358:\t0001                \tnop\n"
                     "   1035a:\t67281c2b          \t.insn\t4, 0x67281c2b\n"),
            both);
  EXPECT_EQ(words_in("00000000: 2b31 10e2 0100 2b1c 2867            +1..+.+.(g\n"), both);
  EXPECT_EQ(words_in("00000000  2b 31 10 e2 01 00 2b 1c  28 67     |+1..+.+.(g|\n0000000a\n"),
            both);
  EXPECT_EQ(words_in("2b 31\n10 e2\n2b 1c 28 67"), both);
  EXPECT_EQ(words_in(" 10354 2b3110e2 01002b1c 28670100           +1....+.(g..\n"), both);
  EXPECT_EQ(words_in("2b3110e20100\n2b1c28670100\n"), both);
  EXPECT_EQ(words_in("0000000000010354 <kernel>:\n 10354: e210312b vmadot\n 10358: 67281c2b x\n"),
            both);
}

TEST(Dump, addresses) {
  const auto dumped = tool::read_dump("100: 01 00 2b 31 10 e2\n200: 67281c2b");
  ASSERT_EQ(dumped.size(), 2u);
  EXPECT_EQ(dumped[0].address, 0x102u);
  EXPECT_EQ(dumped[1].address, 0x200u);
}

TEST(Dump, what_is_no_dump_has_no_words) {
  for (const char* text : {"", "\n\n", "hello", "12345", "0x", ":", ": :", "123456789abcdef01",
                           "0000000000010354 <kernel>:"}) {
    EXPECT_TRUE(words_in(text).empty()) << text;
  }
}

}  // namespace
