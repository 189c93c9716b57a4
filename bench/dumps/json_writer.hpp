// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Writes JSON: objects member by member, arrays of ready texts.
#ifndef TESSERA_BENCH_DUMPS_JSON_WRITER_HPP_
#define TESSERA_BENCH_DUMPS_JSON_WRITER_HPP_

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

#include "bench/dumps/json.hpp"

namespace dumps {

/// Nine digits; null for what is not finite.
inline std::string json_number(double x) {
  if (!std::isfinite(x)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

/// Members of one object.
class JsonObject {
 public:
  void raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + json_quoted(key) + ": " + value;
  }
  void add(const char* key, const std::string& value) { raw(key, json_quoted(value)); }
  void add(const char* key, double value) { raw(key, json_number(value)); }
  void add(const char* key, std::size_t value) { raw(key, std::to_string(value)); }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

template <class List, class Text>
std::string json_array(const List& list, Text&& text_of) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + text_of(item);
  return "[" + text + "]";
}

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_JSON_WRITER_HPP_
