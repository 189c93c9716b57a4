// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The loops of matrix products: column block outside, row block inside, the whole of K in the register
/// block. One design for many rows and for one, for one product, a pair with common activations, and many.
#ifndef TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_
#define TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/finish.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul/schedule.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/dot_block.hpp"
#include "tessera/tile/fma_block.hpp"
#include "tessera/tile/row_operands.hpp"
#include "tessera/tile/whole_row_block.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Products that a unit makes of its rows: one, or a pair.
inline constexpr std::size_t most_sources = 2;

/// A product with a block format whose types are forgotten: what differs between formats is in `w`, the
/// size of a scale group (0: the whole row) and whether there are minima, so one kernel serves many formats.
struct BlockProduct {
  PanelSource w[most_sources];  ///< of group 0; both have one shape
  std::size_t sources;
  std::size_t code_scratch;  ///< bytes of the scratch's three parts (plan.hpp)
  std::size_t scale_scratch;
  std::size_t source_scratch;  ///< bytes of one source's scratch
};

/// Quantised rows in their tiles.
template <class Atom>
struct RowTiles {
  QuantizedRows<Atom> layout;
  std::byte* base;
  const std::uint32_t* map = nullptr;  ///< atoms of one row: where a row lies, if not in order

  TESSERA_INLINE std::size_t at(std::size_t tile) const noexcept {
    return map != nullptr ? map[tile] : tile;
  }
};

/// The weights of one column block as the register blocks read them.
template <class Atom>
struct ColumnOperands {
  DotOperands<Atom::row_tiles, Atom::panels> many;
  DotOperands<1, Atom::panels> one;
};

/// dot_block as a function of its own: the loop over groups wants all registers.
template <class Atom, std::size_t Group, std::size_t MR, bool Minima>
TESSERA_NOINLINE void sum_dot_block(const DotOperands<MR, Atom::panels>& in, float* sums) noexcept {
  constexpr std::size_t ld = Atom::panels * Atom::tile::n;
  if constexpr (Group == 0) {
    whole_row_block<Atom, MR, Atom::panels>(in, sums, ld);
  } else {
    dot_block<Atom, Group, MR, Atom::panels, Minima>(in, sums, ld);
  }
}

/// The integer blocks of row tiles [tile, tile + MR), whose first row is `row`, and one column block.
template <class B, std::size_t Group, bool Minima, std::size_t MR>
TESSERA_INLINE void multiply_row_tiles(const BlockProduct& p,
                                       DotOperands<MR, B::DotAtom::panels>* const* in,
                                       const RowTiles<typename B::DotAtom>& rows, std::size_t tile,
                                       std::size_t row, std::size_t row_end, std::size_t n0,
                                       const Finish& finish) noexcept {
  using Atom = typename B::DotAtom;
  using T = typename Atom::block_tile;
  constexpr std::size_t ld = Atom::panels * T::n;
  alignas(64) float sums[most_sources][MR * T::m * ld];
  for (std::size_t s = 0; s < p.sources; ++s) {
    DotOperands<MR, Atom::panels>& operands = *in[s];
    for (std::size_t i = 0; i < MR; ++i) {
      const std::size_t at = rows.at(tile + i);
      operands.a_codes[i] = rows.layout.codes(rows.base, at);
      operands.a_scales[i] = rows.layout.scales(rows.base, at);
      // Never read, but made, where the atom needs none.
      operands.a_sums[i] = rows.layout.sums(rows.base, Atom::needs_sums && Group != 0 ? at : 0,
                                            Group != 0 ? Group : activation_group);
      if constexpr (Minima || Group == 0)
        operands.a_weighted_sums[i] = rows.layout.weighted_sums(rows.base, at, Group);
    }
    sum_dot_block<Atom, Group, MR, Minima>(operands, sums[s]);
  }
  const std::size_t m = row_end - row < MR * T::m ? row_end - row : MR * T::m;
  const std::size_t n = p.w[0].n - n0 < ld ? p.w[0].n - n0 : ld;
  finish({sums[0], sums[1], ld, row, m, n0, n});
}

/// Groups of a slice as blocks count them; whole rows are counted by slices.
template <std::size_t Group>
inline constexpr std::size_t groups_of_slice = slice_elements / Group;
template <>
inline constexpr std::size_t groups_of_slice<0> = 1;

