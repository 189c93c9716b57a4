// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A register block of integer tiles whose rows and columns have one scale each: integer sums over all of K,
/// in pieces that cannot overflow.
#ifndef TESSERA_TILE_WHOLE_ROW_BLOCK_HPP_
#define TESSERA_TILE_WHOLE_ROW_BLOCK_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/tile/dot_block.hpp"

TESSERA_NAMESPACE_BEGIN

/// Elements of a row whose products are summed as integers: codes are within 127, levels less a zero point
/// within 255, and 127 * 255 * 65536 < 2^31.
inline constexpr std::size_t whole_row_piece = 65536;

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::size_t piece_groups = whole_row_piece / 32;

/// The int32 whose bits a float has; floats only carry them.
TESSERA_INLINE std::int32_t carried(float x) noexcept {
  return __builtin_bit_cast(std::int32_t, x);
}
TESSERA_INLINE float carrier(std::int32_t x) noexcept {
  return __builtin_bit_cast(float, x);
}
template <class D>
TESSERA_INLINE auto carried(D d, const typename D::F32& v) noexcept {
  return d.bits(v);
}
template <class D>
TESSERA_INLINE std::int32_t carried(D, float v) noexcept {
  return carried(v);
}

/// Calls take(i, j, sum) with the exact sums of row tile i and panel j over groups [first, first + count).
template <class Atom, std::size_t MR, std::size_t NR, class D, class Take>
TESSERA_INLINE void sum_levels(D d, std::size_t column, const DotOperands<MR, NR>& in,
                               std::size_t first, std::size_t count, const std::int32_t (&sums)[MR],
                               Take&& take) noexcept {
  using T = typename Atom::block_tile;
  DotOperands<MR, NR> piece = in;
  piece.groups = count;
  for (std::size_t i = 0; i < MR; ++i) piece.a_codes[i] += first * T::m * 32;
  for (std::size_t j = 0; j < NR; ++j) piece.b_codes[j] += first * T::n * 32;
  if constexpr (requires { Atom::panel_by_panel; }) {
    static_assert(MR == 1);
    Atom::sum_levels(piece,
                     [&](std::size_t j, const auto& sum) TESSERA_LAMBDA { take(0, j, sum); });
  } else {
    std::size_t next = 0;
    with_accumulators<MR * NR>(
        [&]() TESSERA_LAMBDA { return Atom::start(d, &sums[next++ / NR], column); },
        [&](auto&... acc) TESSERA_LAMBDA {
          const std::int8_t* a[MR];
          const std::int8_t* b[NR];
          for (std::size_t i = 0; i < MR; ++i) a[i] = piece.a_codes[i];
          for (std::size_t j = 0; j < NR; ++j) b[j] = piece.b_codes[j];
          for (std::size_t g = 0; g < count; ++g) {
            constexpr std::size_t steps = 32 / T::k;
            if constexpr (requires {
                            Atom::template accumulate<steps, MR, NR>(d, 0, a, b, acc...);
                          })
              Atom::template accumulate<steps, MR, NR>(d, column, a, b, acc...);
            else
              Atom::template group<steps, MR, NR>(d, column, a, b, acc...);
            for (std::size_t i = 0; i < MR; ++i) a[i] += T::m * 32;
            for (std::size_t j = 0; j < NR; ++j) b[j] += T::n * 32;
          }
          unroll<MR>([&](auto i) TESSERA_LAMBDA {
            unroll<NR>([&](auto j) TESSERA_LAMBDA { take(i, j, nth<i * NR + j>(acc...)); });
          });
        });
  }
}

}  // namespace detail

/// out[MR * m][NR * n] (rows ld apart) = the canonical sum: pieces of whole_row_piece ascending, acc =
/// fma(float(isum - zero * asum), sa * sb, acc) from zero, the difference exact, the product sa * sb rounded
/// to f32. a_scales[i] are one row tile's, a_weighted_sums[i] carry its sums of codes [piece], b_scales[j] are one
/// panel's and b_minus_minima[j] carry its zero points: all in lanes.
template <class Atom, std::size_t MR, std::size_t NR>
TESSERA_INLINE void whole_row_block(const DotOperands<MR, NR>& given, float* out,
                                    std::size_t ld) noexcept {
  using T = typename Atom::block_tile;
  const DotOperands<MR, NR> in = given;
  constexpr std::size_t lanes = T::m * T::n;
  const bool one_piece = in.groups <= detail::piece_groups;
  float totals[MR * NR * lanes];  // between pieces
  if (!one_piece) __builtin_memset(totals, 0, sizeof totals);
  Atom::for_strips([&](auto d, std::size_t column) TESSERA_LAMBDA {
    for (std::size_t first = 0, p = 0; first < in.groups; first += detail::piece_groups, ++p) {
      const std::size_t left = in.groups - first;
      const bool last = left <= detail::piece_groups;
      const std::size_t count = last ? left : detail::piece_groups;
      const float* asums[MR];
      std::int32_t first_sums[MR];  // of atoms that need them, which have one row a tile
      for (std::size_t i = 0; i < MR; ++i) {
        asums[i] = in.a_weighted_sums[i] + p * Atom::a_scale_lanes;
        first_sums[i] = detail::carried(asums[i][0]);
      }
      detail::sum_levels<Atom>(
          d, column, in, first, count, first_sums,
          [&](std::size_t i, std::size_t j, const auto& sum) TESSERA_LAMBDA {
            const auto zero = d.bits(Atom::b_scale(d, in.b_minus_minima[j], column));
            const auto asum = detail::carried(d, Atom::a_scale(d, asums[i]));
            const auto level_sum = d.to_f32(d.isub(sum, d.imul(zero, asum)));
            const auto scale = d.rounded(
                d.mul(Atom::a_scale(d, in.a_scales[i]), Atom::b_scale(d, in.b_scales[j], column)));
            float* const between = totals + (i * NR + j) * lanes + column;
            const auto total = d.fma(level_sum, scale, one_piece ? d.set(0.0f) : d.load(between));
            if (last)
              Atom::store(d, total, out + i * T::m * ld + j * T::n, ld, column);
            else
              d.store(between, total);
          });
    }
  });
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_WHOLE_ROW_BLOCK_HPP_
