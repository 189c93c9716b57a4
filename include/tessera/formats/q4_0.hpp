// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q4_0: 32 nibbles and an f16 scale; value = (nibble - 8) * d.
#ifndef TESSERA_FORMATS_Q4_0_HPP_
#define TESSERA_FORMATS_Q4_0_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/format_id.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 2: d f16, then 16 bytes; byte j holds element j in its low and
/// element j + 16 in its high nibble (18 bytes, 2-byte aligned).
struct q4_0 {
  static constexpr const char* name = "q4_0";
  static constexpr FormatId id = FormatId::q4_0;
  static constexpr bool is_float = false;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t block_bytes = 18;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 8;

  struct Block {
    Float16 d;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block from 32 floats by the format's published rule: m is the first element of largest
  /// magnitude with its sign, d = m / -8, nibble = min(15, trunc(x / d + 8.5)). Overflow: above
  /// |m| = 8 * 65504, d is infinite. A block that holds a NaN or an infinity becomes d = NaN with
  /// nibbles 8 (zero).
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    float amax = 0.0f;
    float m = 0.0f;
    bool finite = true;
    for (std::size_t i = 0; i < group; ++i) {
      const float a = x[i] < 0 ? -x[i] : x[i];
      finite = finite && is_finite(x[i]);
      if (a > amax) amax = a, m = x[i];
    }
    const float d = finite ? m / -8.0f : quiet_nan;
    const float id = d > 0.0f || d < 0.0f ? 1.0f / d : 0.0f;
    for (std::size_t j = 0; j < 16; ++j) {
      const unsigned low = finite ? nibble_of(x[j], id) : 8u;
      const unsigned high = finite ? nibble_of(x[j + 16], id) : 8u;
      out.qs[j] = static_cast<std::uint8_t>(low | high << 4);
    }
    out.d = to_float16(d);
  }

  /// 32 floats from one block, each (nibble - 8) * d (one rounding).
  TESSERA_INLINE static void dequantize_block(const Block& in, float* x) noexcept {
    const float d = to_float(in.d);
    for (std::size_t i = 0; i < group; ++i) x[i] = rounded(static_cast<float>(code(in, i)) * d);
  }

  /// The i-th code with the offset taken off: -8..7.
  [[nodiscard]] TESSERA_INLINE static int code(const Block& b, std::size_t i) noexcept {
    const unsigned byte = b.qs[i % 16];
    return static_cast<int>(i < 16 ? byte & 15u : byte >> 4) - code_offset;
  }
  /// Stores the i-th code, -8..7.
  TESSERA_INLINE static void set_code(Block& b, std::size_t i, int code) noexcept {
    const auto nibble = static_cast<unsigned>(code + code_offset) & 15u;
    const unsigned byte = b.qs[i % 16];
    b.qs[i % 16] =
        static_cast<std::uint8_t>(i < 16 ? (byte & 0xf0u) | nibble : (byte & 0x0fu) | nibble << 4);
  }

 private:
  TESSERA_INLINE static unsigned nibble_of(float x, float id) noexcept {
    const float shifted = rounded(x * id) + 8.5f;
    if (!(shifted > 0.0f))
      return 0;  // also the NaN of 0 * inf, when 1/d of a subnormal d overflows
    return shifted >= 15.0f ? 15u : static_cast<unsigned>(shifted);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q4_0_HPP_
