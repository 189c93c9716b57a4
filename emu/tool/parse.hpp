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

/// The word of an assembly line, or why there is none.
struct Assembled {
  std::optional<std::uint32_t> word;
  std::string error;
};

/// Assembles `[smt.]MNEMONIC vd, vs1, vs2[, i8|i4]`. Operands that break a rule on every core are
/// refused.
Assembled assemble(std::string_view line);

}  // namespace tessera::tool

#endif  // TESSERA_EMU_TOOL_PARSE_HPP_
