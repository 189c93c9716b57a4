// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Caches of int8 or int4 codes whose scales lie apart: one, or one per channel, as ONNX runtimes keep
/// them.
#ifndef TESSERA_KERNELS_ATTENTION_SCALED_CODES_HPP_
#define TESSERA_KERNELS_ATTENTION_SCALED_CODES_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/config.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_NAMESPACE_BEGIN

/// Rows of int8 codes; value = code * scale.
struct ScaledInt8 {
  static constexpr bool is_float = false;
  static constexpr bool has_minima = false;
  static constexpr bool has_outer_scales = true;
  static constexpr std::size_t group = 1;
  using Block = std::int8_t;
};

/// Rows of codes -8 .. 7, two in a byte as code + 8, the even element in the low nibble; value = code * scale.
/// Source: GroupQueryAttention of ONNX Runtime.
struct ScaledInt4 {
  static constexpr bool is_float = false;
  static constexpr bool has_minima = false;
  static constexpr bool has_outer_scales = true;
  static constexpr std::size_t group = 2;
  using Block = std::uint8_t;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Is F one of these?
template <class F>
concept ScaledCodes = requires { F::has_outer_scales; };

/// Eight codes from the nibbles of four bytes.
TESSERA_INLINE void unpack_eight(const std::uint8_t* bytes, std::int8_t* codes) noexcept {
  std::uint32_t four;
  __builtin_memcpy(&four, bytes, sizeof four);
  std::uint64_t x = four;
  x = (x | x << 16) & 0x0000ffff0000ffffu;
  x = (x | x << 8) & 0x00ff00ff00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;  // a nibble to a byte
  // Less 8: bit 3 the other way, and where it is set then, copies of it above.
  x ^= 0x0808080808080808u;
  x |= (x & 0x0808080808080808u) * 30;
  __builtin_memcpy(codes, &x, sizeof x);
}

/// The codes of elements [e, e + n) of a row; `room` has space for them.
template <ScaledCodes F>
TESSERA_INLINE const std::int8_t* scaled_codes(const std::byte* row, std::size_t e, std::size_t n,
                                               std::int8_t* room) noexcept {
  if constexpr (F::group == 1) {
    (void)n, (void)room;
    return reinterpret_cast<const std::int8_t*>(row) + e;
  } else {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(row) + e / 2;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) unpack_eight(bytes + i / 2, room + i);
    for (; i < n; i += 2) {
      room[i] = static_cast<std::int8_t>((bytes[i / 2] & 15) - 8);
      room[i + 1] = static_cast<std::int8_t>((bytes[i / 2] >> 4) - 8);
    }
    return room;
  }
}

/// A run of rows to rows of floats, ld apart.
template <class B, ScaledCodes F>
void decode_scaled(const RowRun& run, std::size_t blocks, float* out, std::size_t ld) noexcept {
  constexpr std::size_t at_once = 64;
  const std::size_t dim = blocks * F::group;
  std::int8_t room[at_once];
  for (std::size_t j = 0; j < run.count; ++j)
    for (std::size_t e = 0; e < dim; e += at_once) {
      const std::size_t n = dim - e < at_once ? dim - e : at_once;
      const std::int8_t* codes = scaled_codes<F>(run.row(j), e, n, room);
      float* const to = out + j * ld + e;
      B::Vectors::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        const auto code = d.to_f32(d.load_i32(codes + i));
        if (run.scale_per_channel)
          d.store(to + i, d.rounded(d.mul(code, d.load(run.scales + e + i))));
        else
          d.store(to + i, d.rounded(d.mul(run.scales[0], code)));
      });
    }
}

/// A run of rows as keys begin, begin + 1, ... of the tile that B::KeyAtom consumes, of scale 1: the
/// query has met theirs. Rows are whole groups of 32.
template <class B, ScaledCodes F>
void load_scaled_codes(const RowRun& run, std::size_t begin, const CodeTile& tile) noexcept {
  using T = typename B::KeyAtom::tile;
  constexpr std::size_t group_bytes = T::n * CodeRows::block;
  std::int8_t rows[attention_block * CodeRows::block];
  for (std::size_t g = 0; g < tile.groups; ++g) {
    for (std::size_t j = 0; j < run.count; ++j) {
      std::int8_t* const to = rows + j * CodeRows::block;
      const std::int8_t* from =
          scaled_codes<F>(run.row(j), g * CodeRows::block, CodeRows::block, to);
      if (from != to) __builtin_memcpy(to, from, CodeRows::block);
      tile.raw_scales[g * attention_block + begin + j] = 0x3c00;  // 1
    }
    B::Vectors::template tile_codes<T>(
        CodeRows{rows, CodeRows::block, CodeRows::block, 1, run.count}, begin,
        tile.groups * group_bytes, tile.codes + g * group_bytes);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_SCALED_CODES_HPP_
