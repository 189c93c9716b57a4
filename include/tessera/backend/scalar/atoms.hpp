// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the scalar backend: one product at a time. They are the definition.
#ifndef TESSERA_BACKEND_SCALAR_ATOMS_HPP_
#define TESSERA_BACKEND_SCALAR_ATOMS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/pack_lanes.hpp"
#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// int8 x int8 -> int32, 1x1x1.
struct ScalarDot : ColumnScales<tile::scalar> {
  using tile = tessera::tile::scalar;
  static constexpr const char* name = "mul";
  static constexpr std::size_t row_tiles = 2;
  static constexpr std::size_t panels = 4;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    body(PackLanes<ScalarRegister, 1, true>(), std::size_t{0});
  }
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D, std::size_t, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    unroll<MR>([&](auto i) TESSERA_LAMBDA {
      unroll<NR>([&](auto j) TESSERA_LAMBDA {
        std::int32_t sum = 0;
        for (std::size_t q = 0; q < KSteps; ++q) sum += a[i][q] * b[j][q];
        nth<decltype(i)::value * NR + decltype(j)::value>(acc...).v[0] += sum;
      });
    });
  }
};

/// One fma at a time over row-major weights.
struct ScalarFma {
  using tile = tessera::tile::scalar;
  static constexpr const char* name = "fma";
  static constexpr std::size_t rows = 4;
  static constexpr std::size_t registers = 1;
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_SCALAR_ATOMS_HPP_
