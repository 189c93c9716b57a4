// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A register block of f32: rows of A times rows of B laid out [k][column].
///
/// A float atom of a backend (backend/<name>/atoms.hpp) provides `tile` (its weight panel), `rows`
/// (rows of a block) and `registers` (registers per row, the M of for_lanes).
#ifndef TESSERA_TILE_FMA_BLOCK_HPP_
#define TESSERA_TILE_FMA_BLOCK_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// out[i][c] = sum over ascending k of a[i][k] * b[k][c], one fma chain from zero per element.
/// a rows are lda apart, b rows ldb, out rows ldo; `columns` may be any number, k may be 0.
template <class B, std::size_t Rows>
TESSERA_INLINE void fma_block(const float* a, std::ptrdiff_t lda, const float* b,
                              std::ptrdiff_t ldb, std::size_t k, std::size_t columns, float* out,
                              std::ptrdiff_t ldo) noexcept {
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<B::FloatAtom::registers>(
      columns, [&](auto d, std::size_t c) TESSERA_LAMBDA {
        with_accumulators<Rows>([&]() TESSERA_LAMBDA { return d.set(0.0f); },
                                [&](auto&... acc) TESSERA_LAMBDA {
                                  const float* bk = b + c;
                                  for (std::size_t q = 0; q < k; ++q, bk += ldb) {
                                    const auto row = d.load(bk);
                                    const float* ak = a + q;
                                    ((acc = d.fma(*ak, row, acc), ak += lda), ...);
                                  }
                                  float* o = out + c;
                                  ((d.store(o, acc), o += ldo), ...);
                                });
      });
}

/// fma_block over any number of rows, in blocks of the atom's height and then one by one.
template <class B>
TESSERA_INLINE void fma_rows(const float* a, std::ptrdiff_t lda, const float* b, std::ptrdiff_t ldb,
                             std::size_t k, std::size_t rows, std::size_t columns, float* out,
                             std::ptrdiff_t ldo) noexcept {
  constexpr std::size_t height = B::FloatAtom::rows;
  std::size_t i = 0;
  for (; rows - i >= height; i += height, a += static_cast<std::ptrdiff_t>(height) * lda,
                             out += static_cast<std::ptrdiff_t>(height) * ldo)
    fma_block<B, height>(a, lda, b, ldb, k, columns, out, ldo);
  for (; i < rows; ++i, a += lda, out += ldo) fma_block<B, 1>(a, lda, b, ldb, k, columns, out, ldo);
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_FMA_BLOCK_HPP_
