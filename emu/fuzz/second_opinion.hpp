// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The tests' second transcription of the instructions, compiled by itself: it is what the model is
// compared with, not what is fuzzed, so it has neither sanitizers nor coverage and takes a third of
// the time.
#ifndef TESSERA_EMU_FUZZ_SECOND_OPINION_HPP_
#define TESSERA_EMU_FUZZ_SECOND_OPINION_HPP_

#include "tessera/isa/ime/geometry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

/// Executes a legal assembly line at this SEW on 32 registers.
void execute_as_written(const tessera::ime::Profile& profile, int sew, const std::string& line,
                        std::vector<std::uint8_t>& registers);

}  // namespace fuzz

#endif  // TESSERA_EMU_FUZZ_SECOND_OPINION_HPP_
