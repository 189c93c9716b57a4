// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/cost/numbers.hpp"

#include <charconv>

namespace tessera::cost {
namespace {

constexpr int deepest = 32;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  JsonValues read() {
    value("", true, 0);
    space();
    if (values_.error.empty() && at_ != text_.size()) fail("there is more behind the end");
    return std::move(values_);
  }

 private:
  bool ok() const { return values_.error.empty(); }
  void fail(const char* what) {
    if (ok()) values_.error = std::string(what) + " (byte " + std::to_string(at_) + ")";
  }
  void space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c, const char* what) {
    if (ok() && !take(c)) fail(what);
  }

  std::string string() {
    need('"', "a string is expected");
    std::string s;
    while (ok()) {
      if (at_ >= text_.size()) {
        fail("a string does not end");
      } else if (text_[at_] == '"') {
        ++at_;
        break;
      } else {
        // An escape keeps its backslash: no name that is asked for has one.
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) s += text_[at_++];
        s += text_[at_++];
      }
    }
    return s;
  }

  void number(const std::string& path, bool keep) {
    double x = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), x);
    if (error != std::errc()) return fail("a value is expected");
    at_ += static_cast<std::size_t>(end - begin);
    if (keep) values_.numbers[path] = x;
  }

  void object(const std::string& path, bool keep, int depth) {
    if (take('}')) return;
    do {
      space();
      const std::string name = string();
      need(':', "':' is expected");
      if (ok()) value(path.empty() ? name : path + "." + name, keep, depth);
    } while (ok() && take(','));
    need('}', "'}' is expected");
  }

  void value(const std::string& path, bool keep, int depth) {
    if (depth > deepest) return fail("nested too deep");
    space();
    if (take('{')) return object(path, keep, depth + 1);
    if (take('[')) {
      if (take(']')) return;
      do {
        value(path, false, depth + 1);
      } while (ok() && take(','));
      return need(']', "']' is expected");
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      std::string s = string();
      if (keep) values_.texts[path] = std::move(s);
      return;
    }
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return;
      }
    }
    number(path, keep);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  JsonValues values_;
};

}  // namespace

JsonValues read_json(std::string_view text) {
  return Reader(text).read();
}

}  // namespace tessera::cost
