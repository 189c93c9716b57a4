// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// tessera-ime: assembles, disassembles and explains IME instruction words.
#include "emu/tool/parse.hpp"
#include "emu/tool/sweep.hpp"
#include "tessera/isa/ime/all.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace {

using namespace tessera;

constexpr int good = 0;
constexpr int wrong = 1;
constexpr int refused = 2;
constexpr ime::Profile profiles[] = {ime::k1, ime::x100, ime::k3};

int usage() {
  std::fputs(
      "usage: tessera-ime asm \"smt.vmadot v2, v0, v1[, i8|i4]\"...   print the word\n"
      "       tessera-ime dis WORD...                              print the assembly\n"
      "       tessera-ime explain WORD                             fields, meaning, legality\n"
      "       tessera-ime sweep [k1|x100|k3]                       walk all words of the opcode\n"
      "WORD is hexadecimal, with or without 0x.\n",
      stderr);
  return refused;
}

int refuse_word(const char* text) {
  std::fprintf(stderr, "tessera-ime: not a 32-bit hexadecimal word: %s\n", text);
  return refused;
}

int run_asm(int count, char** lines) {
  for (int i = 0; i < count; ++i) {
    const tool::Assembled result = tool::assemble(lines[i]);
    if (!result.word) {
      std::fprintf(stderr, "tessera-ime: %s: %s\n", lines[i], result.error.c_str());
      return refused;
    }
    std::printf("0x%08" PRIx32 "\n", *result.word);
  }
  return good;
}

// A word may disassemble and still break a rule: that is said behind it.
int run_dis(int count, char** words) {
  for (int i = 0; i < count; ++i) {
    const auto word = tool::parse_word(words[i]);
    if (!word) return refuse_word(words[i]);
    char buffer[80];
    ime::Text text(buffer, sizeof buffer);
    ime::disassemble(*word, text);
    const ime::Rule rule = ime::check_word(ime::k3, *word);
    const bool illegal = rule != ime::Rule::none && rule != ime::Rule::unknown_word;
    std::printf("%08" PRIx32 "  %s%s%s\n", *word, buffer, illegal ? "  # illegal: " : "",
                illegal ? ime::message(rule) : "");
  }
  return good;
}

void print_fields(std::uint32_t word) {
  const ime::Operands o = ime::register_operands(word);
  std::printf("opcode 0x%02" PRIx32 "%s\n", ime::field(word, 0, 7),
              ime::field(word, 0, 7) == ime::opcode_custom1 ? " (custom-1)" : "");
  std::printf("bits_31 %" PRIu32 "\n", ime::field(word, 31, 1));
  constexpr const char* types[] = {"reserved or floating", "reserved", "int4", "int8"};
  std::printf("bits_30_29 %" PRIu32 " (data type: %s)\n", ime::field(word, 29, 2),
              types[ime::field(word, 29, 2)]);
  std::printf("bits_28_26 %" PRIu32 "\n", ime::field(word, 26, 3));
  std::printf("bit_25 %" PRIu32 "\n", ime::field(word, 25, 1));
  std::printf("vs2 v%d\nvs1 v%d\n", o.vs2, o.vs1);
  std::printf("bits_14_12 %" PRIu32 "\n", ime::field(word, 12, 3));
  std::printf("vd v%d\n", o.vd);
}

int run_explain(const char* argument) {
  const auto word = tool::parse_word(argument);
  if (!word) return refuse_word(argument);
  char buffer[160];
  ime::Text assembly(buffer, sizeof buffer);
  ime::disassemble(*word, assembly);
  std::printf("word 0x%08" PRIx32 "\nassembly %s\n", *word, buffer);
  print_fields(*word);
  const ime::Identified found = ime::identify(*word);
  if (found.rule == ime::Rule::none) {
    ime::Text meaning(buffer, sizeof buffer);
    ime::Instructions::write_meaning(found.index, meaning);
    std::printf("meaning %s\n", buffer);
  }
  bool legal_somewhere = false;
  for (const ime::Profile& profile : profiles) {
    const ime::Rule rule = ime::check_word(profile, *word);
    legal_somewhere |= rule == ime::Rule::none;
    std::printf("%s %s", profile.name(), ime::message(rule));
    if (rule == ime::Rule::none) {
      const ime::Tile t = ime::dot_tile(profile, ime::Instructions::table[found.index].element);
      std::printf(", tile %d x %d x %d", t.m, t.n, t.k);
    }
    std::printf("\n");
  }
  return legal_somewhere ? good : wrong;
}

int run_sweep(const char* name) {
  for (const ime::Profile& profile : profiles) {
    if (std::strcmp(profile.name(), name) != 0) continue;
    const tool::SweepResult result = tool::sweep(profile);
    std::printf("profile %s\nwords %" PRIu64 "\n", profile.name(), result.words);
    for (int i = 0; i < ime::instruction_count; ++i) {
      char buffer[40];
      ime::Text text(buffer, sizeof buffer);
      ime::write_name(i, text);
      std::printf("legal %s %" PRIu64 "\n", buffer, result.legal[i]);
    }
    if (result.faults != 0) {
      std::printf("wrong 0x%08" PRIx32 " and %" PRIu64 " more\n", result.first_fault,
                  result.faults - 1);
      return wrong;
    }
    std::printf("exact\n");
    return good;
  }
  std::fprintf(stderr, "tessera-ime: no core named %s (k1, x100, k3)\n", name);
  return refused;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage();
  const char* command = argv[1];
  if (std::strcmp(command, "sweep") == 0 && argc <= 3) return run_sweep(argc == 3 ? argv[2] : "k3");
  if (argc < 3) return usage();
  if (std::strcmp(command, "asm") == 0) return run_asm(argc - 2, argv + 2);
  if (std::strcmp(command, "dis") == 0) return run_dis(argc - 2, argv + 2);
  if (std::strcmp(command, "explain") == 0 && argc == 3) return run_explain(argv[2]);
  return usage();
}
