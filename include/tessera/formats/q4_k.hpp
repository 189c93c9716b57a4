// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q4_K: 256 nibbles; six-bit scales and minima of 32 elements, two f16 factors.
#ifndef TESSERA_FORMATS_Q4_K_HPP_
#define TESSERA_FORMATS_Q4_K_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/search.hpp"
#include "tessera/formats/six_bits.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 12: d f16, dmin f16, 12 bytes of scales and minima
/// (formats/six_bits.hpp), 128 bytes of nibbles; value = d * scale * nibble - dmin * minimum. Sub-block
/// j is in bytes 32 (j / 2)..., the low nibbles for even j, the high ones for odd j.
struct q4_K : BlockFormat<q4_K> {
  static constexpr const char* name = "q4_K";
  static constexpr FormatId id = FormatId::q4_K;
  static constexpr std::size_t group = 256;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 144;
  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = true;

  struct Block {
    Float16 d;
    Float16 dmin;
    std::uint8_t scales_bits[12];
    std::uint8_t qs[128];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published search (formats/search.hpp): per 32 elements, weights |x| + root mean
  /// square, 21 trials; then codes anew against the rounded scales. A block that holds a NaN or an
  /// infinity becomes d = NaN, everything else 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    std::uint8_t scale[8];
    std::uint8_t minimum[8];
    detail::quantize_with_minima<detail::SearchQ4K>(x, codes, header, scale, minimum);
    internal::join_six_bits(scale, minimum, header + 4);
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t p = 0; p < 4; ++p) internal::split_nibbles<32>(b.qs + 32 * p, codes + 64 * p);
    internal::write_half(header, b.d);
    internal::write_half(header + 2, b.dmin);
    for (std::size_t j = 0; j < 12; ++j) header[4 + j] = b.scales_bits[j];
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t p = 0; p < 4; ++p) internal::join_nibbles<32>(codes + 64 * p, b.qs + 32 * p);
    b.d = internal::read_half(header);
    b.dmin = internal::read_half(header + 2);
    for (std::size_t j = 0; j < 12; ++j) b.scales_bits[j] = header[4 + j];
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code);
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale,
                                    float* minus_min) noexcept {
    const float d = to_float(internal::read_half(header));
    const float dmin = to_float(internal::read_half(header + 2));
    for (std::size_t j = 0; j < 8; ++j) {
      scale[j] = rounded(d * static_cast<float>(internal::six_bit_scale(header + 4, j)));
      minus_min[j] = -rounded(dmin * static_cast<float>(internal::six_bit_minimum(header + 4, j)));
    }
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q4_K_HPP_
