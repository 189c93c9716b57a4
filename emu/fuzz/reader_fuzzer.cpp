// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Arbitrary bytes, taken as everything that tessera-ime reads: an ELF file, a dump, assembly lines,
// words. What is read must stay inside the input, and words, operands and texts must agree.
#include "emu/tool/dump.hpp"
#include "emu/tool/elf.hpp"
#include "emu/tool/parse.hpp"
#include "tessera/isa/ime/all.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

namespace ime = tessera::ime;
namespace tool = tessera::tool;

void demand(bool condition) {
  if (!condition) std::abort();
}

void check_elf(std::span<const std::uint8_t> input) {
  const tool::ElfCode code = tool::read_elf(input);
  demand(code.ranges.empty() != code.error.empty());
  const auto* begin = input.data();
  const auto* end = begin + input.size();
  std::size_t walked = 0;
  for (const tool::CodeRange& range : code.ranges) {
    demand(range.bytes.data() >= begin && range.bytes.data() + range.bytes.size() <= end);
    walked += range.bytes.size();
    if (walked > 1 << 16) break;  // many headers may name the same bytes
    for (const tool::FoundWord& found : tool::find_words(range)) {
      demand(found.address - range.address <= range.bytes.size() - 4);
      demand(ime::identify(found.word).rule == ime::Rule::none);
    }
  }
}

void check_word(std::uint32_t word) {
  char buffer[80];
  ime::Text text(buffer, sizeof buffer);
  ime::disassemble(word, text);
  demand(text.length() < static_cast<int>(sizeof buffer) - 1);
  const ime::Identified found = ime::identify(word);
  const ime::Rule rule = ime::check_word(ime::k3, word);
  const ime::Decoded decoded = ime::decode(word, ime::k3);
  demand(static_cast<bool>(decoded) == (rule == ime::Rule::none));
  if (found.rule != ime::Rule::none) {
    demand(rule == found.rule && std::strncmp(buffer, ".4byte ", 7) == 0);
    return;
  }
  const tool::Assembled assembled = tool::assemble(buffer);
  if (decoded) {
    demand(ime::Instructions::encode(decoded.index, decoded.operands) == word);
    demand(assembled.word == word && assembled.error.empty());
  } else if (rule == ime::Rule::masked) {
    return;  // the text does not show bit 25
  } else {
    demand(assembled.error == ime::message(rule));
    demand(!assembled.word || assembled.word == word);
  }
}

// What assembles is the word of its own disassembly.
void check_line(std::string_view line) {
  const tool::Assembled assembled = tool::assemble(line);
  demand(assembled.word || !assembled.error.empty());
  if (!assembled.word) return;
  check_word(*assembled.word);
  demand(ime::identify(*assembled.word).rule == ime::Rule::none);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_elf({data, size});
  if (tool::is_elf({data, size})) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const tool::DumpedWord& dumped : tool::read_dump(text)) check_word(dumped.word);
  int lines = 0;
  for (std::string_view rest = text; !rest.empty() && lines < 8; ++lines) {
    const auto end = rest.find('\n');
    check_line(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  // A few words are enough: every word of the opcode is swept elsewhere.
  for (std::size_t at = 0; size - at >= 4 && at < 32; at += 4) {
    std::uint32_t word;
    std::memcpy(&word, data + at, 4);
    check_word((word & ~ime::opcode_mask) | ime::opcode_custom1);
  }
  return 0;
}
