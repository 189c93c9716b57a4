// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/tool/sweep.hpp"

namespace tessera::tool {
namespace {

int matching_encodings(std::uint32_t word) {
  int count = 0;
  for (const ime::Descriptor& d : ime::Instructions::table) count += d.encoding.matches(word);
  return count;
}

}  // namespace

SweepResult sweep(const ime::Profile& profile) {
  SweepResult result;
  for (std::uint32_t upper = 0; upper < std::uint32_t{1} << 25; ++upper) {
    const std::uint32_t word = upper << 7 | ime::opcode_custom1;
    ++result.words;
    const ime::Decoded decoded = ime::decode(word, profile);
    if (!decoded) continue;
    ++result.legal[decoded.index];
    const bool unique = matching_encodings(word) == 1;
    if (unique && ime::Instructions::encode(decoded.index, decoded.operands) == word) continue;
    if (result.faults++ == 0) result.first_fault = word;
  }
  return result;
}

}  // namespace tessera::tool
