// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q5_0: 32 codes of five bits and an f16 scale; value = (code - 16) * d.
#ifndef TESSERA_FORMATS_Q5_0_HPP_
#define TESSERA_FORMATS_Q5_0_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 6: d f16, 32 fifth bits (bit i of element i), then the low nibbles as
/// in q4_0.
struct q5_0 : BlockFormat<q5_0> {
  static constexpr const char* name = "q5_0";
  static constexpr FormatId id = FormatId::q5_0;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 22;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 5;
  static constexpr int code_offset = 16;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t qh[4];
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: m is the first element of largest magnitude with its sign,
  /// d = m / -16, code = min(31, trunc(x * (1 / d) + 16.5)) against the unrounded d. Above
  /// |m| = 16 * 65504, d is infinite. A block that holds a NaN or an infinity becomes d = NaN with
  /// codes of level 0.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    const float d = internal::signed_largest(x, group) / -16.0f;
    const float inverse = d != 0.0f ? 1.0f / d : 0.0f;
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    for (std::size_t i = 0; i < group; ++i) {
      const float shifted = rounded(x[i] * inverse) + 16.5f;
      // Not above 0: also the NaN of 0 * inf, when 1 / d of a subnormal d overflows.
      const unsigned code = !(shifted > 0.0f)  ? 0u
                            : shifted >= 31.0f ? 31u
                                               : static_cast<unsigned>(shifted);
      codes[i] = static_cast<std::uint8_t>(code);
    }
    internal::write_half(header, to_float16(d));
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    internal::split_nibbles<16>(b.qs, codes);
    internal::add_bits<32>(b.qh, 4, codes);
    internal::write_half(header, b.d);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    internal::join_nibbles<16>(codes, b.qs);
    internal::take_bits<32>(codes, 4, b.qh);
    b.d = internal::read_half(header);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code) - code_offset;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    scale[0] = to_float(internal::read_half(header));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q5_0_HPP_
