// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A register block of integer tiles: MR x NR of them over all groups of K.
///
/// An integer atom A of a backend (backend/NAME/atoms.hpp) provides
/// - `tile`, the M x N x K it consumes; `row_tiles`, `panels`: the block its registers allow;
/// - `for_strips(body)`: calls `body(d, column)` for stretches of the tile's columns; `d` is the lanes
///   object of the accumulators (a matrix tile: one strip of M * N lanes);
/// - `start(d, sums, column)` -> I32: the accumulator before a group; `sums` are the int32 sums of the
///   activation codes of the tile's rows, for atoms that read weight codes with an offset;
///   It must be followed by group(), which may overwrite it where it is known to be zero;
/// - `group<KSteps, MR, NR>(d, column, a, b, acc&...)`: adds the exact products of one group; acc is
///   row tile major; a[i], b[j] point at the group's codes in tile order;
/// - perhaps `sum_groups(in, out, ld)`: the whole block, for groups of 32 without minima;
/// - `accumulate<...>` like group(), where group() may overwrite the accumulator;
/// - the members of TileScales or ColumnScales (tile/scale_lanes.hpp).
/// An atom for dot_block_in_memory() has `for_strips<Rows>(body)` instead.
#ifndef TESSERA_TILE_DOT_BLOCK_HPP_
#define TESSERA_TILE_DOT_BLOCK_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// What a block reads (whole_row_block.hpp: somewhat else): per row tile and per panel, a pointer to its first group. Groups are those that
/// share a scale of b; scales of a are per 32 elements.
template <std::size_t MR, std::size_t NR>
struct DotOperands {
  const std::int8_t* a_codes[MR];
  const float* a_scales[MR];
  const std::int32_t* a_sums[MR];
  const float* a_weighted_sums[MR];  ///< sa * float(sum) in lanes; read if b has minima
  const std::int8_t* b_codes[NR];
  const float* b_scales[NR];
  const float* b_minus_minima[NR];  ///< read if b has minima
  std::size_t groups;
};

namespace detail {

/// Adds group g to the float sums: all integer sums, then their scaling.
template <class Atom, std::size_t Group, std::size_t MR, std::size_t NR, bool Minima, class D,
          class... Acc>
TESSERA_INLINE void add_group(D d, std::size_t column, const DotOperands<MR, NR>& in, std::size_t g,
                              Acc&... acc) noexcept {
  using T = typename Atom::block_tile;
  constexpr std::size_t k_steps = Group / T::k;
  constexpr std::size_t groups_per_scale = 32 / Group;  // of a
  const std::int8_t* a[MR];
  const std::int8_t* b[NR];
  for (std::size_t i = 0; i < MR; ++i) a[i] = in.a_codes[i] + g * T::m * Group;
  for (std::size_t j = 0; j < NR; ++j) b[j] = in.b_codes[j] + g * T::n * Group;
  // Accumulators start from the row tile's sums, so they are made one row tile at a time.
  std::size_t next = 0;
  with_accumulators<MR * NR>(
      [&]() TESSERA_LAMBDA { return Atom::start(d, in.a_sums[next++ / NR] + g * T::m, column); },
      [&](auto&... sums) TESSERA_LAMBDA {
        Atom::template group<k_steps, MR, NR>(d, column, a, b, sums...);
        unroll<NR>([&](auto j) TESSERA_LAMBDA {
          const auto sb = Atom::b_scale(d, in.b_scales[j] + g * Atom::b_scale_lanes, column);
          unroll<MR>([&](auto i) TESSERA_LAMBDA {
            constexpr std::size_t at = decltype(i)::value * NR + decltype(j)::value;
            const auto sa =
                Atom::a_scale(d, in.a_scales[i] + g / groups_per_scale * Atom::a_scale_lanes);
            const auto scale = d.rounded(d.mul(sa, sb));
            auto& total = nth<at>(acc...);
            total = d.fma(d.to_f32(nth<at>(sums...)), scale, total);
          });
          if constexpr (Minima) {
            const auto minus_min =
                Atom::b_scale(d, in.b_minus_minima[j] + g * Atom::b_scale_lanes, column);
            unroll<MR>([&](auto i) TESSERA_LAMBDA {
              constexpr std::size_t at = decltype(i)::value * NR + decltype(j)::value;
              auto& total = nth<at>(acc...);
              total = d.fma(Atom::a_scale(d, in.a_weighted_sums[i] + g * Atom::a_scale_lanes),
                            minus_min, total);
            });
          }
        });
      });
}

/// The same, scaling each panel's sums before the next one's are made: for atoms whose sums of a whole
/// block do not fit the registers. Such an atom has `panel_by_panel`, `load_rows`, `panel`,
/// `scale_add` and `minimum_add` instead of `start`, `group` and `b_scale`.
template <class Atom, std::size_t Group, std::size_t NR, bool Minima, class D, class... Acc>
TESSERA_INLINE void add_group_by_panels(D d, const DotOperands<1, NR>& in, std::size_t g,
                                        Acc&... acc) noexcept {
  using T = typename Atom::block_tile;
  constexpr std::size_t k_steps = Group / T::k;
  constexpr std::size_t groups_per_scale = 32 / Group;  // of a
  const auto rows = Atom::template load_rows<k_steps>(in.a_codes[0] + g * T::m * Group);
  const auto sa = Atom::a_scale(d, in.a_scales[0] + g / groups_per_scale * Atom::a_scale_lanes);
  unroll<NR>([&](auto j) TESSERA_LAMBDA {
    auto& total = nth<decltype(j)::value>(acc...);
    const auto sum = Atom::template panel<k_steps>(rows, in.b_codes[j] + g * T::n * Group);
    Atom::scale_add(sum, sa, in.b_scales[j] + g * Atom::b_scale_lanes, total);
    if constexpr (Minima)
      Atom::minimum_add(Atom::a_scale(d, in.a_weighted_sums[0] + g * Atom::a_scale_lanes),
                        in.b_minus_minima[j] + g * Atom::b_scale_lanes, total);
  });
}

/// dot_block() for atoms with `sums_in_memory`, of one row a tile: the float sums are those in `out`.
template <class Atom, std::size_t Group, std::size_t MR, bool Minima>
TESSERA_INLINE void dot_block_in_memory(const DotOperands<MR, 1>& in, float* out,
                                        std::size_t ld) noexcept {
  using T = typename Atom::block_tile;
  static_assert(T::m == 1 && Group == 32);
  Atom::template for_strips<MR>([&](auto d, std::size_t column) TESSERA_LAMBDA {
    unroll<MR>([&](auto i) TESSERA_LAMBDA { d.store(out + i * ld + column, d.set(0.0f)); });
    const std::int8_t* a[MR];
    const std::int8_t* b[1] = {in.b_codes[0]};
    for (std::size_t i = 0; i < MR; ++i) a[i] = in.a_codes[i];
    const float* b_scales = in.b_scales[0];
    const float* b_minima = nullptr;
    if constexpr (Minima) b_minima = in.b_minus_minima[0];
    for (std::size_t g = 0; g < in.groups; ++g) {
      with_accumulators<MR>(
          [&]() TESSERA_LAMBDA { return Atom::start(d, nullptr, column); },
          [&](auto&... sums) TESSERA_LAMBDA {
            Atom::template group<Group / T::k, MR, 1>(d, column, a, b, sums...);
            const auto sb = Atom::b_scale(d, b_scales, column);
            unroll<MR>([&](auto i) TESSERA_LAMBDA {
              float* const to = out + i * ld + column;
              const auto scale = d.rounded(d.mul(Atom::a_scale(d, in.a_scales[i] + g), sb));
              auto total = d.fma(d.to_f32(nth<decltype(i)::value>(sums...)), scale, d.load(to));
              if constexpr (Minima)
                total = d.fma(in.a_weighted_sums[i][g], Atom::b_scale(d, b_minima, column), total);
              d.store(to, total);
            });
          });
      for (std::size_t i = 0; i < MR; ++i) a[i] += Group;
      b[0] += T::n * Group;
      b_scales += Atom::b_scale_lanes;
      if constexpr (Minima) b_minima += Atom::b_scale_lanes;
    }
  });
}

}  // namespace detail

