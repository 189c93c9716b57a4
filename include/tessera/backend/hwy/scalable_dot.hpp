// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// int8 products where Highway's vectors are sizeless (RVV): multiply-accumulate in i32 lanes.
#ifndef TESSERA_BACKEND_HWY_SCALABLE_DOT_HPP_
#define TESSERA_BACKEND_HWY_SCALABLE_DOT_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/hwy/target.hpp"
#include "tessera/backend/hwy/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// int8 x int8 -> int32, 1xNx1: lanes are columns. Highway builds its byte dot product from a dozen
/// RVV instructions; one column per lane needs none of them and shares its packing with rvv.
template <class T>
struct HwyColumnsDot : ColumnScales<T> {
  using tile = T;
  static constexpr const char* name = "vmacc";
  static constexpr std::size_t row_tiles =
      4;  // LMUL 2: 8 registers of sums, 8 of totals, 2 of weights
  static constexpr std::size_t panels = 1;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    HwyVectors::for_lanes<2>(tile::n, body);
  }
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D d, std::size_t column, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    for (std::size_t q = 0; q < KSteps; ++q) {
      unroll<NR>([&](auto j) TESSERA_LAMBDA {
        const auto w = d.load_i32(b[j] + q * tile::n + column);
        unroll<MR>([&](auto i) TESSERA_LAMBDA {
          auto& sum = nth<decltype(i)::value * NR + decltype(j)::value>(acc...);
          sum = detail::hn::MulAdd(w, d.set_i32(a[i][q]), sum);
        });
      });
    }
  }
};

using HwyDot = HwyColumnsDot<tile::columns128>;

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_HWY_SCALABLE_DOT_HPP_
