// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q8_0: 32 signed bytes and an f16 scale; value = code * d.
#ifndef TESSERA_FORMATS_Q8_0_HPP_
#define TESSERA_FORMATS_Q8_0_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 8: d f16, then 32 int8 codes (34 bytes, 2-byte aligned).
struct q8_0 : BlockFormat<q8_0> {
  static constexpr const char* name = "q8_0";
  static constexpr FormatId id = FormatId::q8_0;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 34;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 8;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::int8_t qs[32];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block from 32 floats by the format's published rule: d = amax / 127, codes rounded half away
  /// from zero against the unrounded d. Overflow: above amax = 127 * 65504, d is +inf. A block that
  /// holds a NaN or an infinity becomes d = NaN with zero codes.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    float amax = 0.0f;
    bool finite = true;
    for (std::size_t i = 0; i < group; ++i) {
      const float a = x[i] < 0 ? -x[i] : x[i];
      finite = finite && is_finite(x[i]);
      amax = a > amax ? a : amax;
    }
    const float d = finite ? amax / 127.0f : quiet_nan;
    const float id = d > 0.0f ? 1.0f / d : 0.0f;
    for (std::size_t i = 0; i < group; ++i) out.qs[i] = finite ? code_of(x[i], id) : std::int8_t{0};
    out.d = to_float16(d);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t i = 0; i < group; ++i) codes[i] = static_cast<std::uint8_t>(b.qs[i]);
    internal::write_half(header, b.d);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t i = 0; i < group; ++i) b.qs[i] = static_cast<std::int8_t>(codes[i]);
    b.d = internal::read_half(header);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<std::int8_t>(code);
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    scale[0] = to_float(internal::read_half(header));
  }

 private:
  TESSERA_INLINE static std::int8_t code_of(float x, float id) noexcept {
    const float scaled = rounded(x * id);
    if (!(scaled > -128.0f)) return -128;  // 1/d of a subnormal d may be infinite; 0 * inf is NaN
    if (scaled > 127.0f) return 127;
    const int whole = static_cast<int>(scaled);
    const float rest = scaled - static_cast<float>(whole);
    return static_cast<std::int8_t>(whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q8_0_HPP_
