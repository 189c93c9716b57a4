// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/tool/dump.hpp"

#include <optional>
#include <utility>

namespace tessera::tool {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty() || text.size() > 16) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = digit_of(c);
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

struct Group {
  std::uint64_t value;
  std::size_t digits;
  std::string_view text;  // without 0x
};

// The groups of a line, and its address.
struct Line {
  std::optional<std::uint64_t> address;
  std::vector<Group> groups;
  bool memory_order = false;  // of groups of 8 digits
};

constexpr std::string_view blanks = " \t\r,";
constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";

std::string_view next_token(std::string_view& line) {
  const auto begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const auto token = line.substr(0, line.find_first_of(blanks));
  line.remove_prefix(token.size());
  return token;
}

Line parse_line(std::string_view text) {
  Line line;
  while (true) {
    std::string_view token = next_token(text);
    if (token.ends_with(':') && !line.address && line.groups.empty()) {
      token.remove_suffix(1);
      line.address = parse_hex(token);
      if (!line.address) break;  // a label
      continue;
    }
    if (token.starts_with("0x") || token.starts_with("0X")) token.remove_prefix(2);
    const bool digits_only =
        !token.empty() && token.find_first_not_of(hexadecimal) == std::string_view::npos;
    if (!digits_only) {
      // `0000000000010354 <kernel>:`: the address of a function, no bytes.
      if (token.starts_with('<') && line.groups.size() == 1) line.groups.clear();
      break;
    }
    const std::size_t digits = token.size();
    line.groups.push_back({parse_hex(token.substr(0, 16)).value_or(0), digits, token});
    // Two blanks end the groups of 2-byte dumps; what follows are characters.
    if (digits == 4 && line.groups.size() > 1 && text.starts_with("  ")) break;
  }
  // An address without a colon: before single bytes, or before the groups of a section's dump.
  if (line.address || line.groups.size() < 2) return line;
  const std::size_t first = line.groups[0].digits;
  const std::size_t second = line.groups[1].digits;
  line.memory_order = first >= 4 && first < 8 && second == 8;
  if (line.memory_order || (first >= 5 && second == 2)) {
    line.address = line.groups[0].value;
    line.groups.erase(line.groups.begin());
  }
  return line;
}

// Collects bytes and gives the instructions that they hold.
class Cutter {
 public:
  void move_to(std::uint64_t address) {
    if (address == address_ + pending_.size()) return;
    pending_.clear();
    address_ = address;
  }
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      pending_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
      cut();
    }
  }
  std::vector<DumpedWord> take() { return std::move(words_); }

 private:
  void cut() {
    if (pending_.size() < 2) return;
    const std::size_t length = (pending_[0] & 3) == 3 ? 4 : 2;
    if (pending_.size() < length) return;
    if (length == 4) {
      words_.push_back({address_, static_cast<std::uint32_t>(pending_[0]) |
                                      static_cast<std::uint32_t>(pending_[1]) << 8 |
                                      static_cast<std::uint32_t>(pending_[2]) << 16 |
                                      static_cast<std::uint32_t>(pending_[3]) << 24});
    }
    address_ += length;
    pending_.clear();
  }

  std::uint64_t address_ = 0;
  std::vector<std::uint8_t> pending_;
  std::vector<DumpedWord> words_;
};

void put_group(Cutter& cutter, const Group& group, bool alone, bool memory_order) {
  if (group.digits == 8 && !memory_order) {
    cutter.put(group.value, 4);
  } else if (group.digits == 4 && alone) {
    cutter.put(group.value, 2);
  } else if (group.digits % 2 == 0) {
    for (std::size_t at = 0; at < group.digits; at += 2) {
      const int byte = digit_of(group.text[at]) << 4 | digit_of(group.text[at + 1]);
      cutter.put(static_cast<std::uint64_t>(byte), 1);
    }
  }
}

}  // namespace

std::vector<DumpedWord> read_dump(std::string_view text) {
  Cutter cutter;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const Line line = parse_line(text.substr(0, end));
    if (line.address) cutter.move_to(*line.address);
    for (const Group& group : line.groups) {
      put_group(cutter, group, line.groups.size() == 1, line.memory_order);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return cutter.take();
}

}  // namespace tessera::tool
