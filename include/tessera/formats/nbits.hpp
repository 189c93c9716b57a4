// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights of four bits as ONNX Runtime's operator MatMulNBits has them (`bits` = 4): blocks of 16 to 256
/// codes along a row with a scale in f32 or f16 each, and perhaps a zero point of four bits, else 8.
///
/// value = scale * (code - zero point), carried as level * scale + minus_min with level = code - 8 and
/// minus_min = -(scale * (zero point - 8)): the product rounded once to f32 (exact for an f16 scale,
/// whose 11 bits times 4 fit), and no more than a zero for a zero point of 8.
#ifndef TESSERA_FORMATS_NBITS_HPP_
#define TESSERA_FORMATS_NBITS_HPP_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"

TESSERA_NAMESPACE_BEGIN

/// A format of this file.
template <class F>
concept NBitsFormat = requires {
  typename F::Scale;
  F::has_zero_points;
};

namespace internal {

/// Overloads ask for the views of formats that have none.
template <class F>
struct NBitsScale {
  using type = void;
};
template <NBitsFormat F>
struct NBitsScale<F> {
  using type = typename F::Scale;
};

}  // namespace internal

/// The operand as the operator has it: three arrays, row after row. A row is div_up(cols, block size)
/// blocks; codes lie low nibble first, block / 2 bytes a block, the last one whole.
template <class F>
struct NBitsView {
  const std::uint8_t* codes = nullptr;
  const typename internal::NBitsScale<F>::type* scales = nullptr;  ///< one a block
  /// Two blocks a byte, low nibble first, rows in whole bytes; not read by a format without.
  const std::uint8_t* zero_points = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
};

/// The same to write to.
template <class F>
struct NBitsOutput {
  std::uint8_t* codes = nullptr;
  typename internal::NBitsScale<F>::type* scales = nullptr;
  std::uint8_t* zero_points = nullptr;
};

namespace internal {

struct NBitsName {
  char text[16] = {};
  constexpr NBitsName(std::size_t elements, bool half, bool zero_points) noexcept {
    std::size_t at = 0;
    for (const char c : {'n', 'b', 'i', 't', 's'}) text[at++] = c;
    for (std::size_t unit = elements < 100 ? 10 : 100; unit != 0; unit /= 10)
      text[at++] = static_cast<char>('0' + elements / unit % 10);
    for (const char c : {'_', 'f', half ? '1' : '3', half ? '6' : '2'}) text[at++] = c;
    if (zero_points) text[at++] = 'z';
  }
};
template <std::size_t Elements, bool Half, bool ZeroPoints>
inline constexpr NBitsName nbits_name{Elements, Half, ZeroPoints};

}  // namespace internal

namespace format {

/// Elements: of a scale, 16, 32, 64, 128 or 256; S: float or Float16; ZeroPoints: are there any? Blocks of
/// 16 come in pairs, of which an odd number's last has a second one of scale 0.
template <std::size_t Elements, class S, bool ZeroPoints>
struct nbits : BlockFormat<nbits<Elements, S, ZeroPoints>> {
  static_assert(Elements == 16 || Elements == 32 || Elements == 64 || Elements == 128 ||
                Elements == 256);
  static_assert(std::is_same_v<S, float> || std::is_same_v<S, Float16>);
  using Scale = S;
  static constexpr std::size_t elements = Elements;
  static constexpr bool has_zero_points = ZeroPoints;
  static constexpr std::size_t group = Elements < 32 ? 32 : Elements;
  static constexpr std::size_t scale_group = Elements < 32 ? 16 : 32;
  static constexpr std::size_t scales_of_block = group / Elements;
  static constexpr std::size_t header_bytes = scales_of_block * sizeof(S) + (ZeroPoints ? 1 : 0);
  static constexpr std::size_t block_bytes = header_bytes + group / 2;
  static constexpr std::size_t code_bits = 4;
  static constexpr int code_offset = 8;
  static constexpr bool has_minima = ZeroPoints;
  /// No number of a GGUF file: 0x4e420000 + elements + 1 for f16 + 2 for zero points.
  static constexpr auto id = static_cast<FormatId>(
      0x4e420000u + Elements + (sizeof(S) == 2 ? 1u : 0u) + (ZeroPoints ? 2u : 0u));

