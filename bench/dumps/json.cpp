// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/dumps/json.hpp"

#include "bench/dumps/refusal.hpp"

namespace dumps {
namespace {

void append_utf8(std::string& text, unsigned code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | code >> 12);
    text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

void JsonReader::refuse(const std::string& rule) const {
  throw Refusal(where_ + ": " + rule + " at byte " + std::to_string(at_) + " of the header");
}

void JsonReader::spaces() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool JsonReader::accept(char c) {
  spaces();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char c) {
  if (!accept(c)) refuse(std::string("no '") + c + "'");
}

unsigned JsonReader::hexadecimal() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      code = code * 16 + static_cast<unsigned>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      code = code * 16 + static_cast<unsigned>(lower - 'a' + 10);
    else
      refuse("no hexadecimal digit");
  }
  return code;
}

std::string JsonReader::string() {
  expect('"');
  std::string text;
  while (at_ < text_.size() && text_[at_] != '"') {
    const char c = text_[at_++];
    if (c != '\\') {
      text += c;
      continue;
    }
    if (at_ == text_.size()) break;
    const char escape = text_[at_++];
    constexpr std::string_view names = "bfnrt\"\\/";
    const std::size_t which = names.find(escape);
    if (escape == 'u')
      append_utf8(text, hexadecimal());
    else if (which != std::string_view::npos)
      text += "\b\f\n\r\t\"\\/"[which];
    else
      refuse("an unknown escape");
  }
  if (at_ == text_.size()) refuse("a string does not end");
  ++at_;
  return text;
}

std::vector<std::size_t> JsonReader::sizes(std::size_t limit) {
  std::vector<std::size_t> numbers;
  expect('[');
  if (accept(']')) return numbers;
  do {
    spaces();
    const std::size_t begin = at_;
    std::size_t n = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(n, std::size_t{10}, &n) ||
          __builtin_add_overflow(n, static_cast<std::size_t>(text_[at_] - '0'), &n))
        refuse("a number is too large");
    if (at_ == begin) refuse("no whole number");
    if (numbers.size() == limit) refuse("more than " + std::to_string(limit) + " numbers");
    numbers.push_back(n);
  } while (accept(','));
  expect(']');
  return numbers;
}

void JsonReader::skip(int depth) {
  if (depth > 32) refuse("nested too deep");
  spaces();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '{') {
    object([&](const std::string&) { skip(depth + 1); });
  } else if (c == '"') {
    string();
  } else if (c == '[') {
    ++at_;
    if (accept(']')) return;
    do skip(depth + 1);
    while (accept(','));
    expect(']');
  } else {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view(",]} \n\t\r").find(text_[at_]) == std::string_view::npos)
      ++at_;
    if (at_ == begin) refuse("no value");
  }
}

void JsonReader::end() {
  spaces();
  if (at_ != text_.size()) refuse("text behind the end");
}

std::string json_quoted(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20) {
      quoted += "\\u00";
      quoted += digits[code >> 4];
      quoted += digits[code & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace dumps
