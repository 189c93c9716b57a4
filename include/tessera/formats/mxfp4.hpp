// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// mxfp4: 32 four-bit floats (E2M1) and a scale that is a power of two (E8M0).
#ifndef TESSERA_FORMATS_MXFP4_HPP_
#define TESSERA_FORMATS_MXFP4_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/level_tables.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 39: e u8, then nibbles as in q4_0; value = table[nibble] * 2^(e - 128),
/// the table holding twice the E2M1 values (formats/level_tables.hpp).
struct mxfp4 : BlockFormat<mxfp4> {
  static constexpr const char* name = "mxfp4";
  static constexpr FormatId id = FormatId::mxfp4;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 17;
  static constexpr std::size_t header_bytes = 1;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    std::uint8_t e;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: e = 127 - 2 + floor(log2 amax), 0 for a block of zeros and for
  /// amax below 2^-125; codes are the nearest values, the lowest code first. The format has no NaN: a
  /// block that holds a NaN or an infinity becomes one of infinities (e = 255, codes 7).
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes] = {255};
    for (std::size_t i = 0; i < group; ++i) codes[i] = 7;
    if (internal::all_finite(x, group)) {
      const float m = internal::signed_largest(x, group);
      const unsigned exponent = (bits_of(m) >> 23) & 255u;
      header[0] = static_cast<std::uint8_t>(exponent < 2 ? 0 : exponent - 2);
      const float d = scale_of(header[0]);
      for (std::size_t i = 0; i < group; ++i)
        codes[i] = static_cast<std::uint8_t>(internal::nearest_small_float(x[i], d));
    }
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    internal::split_nibbles<16>(b.qs, codes);
    header[0] = b.e;
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    internal::join_nibbles<16>(codes, b.qs);
    b.e = header[0];
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return internal::small_float_levels[code];
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    scale[0] = scale_of(header[0]);
  }

 private:
  /// 2^(e - 128); the two smallest are subnormal.
  TESSERA_INLINE static float scale_of(unsigned e) noexcept {
    return from_bits(e < 2 ? 0x00200000u << e : (e - 1) << 23);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_MXFP4_HPP_
