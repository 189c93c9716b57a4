// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Many products of one shape in a call, and where their operands lie.
#ifndef TESSERA_KERNELS_MATMUL_BATCHES_HPP_
#define TESSERA_KERNELS_MATMUL_BATCHES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/matmul/schedule.hpp"

TESSERA_NAMESPACE_BEGIN

/// `outer` x `inner` products, those of product (i, j) being `a + i * a_outer + j * a_inner`, `c` likewise
/// (strides count elements). Weights may be fewer, each for consecutive products (GGUF's broadcast): product
/// (i, j) has weights (i / (outer / outer_weights), j / (inner / inner_weights)). Packed weights
/// (i, j) are image i * inner_weights + j of those that lie one behind the other; StoredRows begin at
/// `data + i * b_outer + j * b_inner` (bytes).
struct Batches {
  std::size_t outer = 1;
  std::size_t inner = 1;
  std::size_t outer_weights = 1;
  std::size_t inner_weights = 1;
  std::ptrdiff_t a_outer = 0;
  std::ptrdiff_t a_inner = 0;
  std::ptrdiff_t c_outer = 0;
  std::ptrdiff_t c_inner = 0;
  std::ptrdiff_t b_outer = 0;
  std::ptrdiff_t b_inner = 0;

  [[nodiscard]] TESSERA_INLINE constexpr std::size_t count() const noexcept {
    return outer * inner;
  }
};

namespace internal {

/// Numbers of batches that can be: not 0, a multiple of the weights', countable.
[[nodiscard]] TESSERA_INLINE Status check_batches(const Batches& b) noexcept {
  if (b.outer == 0 || b.inner == 0 || b.outer_weights == 0 || b.inner_weights == 0)
    return Status::empty_shape;
  if (b.outer % b.outer_weights != 0 || b.inner % b.inner_weights != 0) return Status::batch_ratio;
  std::size_t count = 0;
  return mul_overflows(b.outer, b.inner, &count) || count > PTRDIFF_MAX / 64
             ? Status::shape_too_large
             : Status::ok;
}

/// The rows of product `g` of a or c.
template <class T>
TESSERA_INLINE MatrixView<T> rows_of_product(const MatrixView<T>& all, std::size_t g,
                                             std::size_t inner, std::ptrdiff_t outer_stride,
                                             std::ptrdiff_t inner_stride) noexcept {
  MatrixView<T> one = all;
  one.data += static_cast<std::ptrdiff_t>(g / inner) * outer_stride +
              static_cast<std::ptrdiff_t>(g % inner) * inner_stride;
  return one;
}

/// All elements of all products.
template <class T>
[[nodiscard]] TESSERA_INLINE Strided<4> strided_rows(const MatrixView<T>& v, const Batches& b,
                                                     std::ptrdiff_t outer_stride,
                                                     std::ptrdiff_t inner_stride) noexcept {
  return strided(
      v.data,
      {{b.outer, outer_stride}, {b.inner, inner_stride}, {v.rows, v.row_stride}, {v.cols, 1}});
}

/// Rows of the outputs numbered through all products.
template <class C>
struct BatchOutput {
  MatrixView<C> c;
  Batches batches;

  TESSERA_INLINE MatrixView<C> rows_from(std::size_t i) const noexcept {
    MatrixView<C> rows = c;
    if (i >= c.rows)
      rows = rows_of_product(c, i / c.rows, batches.inner, batches.c_outer, batches.c_inner);
    rows.data = rows.row(i % c.rows);
    return rows;
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_BATCHES_HPP_
