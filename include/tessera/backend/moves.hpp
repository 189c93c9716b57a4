// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Moves that turn rows into the layout a tile reads, for backends without an instruction for them.
#ifndef TESSERA_BACKEND_MOVES_HPP_
#define TESSERA_BACKEND_MOVES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Rows of int8 codes in blocks of 32: block b of row j is at codes + j * stride + b * block_stride.
struct CodeRows {
  static constexpr std::size_t block = 32;
  const std::int8_t* codes;
  std::ptrdiff_t stride;
  std::size_t block_stride;
  std::size_t blocks;
  std::size_t count;
};

/// Base of a backend's `Vectors` (core/vector.hpp).
struct PlainMoves {
  /// n halves, `stride` bytes apart, side by side.
  TESSERA_INLINE static void strided_halves(const std::byte* in, std::ptrdiff_t stride,
                                            std::size_t n, std::uint16_t* out) noexcept {
    for (std::size_t i = 0; i < n; ++i, in += stride) __builtin_memcpy(out + i, in, sizeof *out);
  }
  /// The rows become columns begin, begin + 1, ... of panels for tile T: [panel][block][step][n][k],
  /// panels `panel_bytes` apart. `out` is aligned to 8.
  template <class T>
  TESSERA_INLINE static void tile_codes(const CodeRows& rows, std::size_t begin,
                                        std::size_t panel_bytes, std::int8_t* out) noexcept {
    for (std::size_t j = 0; j < rows.count; ++j, ++begin) {
      const std::int8_t* row = rows.codes + static_cast<std::ptrdiff_t>(j) * rows.stride;
      std::int8_t* to = out + begin / T::n * panel_bytes + begin % T::n * T::k;
      for (std::size_t b = 0; b < rows.blocks; ++b)
        for (std::size_t i = 0; i < CodeRows::block; i += T::k, to += T::n * T::k)
          __builtin_memcpy(to, row + b * rows.block_stride + i, T::k);
    }
  }
  /// out[k * ld + j] = rows[j][k] for j < n and k < length.
  TESSERA_INLINE static void transpose(const float* const* rows, std::size_t n, std::size_t length,
                                       float* out, std::size_t ld) noexcept {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < length; ++k) out[k * ld + j] = rows[j][k];
  }
};

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_BACKEND_MOVES_HPP_
