// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The arithmetic that no public board run has settled yet. Each fact stands here once, so that a
// measurement on silicon changes one function.
#ifndef TESSERA_ISA_IME_NUMERICS_HPP_
#define TESSERA_ISA_IME_NUMERICS_HPP_

#include "tessera/config.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Adds an exact integer sum to an int32 accumulator. Open on silicon: what happens past the end of
/// the range. Every public model wraps modulo 2^32, and so does this one.
TESSERA_INLINE constexpr std::int32_t accumulate_int32(std::int32_t accumulator, std::int32_t sum) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) +
                                   static_cast<std::uint32_t>(sum));
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_NUMERICS_HPP_