/// The panels of the column block at n0, decoded into scratch where they cannot be read in place.
template <class B, std::size_t Group, bool Minima>
TESSERA_NOINLINE void decode_column_block(const BlockProduct& p, const PanelSource& w,
                                          std::byte* scratch, std::size_t n0,
                                          ColumnOperands<typename B::DotAtom>& in) noexcept {
  using Atom = typename B::DotAtom;
  using To = typename Atom::tile;
  auto* const codes = reinterpret_cast<std::int8_t*>(scratch);
  auto* const scales = reinterpret_cast<float*>(scratch + p.code_scratch);
  auto* const minima = reinterpret_cast<float*>(scratch + p.code_scratch + p.scale_scratch);
  const std::size_t slices = div_up(w.k, slice_elements);
  const std::size_t groups = slices * groups_of_slice<Group>;
  in.many.groups = in.one.groups = groups;
  std::size_t last = 0;
  for (std::size_t j = 0; j < Atom::panels; ++j) {
    // A column block that sticks out repeats its last panel: computed, never stored.
    const std::size_t at = n0 + j * To::n < w.n ? j : last;
    const std::size_t column = n0 + at * To::n;
    const std::size_t lanes = at * (Group == 0 ? 1 : groups) * Atom::b_scale_lanes;
    in.many.b_scales[j] = in.one.b_scales[j] = scales + lanes;
    in.many.b_minus_minima[j] = in.one.b_minus_minima[j] = minima + lanes;
    if (w.in_place) {
      in.many.b_codes[j] = reinterpret_cast<const std::int8_t*>(
          w.image + sizeof(PackedHeader) + column / To::n * w.panel_bytes + w.codes_at);
    } else {
      in.many.b_codes[j] = codes + at * slices * slice_elements * To::n;
    }
    in.one.b_codes[j] = in.many.b_codes[j];
    if (at == j) {
      if constexpr (Group == 0)
        expand_row_headers<B, Atom>(w, column, scales + lanes, minima + lanes);
      else
        expand_scales<B, Atom, Group, Minima>(w, column, scales + lanes, minima + lanes);
      if (!w.in_place)
        decode_levels<B>(w, column, tile_shape<To>, codes + at * slices * slice_elements * To::n);
    }
    last = at;
  }
}

/// Units `range` of products with a block format; the activations are quantised already.
template <class B, std::size_t Group, bool Minima>
TESSERA_NOINLINE void multiply_blocks(const BlockProduct& p, const Schedule& schedule,
                                      const RowTiles<typename B::DotAtom>& rows, std::byte* scratch,
                                      UnitRange range, const Finish& finish) noexcept {
  using Atom = typename B::DotAtom;
  using T = typename Atom::block_tile;
  ColumnOperands<Atom> in[most_sources];
  DotOperands<Atom::row_tiles, Atom::panels>* const many[] = {&in[0].many, &in[1].many};
  DotOperands<1, Atom::panels>* const one[] = {&in[0].one, &in[1].one};
  for (std::size_t s = 0; s < p.sources; ++s) in[s] = {};
  UnitPlace decoded = {SIZE_MAX, SIZE_MAX, 0, 0, 0};
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const UnitPlace at = schedule.place(u, T::m);
    if (at.row == at.row_end) continue;
    const std::size_t n0 = at.block * Atom::panels * T::n;
    if (at.block != decoded.block || at.group != decoded.group) {
      decoded = at;
      for (std::size_t s = 0; s < p.sources; ++s) {
        PanelSource w = p.w[s];
        w.image += schedule.weights.offset(at.group);
        decode_column_block<B, Group, Minima>(p, w, scratch + s * p.source_scratch, n0, in[s]);
      }
    }
    std::size_t tile = at.tile;
    std::size_t row = at.row;
    const std::size_t end = tile + div_up(at.row_end - row, T::m);
    for (; end - tile >= Atom::row_tiles && tile < end;
         tile += Atom::row_tiles, row += Atom::row_tiles * T::m)
      multiply_row_tiles<B, Group, Minima>(p, many, rows, tile, row, at.row_end, n0, finish);
    for (; tile < end; ++tile, row += T::m)
      multiply_row_tiles<B, Group, Minima>(p, one, rows, tile, row, at.row_end, n0, finish);
  }
}

/// Units [unit, unit + count): column blocks of the single row at `at`, by the atom's RowSums.
template <class B>
TESSERA_INLINE void multiply_single_row(const BlockProduct& p, const Schedule& schedule,
                                        const RowTiles<typename B::DotAtom>& rows,
                                        std::byte* scratch, std::size_t unit, std::size_t count,
                                        const UnitPlace& at, const Finish& finish) noexcept {
  using Atom = typename B::DotAtom;
  using Sums = typename Atom::RowSums;
  constexpr std::size_t blocks = Sums::panels / Atom::panels;
  constexpr std::size_t most = Sums::panels * Atom::tile::n;
  static_assert(Sums::panels % Atom::panels == 0);
  const std::ptrdiff_t offset = schedule.weights.offset(at.group);
  std::size_t n0 = at.block * Atom::panels * Atom::tile::n;
  alignas(64) float sums[most_sources][most];
  for (std::size_t done = 0; done < count; done += blocks, n0 += most) {
    const std::size_t units = count - done < blocks ? count - done : blocks;
    const std::size_t end = n0 + units * Atom::panels * Atom::tile::n;
    const std::size_t columns = (p.w[0].n < end ? p.w[0].n : end) - n0;
    bool summed = true;
    for (std::size_t s = 0; s < p.sources; ++s) {
      RowOperands in = row_operands(p.w[s], offset, Atom::tile::n, n0, columns);
      in.codes = rows.layout.codes(rows.base, rows.at(at.tile));
      in.scales = rows.layout.scales(rows.base, rows.at(at.tile));
      summed = summed && Sums::sum(in, sums[s]);
    }
    if (summed) {
      finish({sums[0], sums[1], most, at.row, 1, n0, columns});
    } else {
      multiply_blocks<B, slice_elements, false>(p, schedule, rows, scratch,
                                                {unit + done, unit + done + units}, finish);
    }
  }
}