  /// nbits32_f16, nbits128_f32z
  static constexpr const char *name = internal::nbits_name < Elements,
                              sizeof(S) == 2, ZeroPoints >.text;

  struct Block {
    std::uint8_t header[header_bytes];  ///< scales, then zero points in nibbles
    std::uint8_t qs[group / 2];
  };
  static_assert(sizeof(Block) == block_bytes);

  /// One block from floats. Without zero points: scale = m / -8, m the first element of largest
  /// magnitude, signed. With: scale = (high - low) / 15, zero point = nearest-even(-low / scale), `low` and
  /// `high` the least and largest element or 0. The scale rounded to S, code = nearest-even(x / scale +
  /// zero point) within 0..15. A NaN or an infinity among the elements of a scale makes it NaN.
  TESSERA_INLINE static void quantize_block(const float* x, Block& out) noexcept {
    std::uint8_t codes[group];
    std::uint8_t header[header_bytes] = {};
    for (std::size_t s = 0; s < scales_of_block; ++s)
      quantize_scale(x + s * Elements, s, codes + s * Elements, header);
    join(codes, header, out);
  }

  TESSERA_INLINE static void split(const Block& b, std::uint8_t* codes,
                                   std::uint8_t* header) noexcept {
    for (std::size_t i = 0; i < group / 2; ++i) {
      codes[2 * i] = b.qs[i] & 15u;
      codes[2 * i + 1] = static_cast<std::uint8_t>(b.qs[i] >> 4);
    }
    __builtin_memcpy(header, b.header, header_bytes);
  }
  TESSERA_INLINE static void join(const std::uint8_t* codes, const std::uint8_t* header,
                                  Block& b) noexcept {
    for (std::size_t i = 0; i < group / 2; ++i)
      b.qs[i] = static_cast<std::uint8_t>((codes[2 * i] & 15u) | (codes[2 * i + 1] & 15u) << 4);
    __builtin_memcpy(b.header, header, header_bytes);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned code) noexcept {
    return static_cast<int>(code) - 8;
  }
  TESSERA_INLINE static void scales(const std::uint8_t* header, float* scale,
                                    float* minus_min) noexcept {
    for (std::size_t g = 0; g < group / scale_group; ++g) {
      const std::size_t s = g * scale_group / Elements;
      scale[g] = to_float(scale_at(header, s));
      if constexpr (ZeroPoints)
        minus_min[g] = rounded(scale[g] * static_cast<float>(8 - zero_point(header, s)));
    }
  }

  /// Block `b` of row `row` of the operand; what is not there has scale 0 and codes 8.
  TESSERA_INLINE static void gather(const NBitsView<nbits>& w, std::size_t row, std::size_t b,
                                    Block& out) noexcept {
    const std::size_t blocks = (w.cols + Elements - 1) / Elements;
    for (std::size_t s = 0; s < scales_of_block; ++s) {
      const std::size_t at = b * scales_of_block + s;
      S scale = {};
      int zero = 8;
      if (at < blocks) {
        scale = w.scales[row * blocks + at];
        if constexpr (ZeroPoints)
          zero = w.zero_points[row * ((blocks + 1) / 2) + at / 2] >> at % 2 * 4 & 15;
        __builtin_memcpy(out.qs + s * (Elements / 2),
                         w.codes + (row * blocks + at) * (Elements / 2), Elements / 2);
      } else {
        __builtin_memset(out.qs + s * (Elements / 2), 0x88, Elements / 2);
      }
      set_scale(out.header, s, scale);
      set_zero_point(out.header, s, zero);
    }
  }
  /// The inverse; nibbles of the zero points behind a row's last block become 0.
  TESSERA_INLINE static void scatter(const Block& in, std::size_t cols, std::size_t row,
                                     std::size_t b, const NBitsOutput<nbits>& out) noexcept {
    const std::size_t blocks = (cols + Elements - 1) / Elements;
    for (std::size_t s = 0; s < scales_of_block; ++s) {
      const std::size_t at = b * scales_of_block + s;
      if (at >= blocks) return;
      out.scales[row * blocks + at] = scale_at(in.header, s);
      if constexpr (ZeroPoints) {
        std::uint8_t& pair = out.zero_points[row * ((blocks + 1) / 2) + at / 2];
        const int zero = zero_point(in.header, s);
        pair = static_cast<std::uint8_t>(at % 2 == 0 ? zero : (pair & 15) | zero << 4);
      }
      __builtin_memcpy(out.codes + (row * blocks + at) * (Elements / 2), in.qs + s * (Elements / 2),
                       Elements / 2);
    }
  }

