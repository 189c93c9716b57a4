// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of one storage format to f32, and to the int8 tile of a backend: the only code of attention
/// that is made once per format.
#ifndef TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_
#define TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/moves.hpp"
#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/vector.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Are levels codes less an offset, and not entries of a table?
template <class F>
inline constexpr bool levels_follow_codes =
    F::level(0) == -F::code_offset && F::level(1) == 1 - F::code_offset &&
    F::level(7) == 7 - F::code_offset;

/// Do the nibbles of sixteen bytes, less an offset, make a block's levels?
template <class F>
inline constexpr bool codes_are_nibbles = F::code_bits == 4 && levels_follow_codes<F>;

/// The 32 levels of a block.
template <class B, class F>
TESSERA_INLINE void block_levels(const typename F::Block& block, std::int8_t* levels) noexcept {
  static_assert(F::group == 32);
  if constexpr (codes_are_nibbles<F>) {
    const auto* bytes = reinterpret_cast<const std::int8_t*>(block.qs);
    B::Vectors::template for_lanes<4>(16, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto byte = d.load_i32(bytes + i);
      const auto low = d.iand(byte, d.set_i32(15));
      const auto high = d.iand(d.template shr<4>(byte), d.set_i32(15));
      d.store_i8(levels + i, d.isub(low, d.set_i32(F::code_offset)));
      d.store_i8(levels + 16 + i, d.isub(high, d.set_i32(F::code_offset)));
    });
  } else {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    F::split(block, codes, header);
    for (std::size_t i = 0; i < F::group; ++i)
      levels[i] = static_cast<std::int8_t>(F::level(codes[i]));
  }
}

/// Can codes be read where they lie?
template <class F>
inline constexpr bool codes_are_levels = F::code_bits == 8 && F::code_offset == 0;

/// Calls body(codes, b) for blocks [b, b + codes.blocks) of a run's rows, one stretch after another.
template <class B, class F, class Body>
TESSERA_INLINE void for_levels(const RowRun& run, std::size_t blocks, std::size_t at_once,
                               Body&& body) noexcept {
  using Block = typename F::Block;
  if constexpr (codes_are_levels<F>) {
    for (std::size_t b = 0; b < blocks; b += at_once) {
      const auto* first = reinterpret_cast<const Block*>(run.first) + b;
      body(CodeRows{first->qs, run.stride, sizeof(Block),
                    blocks - b < at_once ? blocks - b : at_once, run.count},
           b);
    }
  } else {
    std::int8_t levels[attention_block * F::group];
    for (std::size_t b = 0; b < blocks; ++b) {
      const auto* column = reinterpret_cast<const Block*>(run.first) + b;
      if constexpr (codes_are_nibbles<F> && requires {
                      B::Vectors::nibble_levels(column->qs, run.stride, run.count, F::code_offset,
                                                levels);
                    }) {
        B::Vectors::nibble_levels(column->qs, run.stride, run.count, F::code_offset, levels);
      } else {
        for (std::size_t j = 0; j < run.count; ++j)
          block_levels<B, F>(reinterpret_cast<const Block*>(run.row(j))[b], levels + j * F::group);
      }
      body(CodeRows{levels, static_cast<std::ptrdiff_t>(F::group), F::group, 1, run.count}, b);
    }
  }
}

/// Which half of a block's header.
enum class HeaderHalf { scale, minimum };

/// The scales or minima of blocks [b, b + n) of a run's rows as they are stored, [block][attention_block].
template <class B, class F, HeaderHalf Half>
TESSERA_INLINE void load_halves(const RowRun& run, std::size_t b, std::size_t n,
                                std::uint16_t* out) noexcept {
  using Block = typename F::Block;
  for (std::size_t i = 0; i < n; ++i) {
    const auto* block = reinterpret_cast<const Block*>(run.first) + b + i;
    const Float16* half = nullptr;
    if constexpr (Half == HeaderHalf::scale) {
      half = &block->d;
    } else {
      half = &block->m;
    }
    B::Vectors::strided_halves(reinterpret_cast<const std::byte*>(half), run.stride, run.count,
                               out + i * attention_block);
  }
}

/// The same in f32.
template <class B, class F, HeaderHalf Half>
TESSERA_INLINE void load_floats(const RowRun& run, std::size_t b, std::size_t n, float* out,
                                std::uint16_t* raw) noexcept {
  load_halves<B, F, Half>(run, b, n, raw);
  const bool whole = run.count == attention_block;  // then there is no gap between columns
  const std::size_t end = n * attention_block;
  for (std::size_t i = 0; i < end; i += whole ? end : attention_block)
    B::Vectors::template for_lanes<4>(
        whole ? end : run.count, [&](auto d, std::size_t j) TESSERA_LAMBDA {
          d.store(out + i + j, d.load(reinterpret_cast<const Float16*>(raw + i + j)));
        });
}

/// Codes times the scales of their blocks, scales[block][attention_block], to rows of floats.
template <class B>
TESSERA_INLINE void scale_rows(const CodeRows& rows, const float* scales, float* out,
                               std::size_t ld) noexcept {
  if constexpr (requires { B::Vectors::scale_rows(rows, scales, attention_block, out, ld); }) {
    B::Vectors::scale_rows(rows, scales, attention_block, out, ld);
  } else {
    static_assert(virtual_lanes == CodeRows::block);
    const auto full = B::Vectors::full_virtual();
    for (std::size_t j = 0; j < rows.count; ++j, out += ld) {
      const std::int8_t* in = rows.codes + static_cast<std::ptrdiff_t>(j) * rows.stride;
      for (std::size_t b = 0; b < rows.blocks; ++b, in += rows.block_stride)
        full.store(out + b * CodeRows::block,
                   full.rounded(
                       full.mul(scales[b * attention_block + j], full.to_f32(full.load_i32(in)))));
    }
  }
}

