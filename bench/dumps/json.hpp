// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Reads JSON step by step, as the header of a safetensors file needs it. Nothing is built in memory.
#ifndef TESSERA_BENCH_DUMPS_JSON_HPP_
#define TESSERA_BENCH_DUMPS_JSON_HPP_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dumps {

/// A place in a JSON text. Every call throws Refusal if the text is not what it reads.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  /// Calls member(key) for every member of an object; it must read the value.
  template <class Member>
  void object(Member&& member) {
    expect('{');
    if (accept('}')) return;
    do {
      const std::string key = string();
      expect(':');
      member(key);
    } while (accept(','));
    expect('}');
  }
  /// A string; \u escapes become UTF-8.
  std::string string();
  /// An array of whole numbers, at most `limit` of them.
  std::vector<std::size_t> sizes(std::size_t limit);
  /// Reads over any value nested at most 32 deep.
  void skip(int depth = 0);
  /// Nothing but spaces may follow.
  void end();

 private:
  [[noreturn]] void refuse(const std::string& rule) const;
  void spaces();
  bool accept(char c);
  void expect(char c);
  unsigned hexadecimal();

  std::string_view text_;
  std::size_t at_ = 0;
  std::string where_;
};

/// The text as a JSON string, quoted.
std::string json_quoted(std::string_view text);

}  // namespace dumps

#endif  // TESSERA_BENCH_DUMPS_JSON_HPP_
