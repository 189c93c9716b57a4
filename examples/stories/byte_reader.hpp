// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Reading little-endian values from the bytes of a file, never past their end.
#ifndef TESSERA_EXAMPLES_STORIES_BYTE_READER_HPP_
#define TESSERA_EXAMPLES_STORIES_BYTE_READER_HPP_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace stories {

/// A position in a file's bytes. A read that would pass the end takes nothing and answers false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

  [[nodiscard]] bool read(std::int32_t* value) { return copy(value, sizeof *value); }
  [[nodiscard]] bool read(float* value) { return copy(value, sizeof *value); }
  [[nodiscard]] bool read(std::span<float> values) {
    return copy(values.data(), values.size_bytes());
  }
  [[nodiscard]] bool read(std::span<char> text) { return copy(text.data(), text.size()); }

 private:
  bool copy(void* to, std::size_t n) {
    if (n > bytes_.size()) return false;
    if (n != 0) std::memcpy(to, bytes_.data(), n);
    bytes_ = bytes_.subspan(n);
    return true;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BYTE_READER_HPP_
