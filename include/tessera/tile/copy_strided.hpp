// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Copies of floats between any two strides.
#ifndef TESSERA_TILE_COPY_STRIDED_HPP_
#define TESSERA_TILE_COPY_STRIDED_HPP_

#include <cstddef>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// to[i * to_stride] = from[i * from_stride] for i < n, ascending.
template <class V>
TESSERA_INLINE void copy_strided(const float* from, std::ptrdiff_t from_stride, float* to,
                                 std::ptrdiff_t to_stride, std::size_t n) noexcept {
  if (from_stride == 1 && to_stride == 1) {
    V::template for_lanes<8>(
        n, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(from + i)); });
  } else {
    for (std::size_t i = 0; i < n; ++i, from += from_stride, to += to_stride) *to = *from;
  }
}

/// `rows` of them: row r starts at from + r * from_row and goes to to + r * to_row.
template <class V>
TESSERA_NOINLINE void copy_rows(const float* from, std::ptrdiff_t from_row,
                                std::ptrdiff_t from_stride, float* to, std::ptrdiff_t to_row,
                                std::ptrdiff_t to_stride, std::size_t rows,
                                std::size_t n) noexcept {
  for (std::size_t r = 0; r < rows; ++r, from += from_row, to += to_row)
    copy_strided<V>(from, from_stride, to, to_stride, n);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_COPY_STRIDED_HPP_
