// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What an atom reads that has a way of its own for a single row of activations.
///
/// Such an atom names a class `RowSums` with
/// - `panels` that it takes at once, whole column blocks; `zeros_before`: bytes of 0 that it wants before the
///   codes of a row tile, whose other rows are 0;
/// - `reads(w)`: can it, with weights that lie so?
/// - `sum(in, out)`: the canonical sums of all columns, groups of 32 without minima (tile/dot_block.hpp);
///   false, and nothing is said of `out`, if a scale of the weights is not finite.
#ifndef TESSERA_TILE_ROW_OPERANDS_HPP_
#define TESSERA_TILE_ROW_OPERANDS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/tile/decode_panel.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// A row tile with one row, and panels whose scales are one f16 a group of 32, in the atom's order.
struct RowOperands {
  const std::int8_t* codes;  ///< of the row tile
  const float* scales;       ///< of the row tile, in lanes
  const std::byte* panel;    ///< the first one
  std::size_t panel_bytes;
  std::size_t codes_at;  ///< bytes from a panel's start to its codes
  std::size_t panels;
  std::size_t groups;
  bool bytes;  ///< codes are levels; else they are nibbles
};

namespace detail {

/// The weights' part: `count` columns from n0 on, `columns` a panel.
TESSERA_INLINE RowOperands row_operands(const PanelSource& w, std::ptrdiff_t offset,
                                        std::size_t columns, std::size_t n0,
                                        std::size_t count) noexcept {
  return {nullptr,
          nullptr,
          w.image + offset + sizeof(PackedHeader) + n0 / columns * w.panel_bytes,
          w.panel_bytes,
          w.codes_at,
          div_up(count, columns),
          div_up(w.k, slice_elements),
          w.in_place};
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_ROW_OPERANDS_HPP_
