// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/tool/parse.hpp"

#include "tessera/isa/ime/all.hpp"

#include <vector>

namespace tessera::tool {
namespace {

constexpr std::string_view prefix = "smt.";

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.push_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::uint8_t> parse_register(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || text[0] != 'v') return std::nullopt;
  int number = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  if (number > 31 || (text.size() == 3 && text[1] == '0')) return std::nullopt;
  return static_cast<std::uint8_t>(number);
}

int find_instruction(std::string_view mnemonic, ime::Element element) {
  for (int i = 0; i < ime::instruction_count; ++i) {
    const ime::Descriptor& d = ime::Instructions::table[i];
    const std::string_view full = d.mnemonic;
    const bool named = mnemonic == full || mnemonic == full.substr(prefix.size());
    if (named && d.element == element) return i;
  }
  return -1;
}

Assembled refuse(std::string reason) {
  return {std::nullopt, std::move(reason)};
}

}  // namespace

std::optional<std::uint32_t> parse_word(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty() || text.size() > 8) return std::nullopt;
  std::uint32_t word = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    word = word << 4 | static_cast<std::uint32_t>(digit);
  }
  return word;
}

Assembled assemble(std::string_view line) {
  line = trim(line);
  const auto space = line.find_first_of(" \t");
  const std::string_view mnemonic = line.substr(0, space);
  if (space == std::string_view::npos) return refuse("operands are missing");
  std::vector<std::string_view> parts = split_operands(line.substr(space));
  ime::Element element = ime::Element::int8;
  if (parts.back() == "i4" || parts.back() == "i8") {
    if (parts.back() == "i4") element = ime::Element::int4;
    parts.pop_back();
  }
  const int index = find_instruction(mnemonic, element);
  if (index < 0) return refuse("unknown mnemonic " + std::string(mnemonic));
  if (parts.size() != 3) return refuse("expected vd, vs1, vs2");
  std::uint8_t numbers[3];
  for (int i = 0; i < 3; ++i) {
    const auto number = parse_register(parts[static_cast<std::size_t>(i)]);
    if (!number) return refuse("not a vector register: " + std::string(parts[i]));
    numbers[i] = *number;
  }
  const ime::Operands operands{.vd = numbers[0], .vs1 = numbers[1], .vs2 = numbers[2]};
  const std::uint32_t word = ime::Instructions::encode(index, operands);
  // k3 has every instruction, so what it refuses is refused everywhere.
  const ime::Rule rule = ime::check_word(ime::k3, word);
  if (rule != ime::Rule::none) return refuse(ime::message(rule));
  return {word, {}};
}

}  // namespace tessera::tool
