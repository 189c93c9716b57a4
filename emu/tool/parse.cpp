// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/tool/parse.hpp"

#include "tessera/isa/ime/all.hpp"

#include <algorithm>
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

std::optional<std::uint8_t> parse_immediate(std::string_view text) {
  if (text.empty() || text.size() > 2) return std::nullopt;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return static_cast<std::uint8_t>(number);
}

// Does a mnemonic name this instruction, in either spelling?
bool names(std::string_view mnemonic, std::string_view full) {
  if (mnemonic.starts_with(prefix)) mnemonic.remove_prefix(prefix.size());
  full.remove_prefix(prefix.size());
  return mnemonic == full || (full.ends_with(".vv") && mnemonic == full.substr(0, full.size() - 3));
}

struct Found {
  int index = -1;
  bool mnemonic_exists = false;
};

// Without a suffix: the int8 form, or the only one.
Found find_instruction(std::string_view mnemonic, std::optional<ime::Element> suffix) {
  Found found;
  for (int i = 0; i < ime::instruction_count; ++i) {
    const ime::Descriptor& d = ime::Instructions::table[i];
    if (!names(mnemonic, d.mnemonic)) continue;
    found.mnemonic_exists = true;
    if (suffix ? d.element == *suffix : d.element != ime::Element::int4) return {i, true};
  }
  return found;
}

Assembled refuse(std::string reason) {
  return {std::nullopt, std::move(reason)};
}

constexpr const char* expected_operands(ime::Form form) {
  switch (form) {
    case ime::Form::registers:
      return "expected vd, vs1, vs2";
    case ime::Form::registers_imm:
      return "expected vd, vs1, vs2, immediate";
    case ime::Form::registers_vmask_imm:
      return "expected vd, vs1, vs2, v0 or v1, immediate";
  }
  return "";
}

// The operands of a line without its suffix, or why they are none.
std::optional<ime::Operands> parse_operands(const ime::Signature& signature,
                                            const std::vector<std::string_view>& parts,
                                            std::string& error) {
  const bool has_vmask = signature.form == ime::Form::registers_vmask_imm;
  const bool has_imm = signature.form != ime::Form::registers;
  if (parts.size() != 3u + has_vmask + has_imm) {
    error = expected_operands(signature.form);
    return std::nullopt;
  }
  ime::Operands operands;
  std::uint8_t* registers[] = {&operands.vd, &operands.vs1, &operands.vs2, &operands.vmask};
  for (std::size_t i = 0; i < 3u + has_vmask; ++i) {
    const auto number = parse_register(parts[i]);
    if (!number) {
      error = "not a vector register: " + std::string(parts[i]);
      return std::nullopt;
    }
    *registers[i] = *number;
  }
  if (!has_imm) return operands;
  const auto immediate = parse_immediate(parts.back());
  if (!immediate) {
    error = "not an immediate: " + std::string(parts.back());
    return std::nullopt;
  }
  operands.imm = *immediate;
  return operands;
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, std::min(line.find('#'), line.find("//")));
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
  line = trim(without_comment(line));
  const auto space = line.find_first_of(" \t");
  const std::string_view mnemonic = line.substr(0, space);
  if (!find_instruction(mnemonic, std::nullopt).mnemonic_exists) {
    return refuse("unknown mnemonic " + std::string(mnemonic));
  }
  if (space == std::string_view::npos) return refuse("operands are missing");
  std::vector<std::string_view> parts = split_operands(line.substr(space));
  std::optional<ime::Element> suffix;
  if (parts.back() == "i4") suffix = ime::Element::int4;
  if (parts.back() == "i8") suffix = ime::Element::int8;
  if (suffix) parts.pop_back();
  const int index = find_instruction(mnemonic, suffix).index;
  if (index < 0) {
    const bool slide = find_instruction(mnemonic, ime::Element::int8).index >= 0;
    return refuse(slide ? ime::message(ime::Rule::slide_not_int8)
                        : "this instruction takes no i8 or i4");
  }
  const ime::Signature& signature = ime::Instructions::table[index].signature;
  std::string error;
  const auto operands = parse_operands(signature, parts, error);
  if (!operands) return refuse(error);
  const ime::Rule fields = ime::check_fields(signature, *operands);
  if (fields != ime::Rule::none) return refuse(ime::message(fields));
  // Operands that fit may still overlap; published test suites hold such words.
  const ime::Rule rule = ime::check_operands(signature, *operands);
  return {ime::Instructions::encode(index, *operands),
          rule == ime::Rule::none ? std::string() : ime::message(rule)};
}

}  // namespace tessera::tool
