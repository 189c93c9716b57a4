// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// tessera-ime: assembles, disassembles and explains IME instruction words.
#include "emu/tool/dump.hpp"
#include "emu/tool/elf.hpp"
#include "emu/tool/parse.hpp"
#include "emu/tool/sweep.hpp"
#include "tessera/isa/ime/all.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

namespace {

using namespace tessera;

constexpr int good = 0;
constexpr int wrong = 1;
constexpr int refused = 2;
constexpr ime::Profile profiles[] = {ime::k1, ime::x100, ime::k3};

int usage() {
  std::fputs(
      "usage: tessera-ime asm LINE... | -       assemble lines, or those of the standard input\n"
      "       tessera-ime dis WORD|FILE|-...    disassemble words, ELF files and hex dumps\n"
      "       tessera-ime explain WORD|LINE     fields, meaning, legality on each core\n"
      "       tessera-ime sweep [k1|x100|k3]    walk all 2^25 words of the opcode\n"
      "       tessera-ime words [k1|x100|k3]    print every legal word with its assembly\n"
      "A WORD is hexadecimal, with or without 0x. A LINE is \"smt.vmadot v2, v0, v1[, i8|i4]\", "
      "with\n"
      "or without smt. A word whose result overlaps a source is assembled, with an error and "
      "status 1.\n",
      stderr);
  return refused;
}

int assemble_line(const std::string& line) {
  const tool::Assembled result = tool::assemble(line);
  if (result.word) std::printf("0x%08" PRIx32 "\n", *result.word);
  if (result.error.empty()) return good;
  std::fprintf(stderr, "tessera-ime: %s: %s\n", line.c_str(), result.error.c_str());
  return result.word ? wrong : refused;
}

int run_asm(int count, char** lines) {
  int status = good;
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(lines[i], "-") != 0) {
      status = std::max(status, assemble_line(lines[i]));
      continue;
    }
    for (std::string line; std::getline(std::cin, line);) {
      if (line.find_first_not_of(" \t\r") != std::string::npos) {
        status = std::max(status, assemble_line(line));
      }
    }
  }
  return status;
}

// A word may disassemble and still break a rule: that is said behind it.
void print_disassembly(std::uint32_t word) {
  char buffer[80];
  ime::Text text(buffer, sizeof buffer);
  ime::disassemble(word, text);
  const ime::Rule rule = ime::check_word(ime::k3, word);
  const bool illegal = rule != ime::Rule::none && rule != ime::Rule::unknown_word;
  std::printf("%08" PRIx32 "  %s%s%s\n", word, buffer, illegal ? "  # illegal: " : "",
              illegal ? ime::message(rule) : "");
}

