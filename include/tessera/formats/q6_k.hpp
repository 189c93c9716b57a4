// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q6_K: 256 codes of six bits; signed eight-bit scales of 16 elements and an f16 factor.
#ifndef TESSERA_FORMATS_Q6_K_HPP_
#define TESSERA_FORMATS_Q6_K_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/search.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 14: ql[128], qh[64], scales i8[16], d f16; value = d * scale *
/// (code - 32). Element e, with h = e / 128, g = e % 128 / 32, l = e % 32: low nibble in ql[64 h + l +
/// 32 (g & 1)] (g < 2: the low one), the other two bits at shift 2 g of qh[32 h + l].
struct q6_K : BlockFormat<q6_K> {
  static constexpr const char* name = "q6_K";
  static constexpr FormatId id = FormatId::q6_K;
  static constexpr std::size_t group = 256;
  static constexpr std::size_t scale_group = 16;
  static constexpr std::size_t block_bytes = 210;
  static constexpr std::size_t header_bytes = 18;
  static constexpr std::size_t code_bits = 6;
  static constexpr int code_offset = 32;
  static constexpr bool has_minima = false;

  struct Block {
    std::uint8_t ql[128];
    std::uint8_t qh[64];
    std::int8_t scales_codes[16];
    Float16 d;
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published search (formats/search.hpp): per 16 elements, weights x^2, 18 trials;
  /// then codes anew against the rounded scales. A block that is 0 (below 1e-15) is all zero bytes. A
  /// block that holds a NaN or an infinity becomes d = NaN with codes of level 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    detail::quantize_q6_k(x, codes, header);
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t h = 0; h < 2; ++h) {
      internal::split_nibbles<64>(b.ql + 64 * h, codes + 128 * h);
      for (std::size_t g = 0; g < 4; ++g)
        for (std::size_t l = 0; l < 32; ++l) {
          std::uint8_t& c = codes[128 * h + 32 * g + l];
          c = static_cast<std::uint8_t>(c | (b.qh[32 * h + l] >> 2 * g & 3u) << 4);
        }
    }
    internal::write_half(header, b.d);
    for (std::size_t j = 0; j < 16; ++j)
      header[2 + j] = static_cast<std::uint8_t>(b.scales_codes[j]);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t h = 0; h < 2; ++h) {
      internal::join_nibbles<64>(codes + 128 * h, b.ql + 64 * h);
      for (std::size_t l = 0; l < 32; ++l) {
        const std::uint8_t* c = codes + 128 * h + l;
        b.qh[32 * h + l] =
            static_cast<std::uint8_t>((c[0] >> 4 & 3u) | (c[32] >> 4 & 3u) << 2 |
                                      (c[64] >> 4 & 3u) << 4 | (c[96] >> 4 & 3u) << 6);
      }
    }
    b.d = internal::read_half(header);
    for (std::size_t j = 0; j < 16; ++j)
      b.scales_codes[j] = static_cast<std::int8_t>(header[2 + j]);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code) - code_offset;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    const float d = to_float(internal::read_half(header));
    for (std::size_t j = 0; j < 16; ++j)
      scale[j] = rounded(d * static_cast<float>(static_cast<std::int8_t>(header[2 + j])));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q6_K_HPP_
