// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Walking all words of the opcode.
#ifndef TESSERA_EMU_TOOL_SWEEP_HPP_
#define TESSERA_EMU_TOOL_SWEEP_HPP_

#include "tessera/isa/ime/all.hpp"

#include <cstdint>

namespace tessera::tool {

struct SweepResult {
  std::uint64_t words = 0;
  std::uint64_t legal[ime::instruction_count] = {};
  std::uint64_t faults = 0;       ///< words for which a property fails
  std::uint32_t first_fault = 0;  ///< the first such word
};

/// Decodes all 2^25 words of custom-1. A legal word must belong to exactly one instruction of the
/// list, and encoding what was decoded must give it back.
SweepResult sweep(const ime::Profile& profile);

}  // namespace tessera::tool

#endif  // TESSERA_EMU_TOOL_SWEEP_HPP_
