// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Moves that turn rows into the layout a tile reads, for backends without an instruction for them.
#ifndef TESSERA_BACKEND_MOVES_HPP_
#define TESSERA_BACKEND_MOVES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Base of a backend's `Vectors` (core/vector.hpp).
struct PlainMoves {
  /// Piece i of `count` bytes, K bytes long, to out + i * stride. Precondition: K divides count.
  template <std::size_t K>
  TESSERA_INLINE static void copy_pieces(const std::int8_t* in, std::size_t count, std::int8_t* out,
                                         std::size_t stride) noexcept {
    for (std::size_t i = 0; i < count; i += K, out += stride) __builtin_memcpy(out, in + i, K);
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
