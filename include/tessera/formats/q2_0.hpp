// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q2_0: 64 codes of two bits and an f16 scale; value = (code - 1) * d.
#ifndef TESSERA_FORMATS_Q2_0_HPP_
#define TESSERA_FORMATS_Q2_0_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 42: d f16, then element i at bits 2 * (i % 4) of byte i / 4.
struct q2_0 : BlockFormat<q2_0> {
  static constexpr const char* name = "q2_0";
  static constexpr FormatId id = FormatId::q2_0;
  static constexpr std::size_t group = 64;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 18;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 2;
  static constexpr int code_offset = 1;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: d = amax, code = min(3, max(0, round half away from zero of x / d,
  /// + 1)). A block that holds a NaN or an infinity becomes d = NaN with codes of level 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    const float m = internal::signed_largest(x, group);
    const float d = m < 0 ? -m : m;
    const float inverse = d > 0.0f ? 1.0f / d : 0.0f;
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    for (std::size_t i = 0; i < group; ++i) {
      const float scaled = rounded(x[i] * inverse);
      codes[i] = scaled >= 0.5f ? 2 : scaled <= -0.5f ? 0 : 1;
    }
    internal::write_half(header, to_float16(d));
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t c = 0; c < 16; ++c) {  // four codes at once, one in each byte of a word
      const std::uint32_t q = b.qs[c];
      const std::uint32_t word = (q | q << 6 | q << 12 | q << 18) & 0x03030303u;
      __builtin_memcpy(codes + 4 * c, &word, sizeof word);
    }
    internal::write_half(header, b.d);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t c = 0; c < 16; ++c) {
      std::uint32_t word;
      __builtin_memcpy(&word, codes + 4 * c, sizeof word);
      word &= 0x03030303u;
      b.qs[c] = static_cast<std::uint8_t>(word | word >> 6 | word >> 12 | word >> 18);
    }
    b.d = internal::read_half(header);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code) - code_offset;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    for (std::size_t s = 0; s < 2; ++s) scale[s] = to_float(internal::read_half(header));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q2_0_HPP_
