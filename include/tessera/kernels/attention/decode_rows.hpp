// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of one storage format to f32, and to the int8 tile of a backend: the only code of attention
/// that is made once per format.
#ifndef TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_
#define TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_

#include <cstddef>
#include <cstdint>

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

/// The 32 levels of a block: where they lie, or written to `buffer`.
template <class B, class F>
TESSERA_INLINE const std::int8_t* block_levels(const typename F::Block& block,
                                               std::int8_t* buffer) noexcept {
  static_assert(F::group == 32);
  if constexpr (F::code_bits == 8 && F::code_offset == 0) {
    (void)buffer;
    return block.qs;
  } else if constexpr (F::code_bits == 4 && levels_follow_codes<F>) {
    const auto* bytes = reinterpret_cast<const std::int8_t*>(block.qs);
    B::Vectors::template for_lanes<4>(16, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto byte = d.load_i32(bytes + i);
      const auto low = d.iand(byte, d.set_i32(15));
      const auto high = d.iand(d.template shr<4>(byte), d.set_i32(15));
      d.store_i8(buffer + i, d.isub(low, d.set_i32(F::code_offset)));
      d.store_i8(buffer + 16 + i, d.isub(high, d.set_i32(F::code_offset)));
    });
    return buffer;
  } else {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    F::split(block, codes, header);
    for (std::size_t i = 0; i < F::group; ++i)
      buffer[i] = static_cast<std::int8_t>(F::level(codes[i]));
    return buffer;
  }
}

/// Rows of `blocks` blocks each to rows of floats, ld apart, with the bits of the format's own
/// dequantize functions.
template <class B, class F>
void decode_rows(const std::byte* const* rows, std::size_t n, std::size_t blocks, float* out,
                 std::size_t ld) noexcept {
  using Block = typename F::Block;
  if constexpr (F::is_float) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto* in = reinterpret_cast<const Block*>(rows[j]);
      float* to = out + j * ld;
      B::Vectors::template for_lanes<4>(
          blocks, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(in + i)); });
    }
  } else {
    static_assert(virtual_lanes == F::group);
    constexpr std::size_t chunk = 64;  // blocks whose scales are converted together
    const auto full = B::Vectors::full_virtual();
    std::size_t row = 0;
    std::size_t at = 0;
    for (std::size_t left = n * blocks; left != 0;) {
      const std::size_t count = left < chunk ? left : chunk;
      const Block* in[chunk];
      float* to[chunk];
      Float16 raw[chunk];
      float scale[chunk];
      for (std::size_t i = 0; i < count; ++i) {
        in[i] = reinterpret_cast<const Block*>(rows[row]) + at;
        to[i] = out + row * ld + at * F::group;
        raw[i] = in[i]->d;
        if (++at == blocks) at = 0, ++row;
      }
      B::Vectors::template for_lanes<4>(count, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(scale + i, d.load(raw + i));
      });
      for (std::size_t i = 0; i < count; ++i) {
        std::int8_t buffer[F::group];
        const auto code = full.to_f32(full.load_i32(block_levels<B, F>(*in[i], buffer)));
        full.store(to[i], full.rounded(full.mul(scale[i], code)));
      }
      left -= count;
    }
  }
}

/// The codes of a block of keys in a tile's order, panel by panel [group][k step][key][k], and the
/// scales as they are stored, [group][attention_block].
struct CodeTile {
  std::int8_t* codes;
  Float16* raw_scales;
  std::size_t groups;
};

/// Rows of codes into the tile that B::KeyAtom consumes.
template <class B, class F>
void load_codes(const std::byte* const* rows, std::size_t n, const CodeTile& tile) noexcept {
  using T = typename B::KeyAtom::tile;
  using Block = typename F::Block;
  constexpr std::size_t group_bytes = T::n * F::group;
  for (std::size_t j = 0; j < n; ++j) {
    const auto* in = reinterpret_cast<const Block*>(rows[j]);
    std::int8_t* to = tile.codes + j / T::n * tile.groups * group_bytes + j % T::n * T::k;
    Float16* scale = tile.raw_scales + j;
    for (std::size_t g = 0; g < tile.groups; ++g, to += group_bytes, scale += attention_block) {
      std::int8_t buffer[F::group];
      B::Vectors::template copy_pieces<T::k>(block_levels<B, F>(in[g], buffer), F::group, to,
                                             T::n * T::k);
      *scale = in[g].d;
    }
  }
}

using DecodeRows = void (*)(const std::byte* const* rows, std::size_t n, std::size_t blocks,
                            float* out, std::size_t ld) noexcept;
using LoadCodes = void (*)(const std::byte* const* rows, std::size_t n,
                           const CodeTile& tile) noexcept;

/// How one K and one V format meet a backend.
struct CacheReaders {
  DecodeRows keys;
  LoadCodes key_codes;  ///< null: keys meet the query in f32
  DecodeRows values;
  std::size_t key_blocks;  ///< that the counter of decoded blocks sees per row; 0 for floats
  std::size_t value_blocks;
  bool keys_are_f32;  ///< rows are read where they lie
  bool values_are_f32;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_DECODE_ROWS_HPP_
