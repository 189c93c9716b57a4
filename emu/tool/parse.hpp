// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Reading words and assembly lines.
#ifndef TESSERA_EMU_TOOL_PARSE_HPP_
#define TESSERA_EMU_TOOL_PARSE_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::tool {

/// A 32-bit word in hexadecimal, with or without 0x.
std::optional<std::uint32_t> parse_word(std::string_view text);

/// What an assembly line gives: a word; a word and an error, where the line can be encoded but no
/// core executes it (the result overlaps a source); or an error alone.
struct Assembled {
  std::optional<std::uint32_t> word;
  std::string error;
};

/// Assembles `MNEMONIC vd, vs1, vs2[, v0|v1][, IMM][, i8|i4]`. The mnemonic is spelled `smt.vmadot`
/// or `vmadot`, and those of the layout instructions with or without `.vv`. Text behind # or // is
/// ignored.
Assembled assemble(std::string_view line);

}  // namespace tessera::tool

#endif  // TESSERA_EMU_TOOL_PARSE_HPP_
