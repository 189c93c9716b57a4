// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows by expert: which rows each one gets, and the activations in that order.
///
/// A pair is (token, slot), number token * used + slot. Pairs are sorted by expert, those of one expert
/// ascending; each activation row is quantised once, however many experts read it.
#ifndef TESSERA_KERNELS_MATMUL_EXPERTS_ROWS_HPP_
#define TESSERA_KERNELS_MATMUL_EXPERTS_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/activations.hpp"
#include "tessera/kernels/matmul/multiply.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul_experts/arguments.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Where everything lies in the shared workspace: tables, activations as they come, activations by expert.
template <class B, class F>
struct ExpertRows {
  using Atom = typename B::DotAtom;
  using T = typename Atom::block_tile;
  /// Rows as they come: tiles of one row.
  struct Plain {
    using block_tile = Tile<1, 1, activation_group>;
    static constexpr bool needs_sums = false;
    static constexpr std::size_t a_scale_lanes = 1;
    TESSERA_INLINE static void expand_a(const float* sa, float* lanes) noexcept { *lanes = *sa; }
  };
  /// Do blocks read the rows where they were quantised, each by its own pointer?
  static constexpr bool in_place = !F::is_float && T::m == 1;

  std::size_t experts;
  std::size_t pairs;
  std::size_t sources;  ///< activation rows
  std::size_t k;

  /// First rows of the experts and their number; first row tiles, likewise.
  TESSERA_INLINE std::uint32_t* offsets(std::byte* shared) const noexcept {
    return reinterpret_cast<std::uint32_t*>(shared);
  }
  TESSERA_INLINE std::uint32_t* tiles(std::byte* shared) const noexcept {
    return offsets(shared) + experts + 1;
  }
  /// The pair, and the activation row, of each row.
  TESSERA_INLINE std::uint32_t* order(std::byte* shared) const noexcept {
    return tiles(shared) + experts + 1;
  }
  TESSERA_INLINE std::uint32_t* rows(std::byte* shared) const noexcept {
    return order(shared) + pairs;
  }
  TESSERA_INLINE std::size_t table_bytes() const noexcept {
    return round_up((2 * (experts + 1) + 2 * pairs) * sizeof(std::uint32_t), workspace_alignment);
  }
  TESSERA_INLINE QuantizedRows<Atom> in_order() const noexcept {
    return {sources, k, ActivationNeeds::of<F>()};
  }
  TESSERA_INLINE QuantizedRows<Plain> plain() const noexcept {
    return {sources, k, {0, 0, ActivationNeeds::of<F>().whole_rows}};
  }
  TESSERA_INLINE std::size_t plain_bytes() const noexcept {
    if (F::is_float) return 0;
    return in_place ? in_order().bytes() : plain().bytes();
  }
  /// Row tiles of all experts: each may leave one tile incomplete.
  TESSERA_INLINE std::size_t most_tiles() const noexcept {
    return div_up(pairs, T::m) + (experts < pairs ? experts : pairs);
  }
  TESSERA_INLINE QuantizedRows<Atom> grouped() const noexcept {
    return {most_tiles() * T::m, k, ActivationNeeds::of<F>()};
  }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    const std::size_t before = table_bytes() + plain_bytes();
    if constexpr (F::is_float) {
      return before + round_up(pairs * k * sizeof(float), workspace_alignment);
    } else {
      return before + (in_place ? 0 : grouped().bytes());
    }
  }
  TESSERA_INLINE std::byte* plain_rows(std::byte* shared) const noexcept {
    return shared + table_bytes();
  }
  TESSERA_INLINE std::byte* grouped_rows(std::byte* shared) const noexcept {
    return plain_rows(shared) + plain_bytes();
  }
  /// The activations as products read them, when all is in order.
  TESSERA_INLINE auto prepared(std::byte* shared) const noexcept {
    if constexpr (F::is_float) {
      return FloatRows{matrix(reinterpret_cast<const float*>(grouped_rows(shared)), pairs, k)};
    } else if constexpr (in_place) {
      return RowTiles<Atom>{in_order(), plain_rows(shared), rows(shared)};
    } else {
      return RowTiles<Atom>{grouped(), grouped_rows(shared)};
    }
  }
  /// Units that gather rows.
  TESSERA_INLINE std::size_t gather_units() const noexcept {
    if (F::is_float) return pairs;
    return in_place ? 0 : most_tiles();
  }
};

