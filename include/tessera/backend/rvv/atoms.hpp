// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tile operations of the rvv backend: lanes run across the columns of a panel.
#ifndef TESSERA_BACKEND_RVV_ATOMS_HPP_
#define TESSERA_BACKEND_RVV_ATOMS_HPP_

#include <riscv_vector.h>

#include <cstddef>
#include <cstdint>

#include "tessera/backend/rvv/types.hpp"
#include "tessera/backend/rvv/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/scale_lanes.hpp"
#include "tessera/tile/tile.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// int8 x int8 -> int32 by widening multiply-accumulate: the weights of one k step, widened to 16
/// bits, times the code of each row. LMUL registers hold an accumulator; Rows of them, as many float
/// sums and the weights fill the register file.
template <class Tile, int LMUL, std::size_t Rows>
struct RvvColumnsDot : ColumnScales<Tile> {
  using tile = Tile;
  static_assert(tile::m == 1 && tile::k == 1);
  static constexpr const char* name = "vwmacc";
  static constexpr std::size_t row_tiles = Rows;
  static constexpr std::size_t panels = 1;

  template <class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    RvvVectors::for_lanes<LMUL>(tile::n, body);
  }
  /// Unused: the first product of a group makes the accumulator. A zero would be hoisted out of all
  /// loops, and its registers are missed.
  template <class D>
  TESSERA_INLINE static auto start(D d, const std::int32_t*, std::size_t) noexcept {
    return d.set_i32(0);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void group(D d, std::size_t column, const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    // Unrolled so that a row's codes are read at constant offsets; not wholly, for the code's size.
    constexpr std::size_t chunk = KSteps % 8 == 0 ? 8 : 1;
    steps<true, chunk>(d, 0, column, a, b, acc...);
    for (std::size_t q = chunk; q < KSteps; q += chunk)
      steps<false, chunk>(d, q, column, a, b, acc...);
  }
  template <std::size_t KSteps, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void accumulate(D d, std::size_t column, const std::int8_t* const (&a)[MR],
                                        const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    constexpr std::size_t chunk = KSteps % 8 == 0 ? 8 : 1;
    for (std::size_t q = 0; q < KSteps; q += chunk) steps<false, chunk>(d, q, column, a, b, acc...);
  }
  /// A row's scale stays a scalar operand.
  template <class D>
  TESSERA_INLINE static float a_scale(D, const float* lanes) noexcept {
    return lanes[0];
  }

 private:
  /// k steps [q, q + Count).
  template <bool First, std::size_t Count, std::size_t MR, std::size_t NR, class D, class... Acc>
  TESSERA_INLINE static void steps(D d, std::size_t q, std::size_t column,
                                   const std::int8_t* const (&a)[MR],
                                   const std::int8_t* const (&b)[NR], Acc&... acc) noexcept {
    const std::size_t vl = d.size();
    unroll<Count>([&](auto s) TESSERA_LAMBDA {
      unroll<NR>([&](auto j) TESSERA_LAMBDA {
        const auto w = d.load_i16(b[j] + (q + s) * tile::n + column);
        unroll<MR>([&](auto i) TESSERA_LAMBDA {
          auto& sum = nth<decltype(i)::value * NR + decltype(j)::value>(acc...);
          const std::int16_t code = a[i][q + s];
          if constexpr (First && decltype(s)::value == 0) {
            sum = __riscv_vwmul(w, code, vl);
          } else {
            sum = __riscv_vwmacc(sum, code, w, vl);
          }
        });
      });
    });
  }
};

using RvvDot = RvvColumnsDot<tile::columns128, 4, 3>;
/// Attention's: a block of keys is 64 columns. With the float sums in memory four rows fit; one row takes
/// twice the registers, eight rows half of them.
struct RvvKeyDot : RvvColumnsDot<Tile<1, 64, 1>, 4, 4> {
  static constexpr bool sums_in_memory = true;
  static constexpr std::size_t many_rows = 8;
  /// Do two registers hold all columns?
  TESSERA_INLINE static bool takes_many_rows() noexcept {
    return __riscv_vsetvlmax_e32m2() >= tile::n;
  }
  template <std::size_t Rows, class Body>
  TESSERA_INLINE static void for_strips(Body&& body) {
    RvvVectors::for_lanes<Rows == 1 ? 8 : Rows == many_rows ? 2 : 4>(tile::n, body);
  }
};

/// One fma of a scalar and a vector per row, over 64 columns of floats. Six rows of four registers
/// and the weights fill 28 of the 32 registers.
struct RvvFma {
  using tile = tessera::tile::floats64;
  static constexpr const char* name = "vfmacc";
  static constexpr std::size_t rows = 6;
  static constexpr std::size_t registers = 4;
};

/// The same for few rows: three rows of eight registers and the weights are all 32.
struct RvvShortFma {
  static constexpr const char* name = "vfmacc";
  static constexpr std::size_t rows = 3;
  static constexpr std::size_t registers = 8;
  /// Or would half the registers hold them?
  TESSERA_INLINE static bool fills(std::size_t columns) noexcept {
    return columns > __riscv_vsetvlmax_e32m4();
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_RVV_ATOMS_HPP_
