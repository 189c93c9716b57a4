// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which rows meet which weights in a unit: one description for a single product and for many that differ in
/// rows and weights.
#ifndef TESSERA_KERNELS_MATMUL_SCHEDULE_HPP_
#define TESSERA_KERNELS_MATMUL_SCHEDULE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// A unit: a column block against rows [row, row_end), the first of them in row tile `tile`.
struct UnitPlace {
  std::size_t group;
  std::size_t block;
  std::size_t tile;
  std::size_t row;
  std::size_t row_end;
};

/// Where the weights of a group lie. Groups are numbered (outer, inner) with `inner` of the latter; so many in
/// a row, `outer_share` and `inner_share`, have the same weights.
struct WeightSteps {
  std::size_t inner = 1;
  std::size_t outer_share = 1;
  std::size_t inner_share = 1;
  std::ptrdiff_t outer_bytes = 0;
  std::ptrdiff_t inner_bytes = 0;

  TESSERA_INLINE std::ptrdiff_t offset(std::size_t group) const noexcept {
    return static_cast<std::ptrdiff_t>(group / inner / outer_share) * outer_bytes +
           static_cast<std::ptrdiff_t>(group % inner / inner_share) * inner_bytes;
  }
};

/// Groups of rows, each with its own weights; units are (group, column block, row chunk), chunks fastest.
/// Rows are numbered through all groups; a group begins with a row tile of its own.
struct Schedule {
  std::size_t rows;  ///< of every group
  std::size_t column_blocks;
  std::size_t row_chunks;  ///< of a group
  std::size_t chunk_rows;
  const std::uint32_t* offsets = nullptr;  ///< [groups + 1]: the first row of each, if they differ
  const std::uint32_t* tiles = nullptr;    ///< [groups]: the first row tile of each, if they differ
  WeightSteps weights = {};

  /// `tile_rows`: of a row tile; chunk_rows is a multiple of it.
  TESSERA_INLINE UnitPlace place(std::size_t unit, std::size_t tile_rows) const noexcept {
    const std::size_t first = unit % row_chunks * chunk_rows;
    const std::size_t block = unit / row_chunks % column_blocks;
    const std::size_t group = unit / row_chunks / column_blocks;
    const std::size_t begin = offsets != nullptr ? offsets[group] : group * rows;
    const std::size_t count = offsets != nullptr ? offsets[group + 1] - begin : rows;
    const std::size_t tile = tiles != nullptr ? tiles[group] : group * div_up(rows, tile_rows);
    const std::size_t row = begin + (first < count ? first : count);
    const std::size_t left = begin + count - row;
    return {group, block, tile + first / tile_rows, row,
            row + (left < chunk_rows ? left : chunk_rows)};
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_SCHEDULE_HPP_
