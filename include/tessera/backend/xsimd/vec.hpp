// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The vector layer of the xsimd backend: entry points (core/vector.hpp).
#ifndef TESSERA_BACKEND_XSIMD_VEC_HPP_
#define TESSERA_BACKEND_XSIMD_VEC_HPP_

#include <cstddef>

#include "tessera/backend/moves.hpp"
#include "tessera/backend/pack_lanes.hpp"
#include "tessera/backend/xsimd/register.hpp"
#include "tessera/config.hpp"
#include "tessera/core/vector.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Vectors of a compile-time size.
struct XsimdVectors : PlainMoves {
  static constexpr std::size_t state_registers = 4;
  template <std::size_t M, class Body>
  TESSERA_INLINE static void for_lanes(std::size_t n, Body&& body) {
    for_packs<XsimdRegister, M, true>(n, body);
  }
  template <class Body>
  TESSERA_INLINE static void for_virtual(std::size_t n, Body&& body) {
    for_packs<XsimdRegister, virtual_lanes / XsimdRegister::lanes>(n, body);
  }
  TESSERA_INLINE static auto full_virtual() noexcept {
    return PackLanes<XsimdRegister, virtual_lanes / XsimdRegister::lanes, true>();
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_XSIMD_VEC_HPP_