 private:
  TESSERA_INLINE static S scale_at(const std::uint8_t* header, std::size_t s) noexcept {
    S scale;
    __builtin_memcpy(&scale, header + s * sizeof(S), sizeof(S));
    return scale;
  }
  TESSERA_INLINE static void set_scale(std::uint8_t* header, std::size_t s, S scale) noexcept {
    __builtin_memcpy(header + s * sizeof(S), &scale, sizeof(S));
  }
  TESSERA_INLINE static int zero_point(const std::uint8_t* header, std::size_t s) noexcept {
    return header[header_bytes - 1] >> s * 4 & 15;
  }
  TESSERA_INLINE static void set_zero_point(std::uint8_t* header, std::size_t s,
                                            int zero) noexcept {
    if constexpr (ZeroPoints) {
      std::uint8_t& pair = header[header_bytes - 1];
      pair = static_cast<std::uint8_t>(s == 0 ? zero : (pair & 15) | zero << 4);
    }
  }
  TESSERA_INLINE static S stored(float scale) noexcept {
    if constexpr (std::is_same_v<S, float>) {
      return scale != scale ? quiet_nan : scale;
    } else {
      return internal::stored_scale(scale);
    }
  }
  /// nearest-even(x) within 0..15; 0 for NaN.
  TESSERA_INLINE static int nibble_of(float x) noexcept {
    if (!(x > 0.0f)) return 0;
    if (x >= 15.0f) return 15;
    const int whole = static_cast<int>(x);
    const float rest = x - static_cast<float>(whole);
    return whole + (rest > 0.5f || (rest == 0.5f && whole % 2 != 0) ? 1 : 0);
  }
  /// Codes and header of scale s from its elements.
  TESSERA_INLINE static void quantize_scale(const float* x, std::size_t s, std::uint8_t* codes,
                                            std::uint8_t* header) noexcept {
    float d = quiet_nan;
    float low = 0.0f;
    if (internal::all_finite(x, Elements)) {
      d = internal::signed_largest(x, Elements) / -8.0f;
      if constexpr (ZeroPoints) {
        float high = 0.0f;
        for (std::size_t i = 0; i < Elements; ++i) {
          if (x[i] < low) low = x[i];
          if (x[i] > high) high = x[i];
        }
        // Halves first: the range of floats near the largest overflows.
        d = rounded(high / 15.0f) - rounded(low / 15.0f);
      }
    }
    const S scale = stored(d);
    const float divisor = to_float(scale);
    const bool usable = divisor != 0.0f && is_finite(divisor);
    int zero = 8;
    if constexpr (ZeroPoints) zero = usable ? nibble_of(rounded(-low / divisor)) : 8;
    set_scale(header, s, scale);
    set_zero_point(header, s, zero);
    for (std::size_t i = 0; i < Elements; ++i)
      codes[i] = static_cast<std::uint8_t>(
          usable ? nibble_of(rounded(x[i] / divisor) + static_cast<float>(zero)) : 8);
  }
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_NBITS_HPP_
