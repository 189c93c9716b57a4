// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/json_reader.hpp"

#include <charconv>
#include <system_error>

namespace hybrid {

void JsonReader::skip_spaces() {
  while (!text_.empty() && std::string_view(" \t\r\n").find(text_[0]) != std::string_view::npos)
    text_.remove_prefix(1);
}

bool JsonReader::next_is(char c) {
  skip_spaces();
  if (!ok_ || text_.empty() || text_[0] != c) return false;
  text_.remove_prefix(1);
  return true;
}

bool JsonReader::string(std::string* value) {
  if (!expect('"')) return false;
  value->clear();
  while (!text_.empty() && text_[0] != '"') {
    char c = text_[0];
    if (c < ' ' || c > '~') return ok_ = false;
    if (c == '\\') {
      constexpr std::string_view escapes = "nt\"\\/", meant = "\n\t\"\\/";
      const std::size_t which = text_.size() < 2 ? escapes.npos : escapes.find(text_[1]);
      if (which == escapes.npos) return ok_ = false;
      c = meant[which];
      text_.remove_prefix(1);
    }
    *value += c;
    text_.remove_prefix(1);
  }
  if (text_.empty()) return ok_ = false;
  text_.remove_prefix(1);
  return true;
}

bool JsonReader::number(std::size_t* value) {
  skip_spaces();
  if (!ok_) return false;
  const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), *value);
  if (error != std::errc()) return ok_ = false;
  text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
  return true;
}

}  // namespace hybrid
