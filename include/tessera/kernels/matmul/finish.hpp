// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// From the sums of a block to the output, the epilogue's and the output's types forgotten: the loops that
/// make sums are compiled once, whatever becomes of them.
#ifndef TESSERA_KERNELS_MATMUL_FINISH_HPP_
#define TESSERA_KERNELS_MATMUL_FINISH_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/tile/epilogue.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Sums of rows [m0, m0 + rows) and columns [n0, n0 + columns) of the output; rows ld apart.
struct BlockSums {
  const float* sums;
  const float* pair;  ///< of the second product of a pair
  std::size_t ld;
  std::size_t m0;
  std::size_t rows;
  std::size_t n0;
  std::size_t columns;
};

/// Takes a block's sums to where they belong.
struct Finish {
  const void* output;
  const void* epilogue;
  void (*function)(const void* output, const void* epilogue, const BlockSums& block) noexcept;

  TESSERA_INLINE void operator()(const BlockSums& block) const noexcept {
    function(output, epilogue, block);
  }
};

/// What the epilogue is told as the number of row i.
template <class Output>
TESSERA_INLINE std::size_t row_number(const Output& out, std::size_t i) noexcept {
  if constexpr (requires { out.index(i); }) {
    return out.index(i);
  } else {
    (void)out;
    return i;
  }
}

/// Rows i, i + 1, ... of one product.
template <class Output>
TESSERA_INLINE auto rows_from(const Output& out, std::size_t i) noexcept {
  if constexpr (requires { out.rows_from(i); }) {
    return out.rows_from(i);
  } else {
    struct Rows {
      const Output& out;
      std::size_t first;
      TESSERA_INLINE auto* row(std::size_t r) const noexcept { return out.row(first + r); }
    };
    return Rows{out, i};
  }
}

/// Output: `row(i)`, a pointer to the elements of row i, and maybe `index(i)`, its number. E is called with one product's lanes, or with two.
template <class B, bool Pair, class Output, class E>
TESSERA_NOINLINE void finish_block(const void* output, const void* epilogue,
                                   const BlockSums& given) noexcept {
  const BlockSums block = given;  // what is stored might change it, for all the compiler knows
  const auto& out = *static_cast<const Output*>(output);
  const E& e = *static_cast<const E*>(epilogue);
  if constexpr (requires { B::stored(block.rows); }) B::stored(block.rows * block.columns);
  const auto rows = rows_from(out, block.m0);
  for (std::size_t i = 0; i < block.rows; ++i) {
    const std::size_t row = row_number(out, block.m0 + i);
    auto* const to = rows.row(i) + block.n0;
    const float* const sums = block.sums + i * block.ld;
    const float* const pair = block.pair + i * block.ld;
    B::Vectors::template for_lanes<epilogue::detail::registers_of<E>>(
        block.columns, [&](auto d, std::size_t j) TESSERA_LAMBDA {
          if constexpr (Pair) {
            d.store(to + j, e(d, d.load(sums + j), d.load(pair + j), row, block.n0 + j));
          } else {
            (void)pair;
            d.store(to + j, e(d, d.load(sums + j), row, block.n0 + j));
          }
        });
  }
}

/// Both must live as long as the result is used.
template <class B, std::size_t Sources, class Output, class E>
TESSERA_INLINE Finish finish_with(const Output& output, const E& epilogue) noexcept {
  return {&output, &epilogue, &finish_block < B, Sources == 2, Output, E > };
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_FINISH_HPP_
