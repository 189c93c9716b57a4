// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Tokens of a KvCache to f32, and its keys to the tile of a backend that it was not made for.
#ifndef TESSERA_KERNELS_ATTENTION_KV_ROWS_HPP_
#define TESSERA_KERNELS_ATTENTION_KV_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/kv_cache.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Halves to floats.
template <class B>
TESSERA_INLINE void floats_of(const std::byte* halves, std::size_t n, float* out) noexcept {
  const auto* from = reinterpret_cast<const Float16*>(halves);
  B::Vectors::template for_lanes<4>(
      n, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(out + i, d.load(from + i)); });
}

/// The codes of one group of the keys of a run, [key][32].
template <class T>
TESSERA_INLINE void kv_key_rows(const RowRun& run, std::size_t groups, std::size_t group,
                                std::int8_t* rows) noexcept {
  const auto* codes = reinterpret_cast<const std::int8_t*>(run.first);
  for (std::size_t j = 0; j < run.count; ++j)
    for (std::size_t s = 0; s < 32 / T::k; ++s)
      __builtin_memcpy(rows + j * 32 + s * T::k,
                       codes + kv_key_codes<T>(groups, run.begin + j, group, s), T::k);
}

/// The keys of a run as keys begin, begin + 1, ... of the tile that B::KeyAtom consumes.
template <class B, class T>
void load_kv_codes(const RowRun& run, std::size_t begin, const CodeTile& tile) noexcept {
  using Own = typename B::KeyAtom::tile;
  const auto* scales = reinterpret_cast<const std::uint16_t*>(
      run.first + attention_block * tile.groups * CodeRows::block);
  std::int8_t rows[attention_block * CodeRows::block];
  for (std::size_t g = 0; g < tile.groups; ++g) {
    kv_key_rows<T>(run, tile.groups, g, rows);
    B::Vectors::template tile_codes<Own>(
        CodeRows{rows, CodeRows::block, CodeRows::block, 1, run.count}, begin,
        tile.groups * Own::n * CodeRows::block, tile.codes + g * Own::n * CodeRows::block);
    __builtin_memcpy(tile.raw_scales + g * attention_block + begin,
                     scales + g * attention_block + run.begin, run.count * sizeof *scales);
  }
}

/// The keys of a run to rows of floats, ld apart.
template <class B, class T>
void decode_kv_keys(const RowRun& run, std::size_t groups, float* out, std::size_t ld) noexcept {
  std::int8_t rows[attention_block * CodeRows::block];
  float scales[attention_block];
  const std::byte* halves = run.first + attention_block * groups * CodeRows::block;
  for (std::size_t g = 0; g < groups; ++g) {
    kv_key_rows<T>(run, groups, g, rows);
    floats_of<B>(halves + (g * attention_block + run.begin) * sizeof(Float16), run.count, scales);
    scale_rows<B>(CodeRows{rows, CodeRows::block, CodeRows::block, 1, run.count}, scales,
                  out + g * CodeRows::block, ld);
  }
}

/// Scales of a strip of a block's tokens, and what a backend may read behind them.
inline constexpr std::size_t kv_scales_read =
    attention_block * internal::kv_strip / CodeRows::block + 256;

/// Calls body(codes, scales[token][block], first element) for the strips of a run of values.
template <class B, class Body>
TESSERA_INLINE void for_value_strips(const RowRun& run, std::size_t blocks, Body&& body) noexcept {
  internal::for_strips(
      blocks * CodeRows::block,
      [&](std::size_t e, std::size_t n, std::size_t codes, std::size_t halves) TESSERA_LAMBDA {
        float scales[kv_scales_read];
        const std::size_t of_token = n / CodeRows::block;
        floats_of<B>(run.first + halves + run.begin * of_token * sizeof(Float16),
                     run.count * of_token, scales);
        const auto* first = reinterpret_cast<const std::int8_t*>(run.first + codes) + run.begin * n;
        body(CodeRows{first, static_cast<std::ptrdiff_t>(n), CodeRows::block, of_token, run.count},
             static_cast<const float*>(scales), e);
      });
}

/// The values of a run to rows of floats, ld apart.
template <class B>
void decode_kv_values(const RowRun& run, std::size_t blocks, float* out, std::size_t ld) noexcept {
  for_value_strips<B>(
      run, blocks, [&](const CodeRows& rows, const float* scales, std::size_t e) TESSERA_LAMBDA {
        if constexpr (requires { B::Vectors::scale_tokens(rows, scales, out + e, ld); }) {
          B::Vectors::scale_tokens(rows, scales, out + e, ld);
        } else {
          const auto full = B::Vectors::full_virtual();
          for (std::size_t j = 0; j < rows.count; ++j)
            for (std::size_t b = 0; b < rows.blocks; ++b) {
              const std::int8_t* in = rows.codes + static_cast<std::ptrdiff_t>(j) * rows.stride;
              const auto code = full.to_f32(full.load_i32(in + b * CodeRows::block));
              full.store(out + j * ld + e + b * CodeRows::block,
                         full.rounded(full.mul(scales[j * rows.blocks + b], code)));
            }
        }
      });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_KV_ROWS_HPP_
