// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q3_K: 256 codes of three bits; six-bit scales of 16 elements and an f16 factor.
#ifndef TESSERA_FORMATS_Q3_K_HPP_
#define TESSERA_FORMATS_Q3_K_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/search.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 11: hmask[32], qs[64], scales[12], d f16; value = d * (scale - 32) *
/// (code - 4). The third bit of element e is bit e / 32 of hmask[e % 32], the others lie as in q2_K.
/// Scale j: low four bits in the nibbles of scales[0..7] (j >= 8: the high ones), the others at bits
/// 2 (j / 4) of scales[8 + j % 4].
struct q3_K : BlockFormat<q3_K> {
  static constexpr const char* name = "q3_K";
  static constexpr FormatId id = FormatId::q3_K;
  static constexpr std::size_t group = 256;
  static constexpr std::size_t scale_group = 16;
  static constexpr std::size_t block_bytes = 110;
  static constexpr std::size_t header_bytes = 14;
  static constexpr std::size_t code_bits = 3;
  static constexpr int code_offset = 4;
  static constexpr bool has_minima = false;

  struct Block {
    std::uint8_t hmask[32];
    std::uint8_t qs[64];
    std::uint8_t scales_bits[12];
    Float16 d;
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published search (formats/search.hpp): per 16 elements, weights x^2, up to five
  /// passes of coordinate descent; then codes anew against the rounded scales. A block that holds a NaN
  /// or an infinity becomes d = NaN with codes of level 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes] = {};
    std::uint8_t scale[16];
    detail::quantize_q3_k(x, codes, header, scale);
    for (std::size_t j = 0; j < 16; ++j) {
      const unsigned low = (scale[j] & 15u) << (j < 8 ? 0 : 4);
      const unsigned high = static_cast<unsigned>(scale[j] >> 4) << 2 * (j / 4);
      header[2 + j % 8] = static_cast<std::uint8_t>(header[2 + j % 8] | low);
      header[10 + j % 4] = static_cast<std::uint8_t>(header[10 + j % 4] | high);
    }
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t q = 0; q < 8; ++q)
      for (std::size_t l = 0; l < 32; ++l) {
        const unsigned low = b.qs[32 * (q / 4) + l] >> 2 * (q % 4) & 3u;
        codes[32 * q + l] = static_cast<std::uint8_t>(low | (b.hmask[l] >> q & 1u) << 2);
      }
    internal::write_half(header, b.d);
    for (std::size_t j = 0; j < 12; ++j) header[2 + j] = b.scales_bits[j];
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t l = 0; l < 32; ++l) {
        const std::uint8_t* c = codes + 128 * h + l;
        b.qs[32 * h + l] = static_cast<std::uint8_t>((c[0] & 3u) | (c[32] & 3u) << 2 |
                                                     (c[64] & 3u) << 4 | (c[96] & 3u) << 6);
      }
    for (std::size_t l = 0; l < 32; ++l) b.hmask[l] = 0;
    for (std::size_t q = 0; q < 8; ++q)
      for (std::size_t l = 0; l < 32; ++l)
        b.hmask[l] = static_cast<std::uint8_t>(b.hmask[l] | (codes[32 * q + l] >> 2 & 1u) << q);
    b.d = internal::read_half(header);
    for (std::size_t j = 0; j < 12; ++j) b.scales_bits[j] = header[2 + j];
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code) - code_offset;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    const float d = to_float(internal::read_half(header));
    for (std::size_t j = 0; j < 16; ++j) {
      const unsigned low = header[2 + j % 8] >> (j < 8 ? 0 : 4) & 15u;
      const unsigned high = header[10 + j % 4] >> 2 * (j / 4) & 3u;
      scale[j] = rounded(d * static_cast<float>(static_cast<int>(low | high << 4) - 32));
    }
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q3_K_HPP_
