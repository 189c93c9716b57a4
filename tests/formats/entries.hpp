// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The formats of blocks as values, so that a test is compiled once and not once per format.
#ifndef TESSERA_TESTS_FORMATS_ENTRIES_HPP_
#define TESSERA_TESTS_FORMATS_ENTRIES_HPP_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera_test {

/// A format of blocks. Blocks are bytes without alignment.
struct BlockEntry {
  std::string name;
  std::uint32_t id;
  std::size_t group, scale_group, block_bytes, header_bytes, code_bits;
  bool has_minima;
  unsigned code_offset;
  void (*quantize)(const float* x, std::byte* block);
  void (*dequantize)(const std::byte* block, float* x);
  void (*split)(const std::byte* block, std::uint8_t* codes, std::uint8_t* header);
  void (*join)(const std::uint8_t* codes, const std::uint8_t* header, std::byte* block);
  int (*level)(unsigned code);
  void (*scales)(const std::uint8_t* header, float* scale, float* minus_min);

  std::size_t scale_groups() const { return group / scale_group; }
};

/// All of all_formats that are blocks, in its order, and nbits_formats.
const std::vector<BlockEntry>& block_entries();

/// Element e of a block of random bytes as published, read bit by bit and exact in double.
/// Throws for a name that published_values.cpp does not have.
double published_value(const std::string& format, const std::byte* block, std::size_t e);

}  // namespace tessera_test

#endif  // TESSERA_TESTS_FORMATS_ENTRIES_HPP_
