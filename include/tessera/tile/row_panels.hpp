// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Products of three rows of scalars with rows of lanes, and the layout in which scalars are cheap to
/// reach: what the chunked recurrences are made of.
#ifndef TESSERA_TILE_ROW_PANELS_HPP_
#define TESSERA_TILE_ROW_PANELS_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/unroll.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Columns of a panel. Rows are so far apart that three of them, some columns on, can all be reached
/// from one address by constant offsets.
inline constexpr std::size_t panel_width = 128;

/// A matrix of `rows` rows, panel by panel: all rows of the first panel_width columns, then of the next.
struct RowPanels {
  std::size_t rows;
  std::size_t columns;

  TESSERA_INLINE constexpr std::size_t size() const noexcept {
    return rows * round_up(columns, panel_width);
  }
  /// Row i of the panel that begins with column `first`.
  TESSERA_INLINE constexpr std::size_t at(std::size_t i, std::size_t first) const noexcept {
    return rows * first + i * panel_width;
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Three sums at once over the same rows of b: s_r = fma(a[q * Step + r * Row], row q of b, s_r) for q
/// ascending from 0 to k - 1. All three elements of `a` are read, whether or not the sum is wanted. Times:
/// how long a loop's body is where that is of use, in D::unrolled; 0: one step.
template <std::size_t Step, std::size_t Row, std::size_t Times, class D>
TESSERA_INLINE void fma_three(D d, const float* a, const float* b, std::ptrdiff_t ldb,
                              std::size_t k, typename D::F32& s0, typename D::F32& s1,
                              typename D::F32& s2) noexcept {
  constexpr std::size_t unrolled = D::unrolled == 1 || Times == 0 ? 1 : D::unrolled * Times;
  if (k == 0) return;
  auto row = d.load(b);  // a register for reload, cheaper than a zero
  const auto add = [&](std::size_t q) TESSERA_LAMBDA {
    d.reload(row, b);
    b += ldb;
    d.accumulate(s0, a[q * Step], row);
    d.accumulate(s1, a[q * Step + Row], row);
    d.accumulate(s2, a[q * Step + 2 * Row], row);
  };
  for (; k >= unrolled; k -= unrolled, a += unrolled * Step)
    unroll<unrolled>([&](auto q) TESSERA_LAMBDA { add(q); });
  if constexpr (unrolled > D::unrolled)
    for (; k >= D::unrolled; k -= D::unrolled, a += D::unrolled * Step)
      unroll<D::unrolled>([&](auto q) TESSERA_LAMBDA { add(q); });
  if constexpr (unrolled > 1)
    for (; k > 0; --k, a += Step) add(0);
}

/// The same for rows i to i + 2 of panels, over all their columns, of which there are some.
template <class D>
TESSERA_INLINE void fma_three_rows(D d, const RowPanels& panels, const float* a, std::size_t i,
                                   const float* b, std::ptrdiff_t ldb, typename D::F32& s0,
                                   typename D::F32& s1, typename D::F32& s2) noexcept {
  a += i * panel_width;
  for (std::size_t left = panels.columns;;) {
    const std::size_t n = left < panel_width ? left : panel_width;
    fma_three<1, panel_width, 4>(d, a, b, ldb, n, s0, s1, s2);
    left -= n;
    if (left == 0) return;
    a += panels.rows * panel_width;
    b += static_cast<std::ptrdiff_t>(n) * ldb;
  }
}

/// Calls body(offset, from, columns) for the stretches of row i: `columns` of them from column `from` on
/// lie side by side at that offset.
template <class Body>
TESSERA_INLINE void for_panels(const RowPanels& panels, std::size_t i, Body&& body) noexcept {
  for (std::size_t q = 0; q < panels.columns; q += panel_width) {
    const std::size_t left = panels.columns - q;
    body(panels.at(i, q), q, left < panel_width ? left : panel_width);
  }
}

/// The first rows of panels become those at `from`, `stride` apart.
template <class V>
TESSERA_INLINE void copy_to_panels(const RowPanels& panels, const float* from,
                                   std::ptrdiff_t stride, std::size_t rows, float* to) noexcept {
  for_panels(panels, 0, [&](std::size_t at, std::size_t k, std::size_t n) TESSERA_LAMBDA {
    V::template for_lanes<8>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const float* row = from + k + i;
      float* out = to + at + i;
      for (std::size_t r = rows; r > 0; --r, row += stride, out += panel_width)
        d.store(out, d.load(row));
    });
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_ROW_PANELS_HPP_
