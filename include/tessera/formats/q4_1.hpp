// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q4_1: 32 nibbles, an f16 scale and an f16 minimum; value = nibble * d + m.
#ifndef TESSERA_FORMATS_Q4_1_HPP_
#define TESSERA_FORMATS_Q4_1_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 3: d f16, m f16, then 16 bytes; byte j holds element j in its low and
/// element j + 16 in its high nibble.
struct q4_1 : BlockFormat<q4_1> {
  static constexpr const char* name = "q4_1";
  static constexpr FormatId id = FormatId::q4_1;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 20;
  static constexpr std::size_t header_bytes = 4;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = true;

  struct Block {
    Float16 d;
    Float16 m;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: d = (max - min) / 15, m = min, code = min(15, trunc((x - m) *
  /// (1 / d) + 0.5)) against the unrounded d and m. A block that holds a NaN or an infinity becomes
  /// d = NaN, m = 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    float low = x[0];
    float high = x[0];
    for (std::size_t i = 1; i < group; ++i) {
      if (x[i] < low) low = x[i];
      if (x[i] > high) high = x[i];
    }
    const float d = (high - low) / 15.0f;
    const float inverse = d > 0.0f ? 1.0f / d : 0.0f;
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    for (std::size_t i = 0; i < group; ++i) {
      const float shifted = rounded((x[i] - low) * inverse) + 0.5f;
      // Not above 0: the NaN of 0 * inf, when 1 / d of a subnormal d overflows.
      const unsigned code = !(shifted > 0.0f)  ? 0u
                            : shifted >= 15.0f ? 15u
                                               : static_cast<unsigned>(shifted);
      codes[i] = static_cast<std::uint8_t>(code);
    }
    internal::write_half(header, to_float16(d));
    internal::write_half(header + 2, to_float16(low));
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    internal::split_nibbles<16>(b.qs, codes);
    internal::write_half(header, b.d);
    internal::write_half(header + 2, b.m);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    internal::join_nibbles<16>(codes, b.qs);
    b.d = internal::read_half(header);
    b.m = internal::read_half(header + 2);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code);
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale,
                                    float* minus_min) noexcept {
    scale[0] = to_float(internal::read_half(header));
    minus_min[0] = to_float(internal::read_half(header + 2));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q4_1_HPP_