/// Blocks of a row whose scales are loaded at once. (g++ 12 cannot compile an array in a lambda that is
/// sized by a constant of the function around it.)
inline constexpr std::size_t blocks_at_once = 4;
inline constexpr std::size_t scales_at_once = blocks_at_once * attention_block;

/// Calls body(codes, scales[block][attention_block], b) for blocks [b, b + codes.blocks) of a run of at
/// most attention_block rows, one stretch after another.
template <class B, class F, class Body>
TESSERA_INLINE void for_scaled_levels(const RowRun& run, std::size_t blocks, Body&& body) noexcept {
  static_assert(F::group == CodeRows::block);
  for_levels<B, F>(run, blocks, blocks_at_once,
                   [&](const CodeRows& rows, std::size_t b) TESSERA_LAMBDA {
                     std::uint16_t raw[scales_at_once];  // Float16 would be zeroed
                     float scales[scales_at_once];
                     load_floats<B, F, HeaderHalf::scale>(run, b, rows.blocks, scales, raw);
                     body(rows, static_cast<const float*>(scales), b);
                   });
}

/// Adds the blocks' minima to rows of codes that have been scaled.
template <class B, class F>
TESSERA_INLINE void add_minima(const RowRun& run, std::size_t b, std::size_t n, float* out,
                               std::size_t ld) noexcept {
  std::uint16_t raw[scales_at_once];
  float minima[scales_at_once];
  load_floats<B, F, HeaderHalf::minimum>(run, b, n, minima, raw);
  const auto full = B::Vectors::full_virtual();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < run.count; ++j) {
      float* to = out + j * ld + i * F::group;
      full.store(to, full.add(full.load(to), full.set(minima[i * attention_block + j])));
    }
}

/// A run of at most attention_block rows of `blocks` blocks each to rows of floats, ld apart, with the
/// bits of the format's own dequantize functions.
template <class B, class F>
void decode_rows(const RowRun& run, std::size_t blocks, float* out, std::size_t ld) noexcept {
  using Block = typename F::Block;
  if constexpr (F::is_float) {
    for (std::size_t j = 0; j < run.count; ++j) {
      const auto* in = reinterpret_cast<const Block*>(run.row(j));
      float* to = out + j * ld;
      B::Vectors::template for_lanes<4>(
          blocks, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(in + i)); });
    }
  } else {
    for_scaled_levels<B, F>(
        run, blocks, [&](const CodeRows& rows, const float* scales, std::size_t b) TESSERA_LAMBDA {
          scale_rows<B>(rows, scales, out + b * F::group, ld);
          if constexpr (F::has_minima)
            add_minima<B, F>(run, b, rows.blocks, out + b * F::group, ld);
        });
  }
}

/// out += p . the rows of a run, one fma chain over ascending rows per element, without keeping the
/// decoded rows: for a single row of weights.
template <class B, class F>
void weigh_codes(const RowRun& run, std::size_t blocks, const float* p, float* out) noexcept {
  for_scaled_levels<B, F>(
      run, blocks, [&](const CodeRows& rows, const float* scales, std::size_t b) TESSERA_LAMBDA {
        B::Vectors::weigh_rows(rows, scales, attention_block, p, out + b * F::group);
      });
}

/// The codes of a block of keys in a tile's order, panel by panel [group][k step][key][k], and the
/// scales and minima as they are stored, [group][attention_block].
struct CodeTile {
  std::int8_t* codes;
  std::uint16_t* raw_scales;
  std::uint16_t* raw_minima;  ///< read if the format has minima
  std::size_t groups;
};

/// A run of rows as keys begin, begin + 1, ... of the tile that B::KeyAtom consumes.
template <class B, class F>
void load_codes(const RowRun& run, std::size_t begin, const CodeTile& tile) noexcept {
  using T = typename B::KeyAtom::tile;
  constexpr std::size_t group_bytes = T::n * F::group;
  for_levels<B, F>(run, tile.groups, tile.groups,
                   [&](const CodeRows& rows, std::size_t g) TESSERA_LAMBDA {
                     B::Vectors::template tile_codes<T>(rows, begin, tile.groups * group_bytes,
                                                        tile.codes + g * group_bytes);
                   });
  load_halves<B, F, HeaderHalf::scale>(run, 0, tile.groups, tile.raw_scales + begin);
  if constexpr (F::has_minima)
    load_halves<B, F, HeaderHalf::minimum>(run, 0, tile.groups, tile.raw_minima + begin);
}

using DecodeRows = void (*)(const RowRun& run, std::size_t blocks, float* out,
                            std::size_t ld) noexcept;
using WeighRows = void (*)(const RowRun& run, std::size_t blocks, const float* p,
                           float* out) noexcept;
using LoadCodes = void (*)(const RowRun& run, std::size_t begin, const CodeTile& tile) noexcept;

/// How one K and one V format meet a backend.
struct CacheReaders {
  KeyProducts products;
  DecodeRows keys;
  LoadCodes key_codes;  ///< null: keys meet the query in f32
  DecodeRows values;
  WeighRows weigh_values;  ///< null: values are decoded first
  std::size_t key_blocks;  ///< that the counter of decoded blocks sees per row; 0 for floats
  std::size_t value_blocks;
  bool keys_are_f32;  ///< rows are read where they lie
  bool values_are_f32;
  bool key_tiles = false;  ///< a KvCache's, in the backend's own order
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_
