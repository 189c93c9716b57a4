// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// nvfp4: 64 four-bit floats (E2M1), with an unsigned E4M3 scale for each 16.
#ifndef TESSERA_FORMATS_NVFP4_HPP_
#define TESSERA_FORMATS_NVFP4_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/level_tables.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 40: four scales, then 32 bytes; byte 8 s + j holds element j of
/// sub-block s in its low and element j + 8 in its high nibble; value = table[nibble] * scale / 2, the
/// table holding twice the E2M1 values (formats/level_tables.hpp).
struct nvfp4 : BlockFormat<nvfp4> {
  static constexpr const char* name = "nvfp4";
  static constexpr FormatId id = FormatId::nvfp4;
  static constexpr std::size_t group = 64;
  static constexpr std::size_t scale_group = 16;
  static constexpr std::size_t block_bytes = 36;
  static constexpr std::size_t header_bytes = 4;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    std::uint8_t d[4];
    std::uint8_t qs[32];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: a sub-block's scale is amax / 6 in E4M3, rounded half up (from 248
  /// on always 448, the largest); codes are the nearest values, the lowest code first. The format has
  /// neither NaN nor infinity: in a sub-block that holds one, every element saturates (NaN to the
  /// largest value).
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    for (std::size_t s = 0; s < 4; ++s) {
      const float* const sub = x + 16 * s;
      if (internal::all_finite(sub, 16)) {
        const float m = internal::signed_largest(sub, 16);
        header[s] = static_cast<std::uint8_t>(scale_code((m < 0 ? -m : m) / 6.0f));
        const float d = scale_of(header[s]);
        for (std::size_t i = 0; i < 16; ++i)
          codes[16 * s + i] = static_cast<std::uint8_t>(internal::nearest_small_float(sub[i], d));
      } else {
        header[s] = 0x7e;
        for (std::size_t i = 0; i < 16; ++i) codes[16 * s + i] = sub[i] < 0 ? 15 : 7;
      }
    }
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t s = 0; s < 4; ++s) {
      internal::split_nibbles<8>(b.qs + 8 * s, codes + 16 * s);
      header[s] = b.d[s];
    }
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t s = 0; s < 4; ++s) {
      internal::join_nibbles<8>(codes + 16 * s, b.qs + 8 * s);
      b.d[s] = header[s];
    }
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return internal::small_float_levels[code];
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    for (std::size_t s = 0; s < 4; ++s) scale[s] = scale_of(header[s]);
  }

 private:
  /// Half of what the code stands for; codes 0 and 0x7f are 0, bit 7 of others is ignored.
  TESSERA_INLINE static float scale_of(unsigned code) noexcept {
    if (code == 0 || code == 0x7f) return 0.0f;
    const unsigned exponent = code >> 3 & 15u;
    const unsigned mantissa = code & 7u;
    if (exponent == 0) return static_cast<float>(mantissa) * 0x1p-10f;
    return from_bits((exponent + 119u) << 23 | mantissa << 20);
  }
  /// To E4M3; x >= 0.
  TESSERA_INLINE static unsigned scale_code(float x) noexcept {
    if (!(x > 0.0f)) return 0;
    if (x > 448.0f) x = 448.0f;
    const int exponent = static_cast<int>(bits_of(x) >> 23) - 120;
    if (exponent <= 0) {
      const auto mantissa = static_cast<unsigned>(rounded(x * 512.0f) + 0.5f);
      return mantissa > 7 ? 7 : mantissa;
    }
    // A carry out of the mantissa goes to the exponent by itself.
    const unsigned code =
        (static_cast<unsigned>(exponent) << 3 | (bits_of(x) >> 20 & 7u)) + (bits_of(x) >> 19 & 1u);
    return code >= 15u << 3 ? 0x7eu : code;
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_NVFP4_HPP_
