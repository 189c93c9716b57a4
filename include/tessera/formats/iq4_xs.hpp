// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// iq4_xs: 256 nibbles that index a fixed table; six-bit scales of 32 elements, an f16 factor.
#ifndef TESSERA_FORMATS_IQ4_XS_HPP_
#define TESSERA_FORMATS_IQ4_XS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/level_tables.hpp"
#include "tessera/formats/search.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 23: d f16, scales_h u16, scales_l[4], 8 x 16 bytes of nibbles as in
/// q4_0; value = d * (scale - 32) * table[nibble] (formats/level_tables.hpp). Scale j: low four bits in
/// nibble j % 2 of scales_l[j / 2], the others at bits 2 j of scales_h.
struct iq4_xs : BlockFormat<iq4_xs> {
  static constexpr const char* name = "iq4_xs";
  static constexpr FormatId id = FormatId::iq4_xs;
  static constexpr std::size_t group = 256;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 136;
  static constexpr std::size_t header_bytes = 8;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t scales_h[2];
    std::uint8_t scales_l[4];
    std::uint8_t qs[128];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published search (formats/search.hpp): per 32 elements, weights x^2, 15 trials;
  /// then codes anew against the rounded scales. A block that holds a NaN or an infinity becomes
  /// d = NaN, everything else 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes] = {};
    std::uint8_t scale[8];
    detail::quantize_iq4_xs(x, codes, header, scale);
    for (std::size_t j = 0; j < 8; ++j) {
      const unsigned high = static_cast<unsigned>(scale[j] >> 4) << 2 * (j % 4);
      const unsigned low = (scale[j] & 15u) << 4 * (j % 2);
      header[2 + j / 4] = static_cast<std::uint8_t>(header[2 + j / 4] | high);
      header[4 + j / 2] = static_cast<std::uint8_t>(header[4 + j / 2] | low);
    }
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t s = 0; s < 8; ++s) internal::split_nibbles<16>(b.qs + 16 * s, codes + 32 * s);
    internal::write_half(header, b.d);
    for (std::size_t j = 0; j < 2; ++j) header[2 + j] = b.scales_h[j];
    for (std::size_t j = 0; j < 4; ++j) header[4 + j] = b.scales_l[j];
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t s = 0; s < 8; ++s) internal::join_nibbles<16>(codes + 32 * s, b.qs + 16 * s);
    b.d = internal::read_half(header);
    for (std::size_t j = 0; j < 2; ++j) b.scales_h[j] = header[2 + j];
    for (std::size_t j = 0; j < 4; ++j) b.scales_l[j] = header[4 + j];
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return internal::unequal_levels[code];
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    const float d = to_float(internal::read_half(header));
    for (std::size_t j = 0; j < 8; ++j) {
      const unsigned low = header[4 + j / 2] >> 4 * (j % 2) & 15u;
      const unsigned high = header[2 + j / 4] >> 2 * (j % 4) & 3u;
      scale[j] = rounded(d * static_cast<float>(static_cast<int>(low | high << 4) - 32));
    }
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_IQ4_XS_HPP_
