// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The JSON that a tensor file's header is made of: objects, arrays, strings and natural numbers.
#ifndef TESSERA_EXAMPLES_HYBRID_JSON_READER_HPP_
#define TESSERA_EXAMPLES_HYBRID_JSON_READER_HPP_

#include <cstddef>
#include <string>
#include <string_view>

namespace hybrid {

/// A position in a text. A read that does not fit answers false, and so does every one after it.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool ok() const { return ok_; }

  /// Only spaces are left.
  [[nodiscard]] bool at_end() {
    skip_spaces();
    return ok_ && text_.empty();
  }

  /// Calls member(key) for each member of an object; it must read the value.
  template <class Member>
  bool object(Member&& member) {
    return list('{', '}', [&] {
      std::string key;
      return string(&key) && expect(':') && member(key);
    });
  }

  /// Calls element() for each element of an array; it must read it.
  template <class Element>
  bool array(Element&& element) {
    return list('[', ']', element);
  }

  /// ASCII; escapes other than \n, \t, \", \\ and \/ are refused.
  bool string(std::string* value);

  bool number(std::size_t* value);

 private:
  template <class Item>
  bool list(char begin, char end, Item&& item) {
    if (!expect(begin)) return false;
    if (next_is(end)) return true;
    do {
      if (!item()) return ok_ = false;
    } while (next_is(','));
    return expect(end);
  }

  void skip_spaces();
  bool next_is(char c);
  bool expect(char c) { return ok_ = ok_ && next_is(c); }

  std::string_view text_;
  bool ok_ = true;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_JSON_READER_HPP_