int print_elf(const char* name, const std::string& content) {
  const tool::ElfCode code =
      tool::read_elf({reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
  if (!code.error.empty()) {
    std::fprintf(stderr, "tessera-ime: %s: %s\n", name, code.error.c_str());
    return refused;
  }
  std::size_t count = 0;
  for (const tool::CodeRange& range : code.ranges) {
    for (const tool::FoundWord& found : tool::find_words(range)) {
      std::printf("%8" PRIx64 " ", found.address);
      const std::string_view place = found.symbol.empty() ? range.section : found.symbol;
      const std::uint64_t offset =
          found.symbol.empty() ? found.address - range.address : found.offset;
      std::printf("<%.*s+0x%" PRIx64 ">: ", static_cast<int>(place.size()), place.data(), offset);
      print_disassembly(found.word);
      ++count;
    }
  }
  std::printf("instructions %zu\n", count);
  return good;
}

int print_dump(const char* name, const std::string& content) {
  const auto words = tool::read_dump(content);
  if (words.empty()) {
    std::fprintf(stderr, "tessera-ime: %s: neither an ELF file nor a hex dump\n", name);
    return refused;
  }
  std::size_t count = 0;
  for (const tool::DumpedWord& dumped : words) {
    if (ime::identify(dumped.word).rule != ime::Rule::none) continue;
    std::printf("%8" PRIx64 ": ", dumped.address);
    print_disassembly(dumped.word);
    ++count;
  }
  std::printf("instructions %zu\n", count);
  return good;
}

std::optional<std::string> read_input(const char* name) {
  using Iterator = std::istreambuf_iterator<char>;
  if (std::strcmp(name, "-") == 0) return std::string(Iterator(std::cin), {});
  std::ifstream file(name, std::ios::binary);
  if (!file) return std::nullopt;
  std::string content(Iterator(file), {});
  if (file.bad()) return std::nullopt;
  return content;
}

int run_dis(int count, char** arguments) {
  int status = good;
  for (int i = 0; i < count; ++i) {
    const char* argument = arguments[i];
    if (const auto word = tool::parse_word(argument)) {
      print_disassembly(*word);
      continue;
    }
    const auto content = read_input(argument);
    if (!content) {
      std::fprintf(stderr, "tessera-ime: neither a 32-bit hexadecimal word nor a file: %s\n",
                   argument);
      return refused;
    }
    const bool elf =
        tool::is_elf({reinterpret_cast<const std::uint8_t*>(content->data()), content->size()});
    status = std::max(status, elf ? print_elf(argument, *content) : print_dump(argument, *content));
  }
  return status;
}

// `v2`, or `v2:v3` where an operand spans two.
void print_registers(const char* name, int first, int count) {
  std::printf("%s v%d", name, first);
  if (count == 2) std::printf(":v%d", first + 1);
  std::printf("\n");
}

void print_operands(int index, std::uint32_t word) {
  const ime::Signature& s = ime::Instructions::table[index].signature;
  const ime::Operands o = ime::Instructions::operands(index, word);
  print_registers("vd", o.vd, s.vd_registers);
  print_registers("vs1", o.vs1, s.vs1_registers);
  print_registers("vs2", o.vs2, 1);
  if (s.form == ime::Form::registers_vmask_imm) print_registers("vmask", o.vmask, 1);
  if (s.form != ime::Form::registers) std::printf("imm %d\n", o.imm);
}

void print_fields(std::uint32_t word) {
  std::printf("opcode 0x%02" PRIx32 "%s\n", ime::field(word, 0, 7),
              ime::field(word, 0, 7) == ime::opcode_custom1 ? " (custom-1)" : "");
  std::printf("bit_31 %" PRIu32 "\n", ime::field(word, 31, 1));
  std::printf("bits_30_29 %" PRIu32 "\n", ime::field(word, 29, 2));
  std::printf("bits_28_26 %" PRIu32 "\n", ime::field(word, 26, 3));
  std::printf("bit_25 %" PRIu32 "\n", ime::field(word, 25, 1));
  std::printf("bits_24_20 %" PRIu32 "\n", ime::field(word, 20, 5));
  std::printf("bits_19_15 %" PRIu32 "\n", ime::field(word, 15, 5));
  std::printf("bits_14_12 %" PRIu32 "\n", ime::field(word, 12, 3));
  std::printf("bits_11_7 %" PRIu32 "\n", ime::field(word, 7, 5));
}

const char* type_name(ime::Element element) {
  switch (element) {
    case ime::Element::int8:
      return "int8";
    case ime::Element::int4:
      return "int4";
    case ime::Element::float16:
      return "fp16 or bf16 (MCPM.BF16)";
    case ime::Element::none:
      break;
  }
  return "bytes";
}

int run_explain(const char* argument) {
  auto word = tool::parse_word(argument);
  if (!word) {
    const tool::Assembled assembled = tool::assemble(argument);
    if (!assembled.word) {
      std::fprintf(stderr, "tessera-ime: neither a hexadecimal word nor a line: %s: %s\n", argument,
                   assembled.error.c_str());
      return refused;
    }
    word = assembled.word;
  }
  char buffer[240];
  ime::Text assembly(buffer, sizeof buffer);
  ime::disassemble(*word, assembly);
  std::printf("word 0x%08" PRIx32 "\nassembly %s\n", *word, buffer);
  print_fields(*word);
  const ime::Identified found = ime::identify(*word);
  if (found.rule == ime::Rule::none) {
    ime::Text meaning(buffer, sizeof buffer);
    ime::Instructions::write_meaning(found.index, meaning);
    std::printf("elements %s\n", type_name(ime::Instructions::table[found.index].element));
    print_operands(found.index, *word);
    std::printf("meaning %s\n", buffer);
  }
  bool legal_somewhere = false;
  for (const ime::Profile& profile : profiles) {
    const ime::Rule rule = ime::check_word(profile, *word);
    legal_somewhere |= rule == ime::Rule::none;
    std::printf("%s %s", profile.name(), ime::message(rule));
    if (rule == ime::Rule::none) {
      const ime::Tile t = ime::dot_tile(profile, ime::Instructions::table[found.index].element);
      if (t.m != 0) std::printf(", tile %d x %d x %d", t.m, t.n, t.k);
    }
    std::printf("\n");
  }
  return legal_somewhere ? good : wrong;
}

const ime::Profile* profile_named(const char* name) {
  for (const ime::Profile& profile : profiles) {
    if (std::strcmp(profile.name(), name) == 0) return &profile;
  }
  std::fprintf(stderr, "tessera-ime: no core named %s (k1, x100, k3)\n", name);
  return nullptr;
}

int run_sweep(const char* name) {
  const ime::Profile* profile = profile_named(name);
  if (profile == nullptr) return refused;
  const tool::SweepResult result = tool::sweep(*profile);
  std::printf("profile %s\nwords %" PRIu64 "\n", profile->name(), result.words);
  std::uint64_t total = 0;
  for (int i = 0; i < ime::instruction_count; ++i) {
    char buffer[40];
    ime::Text text(buffer, sizeof buffer);
    ime::write_name(i, text);
    std::printf("legal %s %" PRIu64 "\n", buffer, result.legal[i]);
    total += result.legal[i];
  }
  std::printf("legal total %" PRIu64 "\n", total);
  if (result.faults != 0) {
    std::printf("wrong 0x%08" PRIx32 " and %" PRIu64 " more\n", result.first_fault,
                result.faults - 1);
    return wrong;
  }
  std::printf("exact\n");
  return good;
}

int run_words(const char* name) {
  const ime::Profile* profile = profile_named(name);
  if (profile == nullptr) return refused;
  for (std::uint32_t upper = 0; upper < std::uint32_t{1} << 25; ++upper) {
    const std::uint32_t word = upper << 7 | ime::opcode_custom1;
    if (!ime::decode(word, *profile)) continue;
    char buffer[80];
    ime::Text text(buffer, sizeof buffer);
    ime::disassemble(word, text);
    std::printf("%08" PRIx32 " %s\n", word, buffer);
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage();
  const char* command = argv[1];
  const char* profile = argc == 3 ? argv[2] : "k3";
  if (std::strcmp(command, "sweep") == 0 && argc <= 3) return run_sweep(profile);
  if (std::strcmp(command, "words") == 0 && argc <= 3) return run_words(profile);
  if (argc < 3) return usage();
  if (std::strcmp(command, "asm") == 0) return run_asm(argc - 2, argv + 2);
  if (std::strcmp(command, "dis") == 0) return run_dis(argc - 2, argv + 2);
  if (std::strcmp(command, "explain") == 0 && argc == 3) return run_explain(argv[2]);
  return usage();
}
