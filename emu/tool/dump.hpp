// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Reading words out of text: lists of words, listings and hex dumps.
#ifndef TESSERA_EMU_TOOL_DUMP_HPP_
#define TESSERA_EMU_TOOL_DUMP_HPP_

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A 32-bit word and its address; 0-based where the text names none.
struct DumpedWord {
  std::uint64_t address;
  std::uint32_t word;
};

/// The 4-byte instructions in a text. A line may begin with an address and a colon. Then follow
/// groups of hexadecimal digits, and anything behind the first other word is ignored:
///   8 digits   a word, as listings print it (0x may stand before); behind an address of fewer
///              digits without a colon, as section dumps have it, four bytes in memory order
///   4 digits   alone in a line: a 2-byte instruction of a listing; else two bytes, in memory order
///   more       an even number: bytes, in memory order
///   2 digits   a byte. A line `0001f0  2b 31 10 e2 ...` may have its address without a colon
/// Bytes are cut into instructions by their lengths, across lines.
std::vector<DumpedWord> read_dump(std::string_view text);

}  // namespace tessera::tool

#endif  // TESSERA_EMU_TOOL_DUMP_HPP_
