// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Golden vectors: an instruction's word and the state it finds.
#ifndef TESSERA_BENCH_CHECK_VECTORS_HPP_
#define TESSERA_BENCH_CHECK_VECTORS_HPP_

#include <cstddef>
#include <cstdint>

#include "bench/check/execution.hpp"

namespace board {

struct Vector {
  std::uint32_t word;
  const char* data;  ///< what is in the registers
  State state;
};

/// Vectors below this number have data of each kind in turn; further ones repeat them with other words
/// and noise.
inline constexpr std::size_t kinds_of_data = 12;

/// The vector with this number. It is legal on the profile, if the profile has the instruction; number 0
/// is the plainest. Words: the published ones of the instruction, then random registers and immediates.
/// States: every SEW; for the layout instructions, which read whole registers, vl from 0 to VLMAX.
Vector make_vector(const ime::Profile& profile, int instruction, std::size_t number);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_VECTORS_HPP_
