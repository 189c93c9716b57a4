// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q4_mid: 32 nibbles and an f16 scale; value = (2 * nibble - 15) * d, so that no value is 0.
#ifndef TESSERA_FORMATS_Q4_MID_HPP_
#define TESSERA_FORMATS_Q4_MID_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// d f16, then 16 bytes; byte j holds element j in its low and element j + 16 in its high nibble.
struct q4_mid : BlockFormat<q4_mid> {
  static constexpr const char* name = "q4_mid";
  static constexpr FormatId id = FormatId::q4_mid;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 18;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 7;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// d = amax / 15, code = the nearest. A block that holds a NaN or an infinity becomes d = NaN.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    const float most = internal::signed_largest(x, group);
    const float d = (most < 0 ? -most : most) / 15.0f;
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    for (std::size_t i = 0; i < group; ++i) {
      const float steps = d > 0.0f ? (x[i] / d + 15.0f) * 0.5f + 0.5f : 7.0f;
      codes[i] = static_cast<std::uint8_t>(steps >= 15.0f ? 15.0f : steps);
    }
    internal::write_half(header, to_float16(d));
    join(codes, header, out);
  }
  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    internal::split_nibbles<16>(b.qs, codes);
    internal::write_half(header, b.d);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    internal::join_nibbles<16>(codes, b.qs);
    b.d = internal::read_half(header);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return 2 * static_cast<int>(code) - 15;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    scale[0] = to_float(internal::read_half(header));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q4_MID_HPP_
