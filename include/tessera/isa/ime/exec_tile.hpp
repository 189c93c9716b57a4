// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What a matrix instruction computes, on plain memory instead of registers.
#ifndef TESSERA_ISA_IME_EXEC_TILE_HPP_
#define TESSERA_ISA_IME_EXEC_TILE_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/numerics.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// One tile on plain memory: c (M x N int32, row-major) += a (M rows of K) * transposed b (N rows
/// of K), exactly as `Insn` computes it on profile P. This is the instruction's only definition.
template <class Insn, Profile P, class Numerics = DefaultNumerics>
TESSERA_INLINE constexpr void exec_tile(std::int32_t* c, const std::uint8_t* a,
                                        const std::uint8_t* b) {
  Insn::template tile<P, Numerics>(c, a, b);
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_EXEC_TILE_HPP_
