// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The header of an .npy file (format version 1.0, C order), written into an array.
/// Source: NEP 1, "A simple file format for NumPy arrays".
#ifndef TESSERA_CORE_NPY_HEADER_HPP_
#define TESSERA_CORE_NPY_HEADER_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/elements.hpp"

TESSERA_NAMESPACE_BEGIN

/// The most axes of a tensor that is written to or read from a file.
inline constexpr std::size_t max_axes = 8;

/// Text that the data follow. `size` is a multiple of 64, so that they lie aligned in a mapped file.
struct NpyHeader {
  char text[384];
  std::size_t size;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Text that grows at the end of a header. What does not fit is left out.
struct HeaderText {
  NpyHeader& header;

  void add(const char* text) noexcept {
    for (; *text != '\0'; ++text) add(*text);
  }
  void add(char c) noexcept {
    if (header.size < sizeof header.text) header.text[header.size++] = c;
  }
  void add(std::size_t number) noexcept {
    char digits[20];
    std::size_t n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (n != 0) add(digits[--n]);
  }
};

}  // namespace detail

/// The header of a little-endian array. NumPy has no bfloat16 of its own: such elements are of type
/// V2, as ml_dtypes writes them. Precondition: at most max_axes sizes.
[[nodiscard]] inline NpyHeader npy_header(Element type,
                                          std::span<const std::size_t> shape) noexcept {
  NpyHeader header = {};
  detail::HeaderText text{header};
  text.add("\x93NUMPY\x01");
  for (int i = 0; i < 3; ++i) text.add('\0');  // the minor version and the length, filled in below
  text.add("{'descr': '");
  text.add(type == Element::f64   ? "<f8"
           : type == Element::f32 ? "<f4"
           : type == Element::f16 ? "<f2"
                                  : "|V2");
  text.add("', 'fortran_order': False, 'shape': (");
  for (const std::size_t n : shape) {
    text.add(n);
    text.add(", ");
  }
  text.add("), }");
  while (header.size % 64 != 63) text.add(' ');
  text.add('\n');
  header.text[8] = static_cast<char>((header.size - 10) & 255u);
  header.text[9] = static_cast<char>((header.size - 10) >> 8);
  return header;
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_NPY_HEADER_HPP_
