// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Golden vectors for every instruction in the model's list.
#ifndef TESSERA_BENCH_CHECK_INSTRUCTIONS_HPP_
#define TESSERA_BENCH_CHECK_INSTRUCTIONS_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/check/report.hpp"
#include "bench/check/worker.hpp"
#include "tessera/isa/ime/geometry.hpp"

namespace board {

/// One item per instruction, in the list's order, of `vectors` vectors each; of an instruction that the
/// profile lacks one of two words that tells whether the core has it.
std::vector<Item> instruction_items(const tessera::ime::Profile& profile, std::size_t vectors);

/// What the items' outcomes say. `has_matrix`: the core is known to have matrix instructions.
std::vector<InstructionResult> instruction_results(const tessera::ime::Profile& profile,
                                                   const std::vector<Outcome>& outcomes,
                                                   bool has_matrix);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_INSTRUCTIONS_HPP_
