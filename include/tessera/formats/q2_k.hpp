// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q2_K: 256 codes of two bits; four-bit scales and minima of 16 elements, two f16 factors.
#ifndef TESSERA_FORMATS_Q2_K_HPP_
#define TESSERA_FORMATS_Q2_K_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/search.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 10: scales[16] (low nibble scale, high nibble minimum), qs[64], d f16,
/// dmin f16; value = d * scale * code - dmin * minimum. Element e is in byte 32 (e / 128) + e % 32 at
/// shift 2 (e % 128 / 32).
struct q2_K : BlockFormat<q2_K> {
  static constexpr const char* name = "q2_K";
  static constexpr FormatId id = FormatId::q2_K;
  static constexpr std::size_t group = 256;
  static constexpr std::size_t scale_group = 16;
  static constexpr std::size_t block_bytes = 84;
  static constexpr std::size_t header_bytes = 20;
  static constexpr std::size_t code_bits = 2;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = true;

  struct Block {
    std::uint8_t scales[16];
    std::uint8_t qs[64];
    Float16 d;
    Float16 dmin;
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published search (formats/search.hpp): per 16 elements, weights |x|, 15 trials;
  /// then codes anew against the rounded scales. A block that holds a NaN or an infinity becomes
  /// d = NaN, everything else 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    std::uint8_t scale[16];
    std::uint8_t minimum[16];
    detail::quantize_with_minima<detail::SearchQ2K>(x, codes, header, scale, minimum);
    for (std::size_t j = 0; j < 16; ++j)
      header[4 + j] = static_cast<std::uint8_t>(scale[j] | minimum[j] << 4);
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t q = 0; q < 4; ++q)
        for (std::size_t l = 0; l < 32; ++l)
          codes[128 * h + 32 * q + l] = static_cast<std::uint8_t>(b.qs[32 * h + l] >> 2 * q & 3u);
    internal::write_half(header, b.d);
    internal::write_half(header + 2, b.dmin);
    for (std::size_t j = 0; j < 16; ++j) header[4 + j] = b.scales[j];
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t l = 0; l < 32; ++l) {
        const std::uint8_t* c = codes + 128 * h + l;
        b.qs[32 * h + l] = static_cast<std::uint8_t>((c[0] & 3u) | (c[32] & 3u) << 2 |
                                                     (c[64] & 3u) << 4 | (c[96] & 3u) << 6);
      }
    b.d = internal::read_half(header);
    b.dmin = internal::read_half(header + 2);
    for (std::size_t j = 0; j < 16; ++j) b.scales[j] = header[4 + j];
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code);
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale,
                                    float* minus_min) noexcept {
    const float d = to_float(internal::read_half(header));
    const float dmin = to_float(internal::read_half(header + 2));
    for (std::size_t j = 0; j < 16; ++j) {
      scale[j] = rounded(d * static_cast<float>(header[4 + j] & 15u));
      minus_min[j] = -rounded(dmin * static_cast<float>(header[4 + j] >> 4));
    }
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q2_K_HPP_