/// Sorts the pairs by expert. `ids`: [token][slot].
template <class B, class F>
TESSERA_NOINLINE void group_rows(const ExpertRows<B, F>& layout,
                                 const SlotView<const std::int32_t>& ids, std::size_t slots,
                                 std::byte* shared) noexcept {
  std::uint32_t* const offsets = layout.offsets(shared);
  std::uint32_t* const tiles = layout.tiles(shared);
  std::uint32_t* const order = layout.order(shared);
  std::uint32_t* const rows = layout.rows(shared);
  const std::size_t used = ids.slots;
  for (std::size_t e = 0; e <= layout.experts; ++e) offsets[e] = 0;
  for (std::size_t p = 0; p < layout.pairs; ++p)
    ++offsets[static_cast<std::size_t>(*ids.row(p / used, p % used)) + 1];
  std::uint32_t row = 0;
  std::uint32_t tile = 0;
  for (std::size_t e = 0; e <= layout.experts; ++e) {  // counts to first rows
    const std::uint32_t count = offsets[e];
    row += count;
    offsets[e] = row;
    tile += static_cast<std::uint32_t>(div_up(count, ExpertRows<B, F>::T::m));
    tiles[e] = ExpertRows<B, F>::in_place ? row : tile;
  }
  // offsets[e] is where expert e begins; used as its cursor, it ends up where e + 1 begins.
  for (std::size_t p = 0; p < layout.pairs; ++p) {
    const auto e = static_cast<std::size_t>(*ids.row(p / used, p % used));
    const std::uint32_t at = offsets[e]++;
    order[at] = static_cast<std::uint32_t>(p);
    rows[at] = static_cast<std::uint32_t>(source_row(p, used, slots));
  }
  for (std::size_t e = layout.experts; e > 0; --e) offsets[e] = offsets[e - 1];
  offsets[0] = 0;
}

/// Quantises activation row `row` where it lies in order.
template <class B, class F, class A>
TESSERA_INLINE void quantize_source(const ExpertRows<B, F>& layout, const SlotView<const A>& a,
                                    std::size_t row, std::byte* shared) noexcept {
  const MatrixView<const A> one = {a.row(row / a.slots, row % a.slots), 1, a.cols, 0};
  if constexpr (ExpertRows<B, F>::in_place) {
    quantize_rows_to<B>(one, 0, layout.in_order(), row, layout.plain_rows(shared));
  } else {
    quantize_rows_to<B>(one, 0, layout.plain(), row, layout.plain_rows(shared));
  }
}

/// Row tile `tile` of all experts from the quantised rows.
template <class B, class F>
TESSERA_NOINLINE void gather_row_tile(const ExpertRows<B, F>& layout, std::size_t tile,
                                      std::byte* shared) noexcept {
  using T = typename ExpertRows<B, F>::T;
  const std::uint32_t* const tiles = layout.tiles(shared);
  const std::uint32_t* const offsets = layout.offsets(shared);
  if (tile >= tiles[layout.experts]) return;
  std::size_t low = 0;  // tiles[low] <= tile < tiles[high]
  for (std::size_t high = layout.experts; high - low > 1;) {
    const std::size_t middle = low + (high - low) / 2;
    (tiles[middle] <= tile ? low : high) = middle;
  }
  const std::size_t first = offsets[low] + (tile - tiles[low]) * T::m;
  const std::size_t left = offsets[low + 1] - first;
  const auto plain = layout.plain();
  std::byte* const from = layout.plain_rows(shared);
  const std::uint32_t* const rows = layout.rows(shared) + first;
  fill_row_tile(layout.grouped(), layout.grouped_rows(shared), tile,
                [&](std::size_t i, std::size_t g, std::int8_t* codes) TESSERA_LAMBDA {
                  if (i >= left) return zero_group(codes);
                  __builtin_memcpy(codes, plain.codes(from, rows[i]) + g * activation_group,
                                   activation_group);
                  return plain.scales(from, rows[i])[plain.needs.whole_rows ? 0 : g];
                });
}

/// Rows of the output by their place among the experts' rows.
template <class C>
struct ExpertOutput {
  SlotView<C> c;
  const std::uint32_t* order;
  TESSERA_INLINE C* row(std::size_t i) const noexcept {
    return c.row(order[i] / c.slots, order[i] % c.slots);
  }
  TESSERA_INLINE std::size_t index(std::size_t i) const noexcept { return order[i]; }
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_EXPERTS_ROWS_HPP_
