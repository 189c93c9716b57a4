// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A register block of f32: rows of A times rows of B laid out [k][column].
///
/// A float atom of a backend (backend/NAME/atoms.hpp) provides `tile` (its weight panel), `rows`
/// (rows of a block) and `registers` (registers per row, the M of for_lanes).
#ifndef TESSERA_TILE_FMA_BLOCK_HPP_
#define TESSERA_TILE_FMA_BLOCK_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/unroll.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// out[i][c] = sum over ascending k of a[i][k] * b[k][c], one fma chain from zero per element.
/// a rows are lda apart (an Index<N> where that is known: no register and no addition for it), b rows
/// ldb, out rows ldo; `columns` may be any number, k may be 0.
template <class B, std::size_t Rows, class Atom = typename B::FloatAtom, class Stride>
TESSERA_INLINE void fma_block(const float* a, Stride lda, const float* b, std::ptrdiff_t ldb,
                              std::size_t k, std::size_t columns, float* out,
                              std::ptrdiff_t ldo) noexcept {
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<Atom::registers>(columns, [&](auto d, std::size_t c) TESSERA_LAMBDA {
    with_accumulators<Rows>(
        [&]() TESSERA_LAMBDA { return d.set(0.0f); },
        [&](auto&... acc) TESSERA_LAMBDA {
          const float* bk = b + c;
          if (k != 0) {
            constexpr std::size_t at_once = decltype(d)::unrolled == 1 ? 2 : decltype(d)::unrolled;
            auto row = d.load(bk);  // a register for reload, cheaper than a zero
            const auto step = [&](const float* ak) TESSERA_LAMBDA {
              d.reload(row, bk);
              ((d.accumulate(acc, *ak, row), ak += static_cast<std::ptrdiff_t>(lda)), ...);
              bk += ldb;
            };
            const float* ak = a;
            for (const float* const end = a + k / at_once * at_once; ak != end; ak += at_once)
              unroll<at_once>([&](auto q) TESSERA_LAMBDA { step(ak + q); });
            for (const float* const end = a + k; ak != end; ++ak) step(ak);
          }
          float* o = out + c;
          ((d.store(o, acc), o += ldo), ...);
        });
  });
}

/// fma_block over any number of rows, in blocks of the atom's height and then of 4, 2 and 1.
template <class B, class Atom = typename B::FloatAtom, class Stride>
TESSERA_INLINE void fma_rows(const float* a, Stride lda, const float* b, std::ptrdiff_t ldb,
                             std::size_t k, std::size_t rows, std::size_t columns, float* out,
                             std::ptrdiff_t ldo) noexcept {
  constexpr std::size_t height = Atom::rows;
  const auto blocks = [&]<std::size_t Rows>(Index<Rows>) TESSERA_LAMBDA {
    for (; rows >= Rows; rows -= Rows,
                         a += static_cast<std::ptrdiff_t>(Rows) * static_cast<std::ptrdiff_t>(lda),
                         out += static_cast<std::ptrdiff_t>(Rows) * ldo)
      fma_block<B, Rows, Atom>(a, lda, b, ldb, k, columns, out, ldo);
  };
  blocks(Index<height>());
  if constexpr (height > 4) blocks(Index<4>());
  if constexpr (height > 2) blocks(Index<2>());
  if constexpr (height > 1) blocks(Index<1>());
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_TILE_FMA_BLOCK_HPP_
