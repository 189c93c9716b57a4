// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What all formats of blocks have in common: one view of a block as integer codes and a header.
///
/// value = level(code) * scale, or level(code) * scale + minus_min. A format F provides
/// - `name`, `id`, `Block` (the stored bytes) and `block_bytes`;
/// - `group`: elements of a block; `scale_group`: 16 or 32, elements that share a scale (a scale of
///   more elements is repeated); `has_minima`;
/// - `code_bits` of a code as stored: 1, 2, 4 or 8, or 3 = 2 + 1, 5 = 4 + 1, 6 = 4 + 2;
/// - `header_bytes`: everything of a block that is no code;
/// - `split(block, codes, header)`, `join(codes, header, block)`: each the inverse of the other;
/// - `level(code)`: what a code stands for, in -128..127; `code_offset`: the code of level 0 (or of
///   padding, where there is no level 0);
/// - `scales(header, scale, minus_min)`: per scale group, in f32, each product rounded once;
/// - `quantize_block(x, block)`: the published rule.
#ifndef TESSERA_FORMATS_BLOCK_FORMAT_HPP_
#define TESSERA_FORMATS_BLOCK_FORMAT_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/format_id.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Are all of them finite?
TESSERA_INLINE bool all_finite(const float* x, std::size_t n) noexcept {
  bool finite = true;
  for (std::size_t i = 0; i < n; ++i) finite = finite && is_finite(x[i]);
  return finite;
}

/// The first element of largest magnitude, with its sign; 0 if all are zero.
TESSERA_INLINE float signed_largest(const float* x, std::size_t n) noexcept {
  float amax = 0.0f;
  float m = 0.0f;
  for (std::size_t i = 0; i < n; ++i) {
    const float a = x[i] < 0 ? -x[i] : x[i];
    if (a > amax) amax = a, m = x[i];
  }
  return m;
}

/// A scale in 16 bits; every NaN becomes one (platforms differ in its sign).
TESSERA_INLINE Float16 stored_scale(float d) noexcept {
  return d != d ? Float16{0x7e00} : to_float16(d);
}

TESSERA_INLINE void write_half(std::uint8_t* header, Float16 h) noexcept {
  header[0] = static_cast<std::uint8_t>(h.bits & 255u);
  header[1] = static_cast<std::uint8_t>(h.bits >> 8);
}
TESSERA_INLINE Float16 read_half(const std::uint8_t* header) noexcept {
  return {static_cast<std::uint16_t>(header[0] | header[1] << 8)};
}

/// 2 * Half codes from Half bytes: low nibbles first, then high nibbles.
template <std::size_t Half>
TESSERA_INLINE void split_nibbles(const std::uint8_t* bytes, std::uint8_t* codes) noexcept {
  for (std::size_t j = 0; j < Half; ++j) {
    codes[j] = bytes[j] & 15u;
    codes[j + Half] = static_cast<std::uint8_t>(bytes[j] >> 4);
  }
}
/// The inverse; bits of the codes above the low four are ignored.
template <std::size_t Half>
TESSERA_INLINE void join_nibbles(const std::uint8_t* codes, std::uint8_t* bytes) noexcept {
  for (std::size_t j = 0; j < Half; ++j)
    bytes[j] = static_cast<std::uint8_t>((codes[j] & 15u) | (codes[j + Half] & 15u) << 4);
}

/// code[i] |= bit `i` of the bytes << shift. Eight bits at once: a byte is copied into all bytes of a
/// word, where bit i of byte i is kept and moved to bit 0.
template <std::size_t N>
TESSERA_INLINE void add_bits(const std::uint8_t* bytes, unsigned shift,
                             std::uint8_t* codes) noexcept {
  for (std::size_t c = 0; c < N / 8; ++c) {
    const std::uint64_t one_each = bytes[c] * 0x0101010101010101u & 0x8040201008040201u;
    const std::uint64_t bits = (one_each + 0x7f7f7f7f7f7f7f7fu) >> 7 & 0x0101010101010101u;
    std::uint64_t word;
    __builtin_memcpy(&word, codes + 8 * c, sizeof word);
    word |= bits << shift;
    __builtin_memcpy(codes + 8 * c, &word, sizeof word);
  }
}
/// The inverse: the product gathers bit 0 of every byte in the topmost one.
template <std::size_t N>
TESSERA_INLINE void take_bits(const std::uint8_t* codes, unsigned shift,
                              std::uint8_t* bytes) noexcept {
  for (std::size_t c = 0; c < N / 8; ++c) {
    std::uint64_t word;
    __builtin_memcpy(&word, codes + 8 * c, sizeof word);
    const std::uint64_t bits = word >> shift & 0x0101010101010101u;
    bytes[c] = static_cast<std::uint8_t>(bits * 0x0102040810204080u >> 56);
  }
}

}  // namespace internal

namespace format {

/// Base of the formats of blocks: what follows from split, join, level and scales.
template <class F>
struct BlockFormat {
  static constexpr bool is_float = false;

  /// A block to floats: level * scale, rounded, then + minus_min where the format has minima.
  template <class Block>
  TESSERA_INLINE static void dequantize_block(const Block& in, float* x) noexcept {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    float scale[F::group / F::scale_group];
    float minus_min[F::group / F::scale_group];
    F::split(in, codes, header);
    F::scales(header, scale, minus_min);
    for (std::size_t i = 0; i < F::group; ++i) {
      const std::size_t s = i / F::scale_group;
      const float product = rounded(static_cast<float>(F::level(codes[i])) * scale[s]);
      if constexpr (F::has_minima) {
        x[i] = product + minus_min[s];
      } else {
        x[i] = product;
      }
    }
  }

  /// The level of the i-th element.
  template <class Block>
  [[nodiscard]] TESSERA_INLINE static int code(const Block& in, std::size_t i) noexcept {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    F::split(in, codes, header);
    return F::level(codes[i]);
  }
  /// Stores a level where levels follow codes: level = code - code_offset.
  template <class Block>
  TESSERA_INLINE static void set_code(Block& b, std::size_t i, int level) noexcept {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes];
    F::split(b, codes, header);
    constexpr unsigned mask = (1u << F::code_bits) - 1;
    codes[i] = static_cast<std::uint8_t>(static_cast<unsigned>(level + F::code_offset) & mask);
    F::join(codes, header, b);
  }

 protected:
  /// A block whose values are all NaN: codes of level 0 and a first scale of 16 bits that is NaN.
  template <class Block>
  TESSERA_INLINE static void make_nan(Block& out) noexcept {
    std::uint8_t codes[F::group];
    std::uint8_t header[F::header_bytes] = {};
    for (std::size_t i = 0; i < F::group; ++i) codes[i] = F::code_offset;
    internal::write_half(header, Float16{0x7e00});
    F::join(codes, header, out);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_BLOCK_FORMAT_HPP_
