// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How a matrix product is cut into units and what memory it needs.
#ifndef TESSERA_KERNELS_MATMUL_PLAN_HPP_
#define TESSERA_KERNELS_MATMUL_PLAN_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/matmul/quantize_rows.hpp"
#include "tessera/kernels/matmul/schedule.hpp"
#include "tessera/tile/decode_panel.hpp"
#include "tessera/tile/panel_layout.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The cut of one product: units are (column block, row chunk), rows fastest.
template <class B, class F, class T>
struct MatmulPlan {
  using Dot = typename B::DotAtom;
  using Float = typename B::FloatAtom;
  static constexpr bool is_float = F::is_float;

  /// Rows of a block and columns of a column block.
  static constexpr std::size_t block_rows =
      is_float ? Float::rows : Dot::row_tiles * Dot::block_tile::m;
  static constexpr std::size_t block_columns =
      is_float ? Float::tile::n : Dot::panels * Dot::tile::n;
  /// Rows of a unit: enough to pay for decoding a column block, few enough to share the work.
  static constexpr std::size_t chunk_rows = (64 + block_rows - 1) / block_rows * block_rows;

  std::size_t m;
  std::size_t n;
  std::size_t k;

  TESSERA_INLINE std::size_t column_blocks() const noexcept { return div_up(n, block_columns); }
  TESSERA_INLINE std::size_t row_chunks() const noexcept { return div_up(m, chunk_rows); }
  TESSERA_INLINE std::size_t units() const noexcept { return column_blocks() * row_chunks(); }

  /// Scratch: the codes of a column block (unless they are read in place), then its scales, then its
  /// minima or zero points; or the f32 columns of a float format.
  TESSERA_INLINE std::size_t code_scratch() const noexcept {
    if constexpr (is_float) {
      return 0;
    } else {
      if constexpr (codes_in_place<F>(tile_shape<T>, tile_shape<typename Dot::tile>)) return 0;
      return round_up(div_up(k, slice_elements) * slice_elements * block_columns,
                      workspace_alignment);
    }
  }
  TESSERA_INLINE std::size_t scale_scratch() const noexcept {
    if constexpr (is_float) {
      return 0;
    } else if constexpr (F::scale_group == 0) {
      return round_up(Dot::panels * Dot::b_scale_lanes * sizeof(float), workspace_alignment);
    } else {
      const std::size_t groups = div_up(k, slice_elements) * (slice_elements / F::scale_group);
      return round_up(groups * Dot::panels * Dot::b_scale_lanes * sizeof(float),
                      workspace_alignment);
    }
  }
  TESSERA_INLINE std::size_t scratch() const noexcept {
    if constexpr (is_float) {
      return reads_floats_in_place
                 ? 0
                 : round_up(k * Float::tile::n * sizeof(float), workspace_alignment);
    } else {
      return code_scratch() + (F::has_minima || F::scale_group == 0 ? 2 : 1) * scale_scratch();
    }
  }
  /// Bytes of `rows` activations as the product reads them: quantised, or as f32.
  TESSERA_INLINE std::size_t prepared_bytes(std::size_t rows) const noexcept {
    if constexpr (is_float) {
      return round_up(rows * k * sizeof(float), workspace_alignment);
    } else {
      return QuantizedRows<Dot>(rows, k, ActivationNeeds::of<F>()).bytes();
    }
  }
  TESSERA_INLINE Schedule schedule() const noexcept {
    return {m, column_blocks(), row_chunks(), chunk_rows};
  }

  static constexpr bool reads_floats_in_place =
      is_float && F::block_bytes == sizeof(float) && T::n == Float::tile::n;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_PLAN_HPP_
