// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Writing names and numbers into a caller's buffer: no allocation, no locale, usable in a signal
// handler.
#ifndef TESSERA_ISA_IME_TEXT_HPP_
#define TESSERA_ISA_IME_TEXT_HPP_

#include "tessera/config.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Appends to `begin[0, capacity)`. Text that does not fit is cut; the buffer always ends in a zero
/// byte. Precondition: capacity >= 1.
class Text {
 public:
  TESSERA_INLINE constexpr Text(char* begin, int capacity) : begin_(begin), capacity_(capacity) {
    begin_[0] = '\0';
  }

  TESSERA_INLINE constexpr Text& put(char c) {
    if (length_ + 1 < capacity_) {
      begin_[length_++] = c;
      begin_[length_] = '\0';
    }
    return *this;
  }
  TESSERA_INLINE constexpr Text& put(const char* s) {
    while (*s != '\0') put(*s++);
    return *this;
  }
  TESSERA_INLINE constexpr Text& decimal(std::uint64_t value) {
    char digits[20]{};
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    while (count > 0) put(digits[--count]);
    return *this;
  }
  /// `0x` and at least `width` digits.
  TESSERA_INLINE constexpr Text& hex(std::uint64_t value, int width = 1) {
    put("0x");
    int count = 16;
    while (count > width && (value >> (4 * (count - 1))) == 0) --count;
    while (count > 0) put("0123456789abcdef"[value >> (4 * --count) & 15]);
    return *this;
  }
  TESSERA_INLINE constexpr Text& vreg(int number) {
    return put('v').decimal(static_cast<std::uint64_t>(number));
  }

  TESSERA_INLINE constexpr int length() const { return length_; }

 private:
  char* begin_;
  int capacity_;
  int length_ = 0;
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_TEXT_HPP_
