// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Reading the code and the symbols of a riscv64 ELF file. Any bytes may be given: nothing is read
// outside them.
#ifndef TESSERA_EMU_TOOL_ELF_HPP_
#define TESSERA_EMU_TOOL_ELF_HPP_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A name and where it begins in its code.
struct Symbol {
  std::uint64_t address;
  std::string_view name;  ///< in the file's bytes; empty for a mark without a name
};

/// A piece of executable code.
struct CodeRange {
  std::uint64_t address;  ///< of the first byte; from 0 in every section of an object file
  std::span<const std::uint8_t> bytes;
  std::string_view section;     ///< empty where the file has no section headers
  std::vector<Symbol> symbols;  ///< ascending
};

/// What was read, or why nothing was. Views point into the bytes that were given.
struct ElfCode {
  std::vector<CodeRange> ranges;
  std::string error;
};

/// Does the file claim to be ELF?
bool is_elf(std::span<const std::uint8_t> file);

/// The executable sections, or where there are no section headers the executable segments.
ElfCode read_elf(std::span<const std::uint8_t> file);

/// An instruction of the list, found in a code range.
struct FoundWord {
  std::uint64_t address;
  std::uint32_t word;
  std::string_view symbol;  ///< empty: none precedes it
  std::uint64_t offset;     ///< from the symbol
};

/// Walks a range by instruction lengths, beginning anew at each symbol, and gives the words that
/// `ime::identify` knows.
std::vector<FoundWord> find_words(const CodeRange& range);

}  // namespace tessera::tool

#endif  // TESSERA_EMU_TOOL_ELF_HPP_
