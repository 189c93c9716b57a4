// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// iq4_nl: 32 nibbles that index a fixed table of unequal steps, and an f16 scale.
#ifndef TESSERA_FORMATS_IQ4_NL_HPP_
#define TESSERA_FORMATS_IQ4_NL_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/level_tables.hpp"
#include "tessera/formats/search.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Byte-compatible with GGUF type 20: d f16, then nibbles as in q4_0; value = table[nibble] * d
/// (formats/level_tables.hpp).
struct iq4_nl : BlockFormat<iq4_nl> {
  static constexpr const char* name = "iq4_nl";
  static constexpr FormatId id = FormatId::iq4_nl;
  static constexpr std::size_t group = 32;
  static constexpr std::size_t scale_group = 32;
  static constexpr std::size_t block_bytes = 18;
  static constexpr std::size_t header_bytes = 2;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 0;
  static constexpr bool has_minima = false;

  struct Block {
    Float16 d;
    std::uint8_t qs[16];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block by the published rule of run-time quantisation: codes are the nearest table entries of
  /// x * (1 / d) with d = m / -127, m the first element of largest magnitude with its sign; the stored
  /// scale is the least-squares one for these codes, weighted by x^2. Below 1e-15 everything is 0. A
  /// block that holds a NaN or an infinity becomes d = NaN.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    if (!internal::all_finite(x, group)) return make_nan(out);
    std::uint8_t codes[group] = {};
    std::uint8_t header[header_bytes];
    const float d = detail::search_table_scale(x, group, 0, codes);
    internal::write_half(header, internal::stored_scale(d));
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
    return internal::unequal_levels[code];
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale, float*) noexcept {
    scale[0] = to_float(internal::read_half(header));
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_IQ4_NL_HPP_