/// out[MR * m][NR * n] (rows ld apart) = the canonical sum: groups ascending, an exact int32 sum per
/// group, acc = fma(float(sum), sa * sb, acc), the product sa * sb rounded to f32; with minima then
/// acc = fma(-minimum, sa * float(sum of a's codes), acc). Group: 16 or 32 elements that share a scale
/// of b; two groups of 16 share one of a.
template <class Atom, std::size_t Group, std::size_t MR, std::size_t NR, bool Minima = false>
TESSERA_INLINE void dot_block(const DotOperands<MR, NR>& given, float* out,
                              std::size_t ld) noexcept {
  if constexpr (requires { Atom::template sum_groups<DotOperands<MR, NR>>; } && Group == 32 &&
                !Minima && NR == Atom::panels) {
    if (given.groups != 0) return Atom::sum_groups(given, out, ld);
  }
  // A copy: clang reloads the pointers behind a reference after every volatile asm statement.
  const DotOperands<MR, NR> in = given;
  using T = typename Atom::block_tile;
  Atom::for_strips([&](auto d, std::size_t column) TESSERA_LAMBDA {
    with_accumulators<MR * NR>(
        [&]() TESSERA_LAMBDA { return d.set(0.0f); },
        [&](auto&... acc) TESSERA_LAMBDA {
          for (std::size_t g = 0; g < in.groups; ++g) {
            if constexpr (requires { Atom::panel_by_panel; }) {
              static_assert(MR == 1);
              detail::add_group_by_panels<Atom, Group, NR, Minima>(d, in, g, acc...);
            } else {
              detail::add_group<Atom, Group, MR, NR, Minima>(d, column, in, g, acc...);
            }
          }
          unroll<MR>([&](auto i) TESSERA_LAMBDA {
            unroll<NR>([&](auto j) TESSERA_LAMBDA {
              constexpr std::size_t at = decltype(i)::value * NR + decltype(j)::value;
              Atom::store(d, nth<at>(acc...), out + i * T::m * ld + j * T::n, ld, column);
            });
          });
        });
  });
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_DOT_BLOCK_HPP_