/// multiply_blocks() where some groups may have but one row.
template <class B>
TESSERA_NOINLINE void multiply_blocks_and_rows(const BlockProduct& p, const Schedule& schedule,
                                               const RowTiles<typename B::DotAtom>& rows,
                                               std::byte* scratch, UnitRange range,
                                               const Finish& finish) noexcept {
  using T = typename B::DotAtom::block_tile;
  for (std::size_t u = range.begin; u < range.end;) {
    const UnitPlace at = schedule.place(u, T::m);
    const std::size_t left = range.end - u;
    const std::size_t of_group = schedule.column_blocks - at.block;
    const std::size_t count = of_group < left ? of_group : left;
    if (at.row_end - at.row == 1) {
      multiply_single_row<B>(p, schedule, rows, scratch, u, count, at, finish);
    } else {
      multiply_blocks<B, slice_elements, false>(p, schedule, rows, scratch, {u, u + count}, finish);
    }
    u += count;
  }
}

/// May groups have but one row, which the atom reads in a way of its own?
template <class B, class F>
TESSERA_INLINE bool has_single_rows(const BlockProduct& p, const Schedule& schedule) noexcept {
  if constexpr (requires { typename B::DotAtom::RowSums; } && F::scale_group == slice_elements &&
                !F::has_minima) {
    return schedule.row_chunks == 1 && (schedule.rows == 1 || schedule.offsets != nullptr) &&
           B::DotAtom::RowSums::reads(p.w[0]);
  } else {
    (void)p, (void)schedule;
    return false;
  }
}

/// A product with a float format whose type is forgotten.
struct FloatProduct {
  const std::byte* images[most_sources];  ///< of group 0; both have one shape
  std::size_t sources;
  std::size_t n;
  std::size_t k;
  std::size_t panel_bytes;
  std::ptrdiff_t row_bytes;      ///< between rows that are not packed
  std::ptrdiff_t element_bytes;  ///< between elements of such a row
  /// Columns [n0, n0 + To::n) as f32; null: panels are read where they lie.
  void (*decode)(const FloatProduct& p, const std::byte* image, std::size_t n0,
                 float* out) noexcept;
};

/// Activations in f32: groups of `rows` rows, row i of a group row_stride elements apart. Groups are numbered
/// (outer, inner); of one group without strides, rows are numbered through.
struct FloatRows {
  MatrixView<const float> a;
  std::size_t rows = SIZE_MAX;
  std::size_t inner = 1;
  std::ptrdiff_t outer_stride = 0;
  std::ptrdiff_t inner_stride = 0;

  TESSERA_INLINE const float* row(std::size_t i) const noexcept {
    if (i < rows) return a.row(i);
    const std::size_t group = i / rows;
    return a.row(i % rows) + static_cast<std::ptrdiff_t>(group / inner) * outer_stride +
           static_cast<std::ptrdiff_t>(group % inner) * inner_stride;
  }
};

/// Units `range` of products with a float format; rows are numbered as in the schedule.
template <class B>
TESSERA_NOINLINE void multiply_floats(const FloatProduct& p, const Schedule& schedule,
                                      const FloatRows& a, std::byte* scratch, UnitRange range,
                                      const Finish& finish) noexcept {
  using Atom = typename B::FloatAtom;
  using To = typename Atom::tile;
  constexpr auto ld = static_cast<std::ptrdiff_t>(To::n);
  UnitPlace decoded = {SIZE_MAX, SIZE_MAX, 0, 0, 0};
  const float* panel[most_sources] = {};
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const UnitPlace at = schedule.place(u, 1);
    if (at.row == at.row_end) continue;
    const std::size_t n0 = at.block * To::n;
    if (at.block != decoded.block || at.group != decoded.group) {
      decoded = at;
      for (std::size_t s = 0; s < p.sources; ++s) {
        const std::byte* const image = p.images[s] + schedule.weights.offset(at.group);
        if (p.decode == nullptr) {
          panel[s] = reinterpret_cast<const float*>(image + sizeof(PackedHeader) +
                                                    at.block * p.panel_bytes);
        } else {
          auto* const to = reinterpret_cast<float*>(scratch) + s * p.k * To::n;
          p.decode(p, image, n0, to);
          panel[s] = to;
        }
      }
    }
    const std::size_t columns = p.n - n0 < To::n ? p.n - n0 : To::n;
    for (std::size_t row = at.row; row < at.row_end; row += Atom::rows) {
      const std::size_t rows = at.row_end - row < Atom::rows ? at.row_end - row : Atom::rows;
      float sums[most_sources][Atom::rows * To::n];
      for (std::size_t s = 0; s < p.sources; ++s)
        fma_rows<B>(a.row(row), a.a.row_stride, panel[s], ld, p.k, rows, columns, sums[s], ld);
      finish({sums[0], sums[1], To::n, row, rows, n0, columns});
    }
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_MULTIPLY_HPP_
