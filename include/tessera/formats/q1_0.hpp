// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// q1_0: 128 signs and an f16 scale; value = d or -d.
#ifndef TESSERA_FORMATS_Q1_0_HPP_
#define TESSERA_FORMATS_Q1_0_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 41: d f16, then one bit per element, bit i % 8 of byte i / 8.
struct q1_0 : BlockFormat<q1_0> {
  static constexpr const char* name = "q1_0";
  static constexpr FormatId id = FormatId::q1_0;
  static constexpr std::size_t group = 128;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 18;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 1;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t bits[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule: d is the mean magnitude (summed in f32, in order), a bit is set
  /// where x >= 0. A block that holds a NaN or an infinity becomes d = NaN.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes];
    float sum = 0.0f;
    for (std::size_t i = 0; i < group; ++i) {
      sum += x[i] < 0 ? -x[i] : x[i];
      codes[i] = x[i] >= 0.0f ? 1 : 0;
    }
    internal::write_half(header, to_float16(sum / 128.0f));
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t i = 0; i < group; ++i) codes[i] = 0;
    internal::add_bits<128>(b.bits, 0, codes);
    internal::write_half(header, b.d);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    internal::take_bits<128>(codes, 0, b.bits);
    b.d = internal::read_half(header);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return 2 * static_cast<int>(code) - 1;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    for (std::size_t s = 0; s < 4; ++s) scale[s] = to_float(internal::read_half(header));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_Q1_0_HPP_
