// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Weights of eight bits with a scale and a zero point per row, as ONNX's quantised operators have them:
/// value = scale * (code - zero point), rounded once to f32. Codes are signed (i8_row) or unsigned (u8_row);
/// without zero points these are 0. A row may have any length.
///
/// Such weights meet activations that are quantised with one scale per row, too (ActivationNeeds), so that
/// products are integer sums over whole rows.
#ifndef TESSERA_FORMATS_INT8_ROW_HPP_
#define TESSERA_FORMATS_INT8_ROW_HPP_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/format_id.hpp"

TESSERA_NAMESPACE_BEGIN

/// A format of this file.
template <class F>
concept RowFormat = requires {
  typename F::Code;
  F::row_header_bytes;
};

namespace internal {

/// Overloads ask for the views of formats that have none.
template <class F>
struct CodeOfRows {
  using type = void;
};
template <RowFormat F>
struct CodeOfRows<F> {
  using type = typename F::Code;
};

}  // namespace internal

/// A weight matrix in three arrays: row i is `cols` codes at `codes + i * row_stride`.
template <class F>
struct RowView {
  const typename internal::CodeOfRows<F>::type* codes = nullptr;
  const float* scales = nullptr;                                        ///< one a row
  const typename internal::CodeOfRows<F>::type* zero_points = nullptr;  ///< one a row; null: all 0
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::ptrdiff_t row_stride = 0;
};

/// The same to write to. Zero points may be null where all of them are 0.
template <class F>
struct RowOutput {
  typename internal::CodeOfRows<F>::type* codes = nullptr;
  float* scales = nullptr;
  typename internal::CodeOfRows<F>::type* zero_points = nullptr;
  std::ptrdiff_t row_stride = 0;
};

namespace format {

/// C: std::int8_t or std::uint8_t. Images hold levels, signed bytes whichever C is: a level is the code, or the
/// code - 128; the zero point's likewise.
template <class C>
struct int8_row {
  static_assert(std::is_same_v<C, std::int8_t> || std::is_same_v<C, std::uint8_t>);
  using Code = C;
  static constexpr bool is_signed = std::is_same_v<C, std::int8_t>;
  static constexpr const char* name = is_signed ? "i8_row" : "u8_row";
  /// No number of a GGUF file.
  static constexpr auto id = static_cast<FormatId>(is_signed ? 0x726f7738u : 0x726f7739u);
  static constexpr bool is_float = false;
  static constexpr std::size_t group = 32;            ///< levels that lie together in an image
  static constexpr std::size_t scale_group = 0;       ///< the whole row
  static constexpr bool has_minima = false;           ///< zero points are part of the integer sums
  static constexpr std::size_t block_bytes = 32;      ///< of a group
  static constexpr std::size_t header_bytes = 0;      ///< of a group
  static constexpr std::size_t row_header_bytes = 5;  ///< the scale, the zero point's level
  static constexpr std::size_t code_bits = 8;         ///< of a level
  static constexpr int code_offset = 0;

  /// A level from its byte in an image.
  [[nodiscard]] TESSERA_INLINE static constexpr int level(unsigned byte) noexcept {
    return static_cast<std::int8_t>(byte);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr std::uint8_t byte_of(Code code) noexcept {
    return static_cast<std::uint8_t>(static_cast<std::uint8_t>(code) ^ flip);
  }
  [[nodiscard]] TESSERA_INLINE static constexpr Code code_of(std::uint8_t byte) noexcept {
    return static_cast<Code>(static_cast<std::uint8_t>(byte ^ flip));
  }

  /// Scale and zero point of a row. i8_row: scale = amax / 127, zero point 0. u8_row: `low` and `high` being
  /// the least and largest element or 0, scale = (high - low) / 255 (of the quotients where the difference
  /// is infinite), zero point = nearest-even(-low / scale) within 0..255 (ONNX's DynamicQuantizeLinear). A
  /// NaN or an infinity makes the scale NaN; then, and where the scale is 0, the zero point is 0.
  TESSERA_INLINE static void choose_scale(const float* x, std::size_t n, float& scale,
                                          Code& zero_point) noexcept {
    zero_point = 0;
    scale = quiet_nan;
    if (!internal::all_finite(x, n)) return;
    float low = 0.0f;
    float high = 0.0f;
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] < low) low = x[i];
      if (x[i] > high) high = x[i];
    }
    if constexpr (is_signed) {
      scale = (-low > high ? -low : high) / 127.0f;
    } else {
      scale = (high - low) / 255.0f;
      if (!is_finite(scale)) scale = high / 255.0f - low / 255.0f;
      if (scale != 0.0f) zero_point = static_cast<Code>(code_near(-low / scale, 0));
    }
  }
  /// Codes of elements of such a row: nearest-even(x / scale) + zero point, within -127..127 or 0..255; the
  /// zero point where the scale is 0 or NaN.
  TESSERA_INLINE static void quantize_codes(const float* x, std::size_t n, float scale,
                                            Code zero_point, Code* codes) noexcept {
    const bool usable = scale > 0.0f;
    for (std::size_t i = 0; i < n; ++i)
      codes[i] = usable ? static_cast<Code>(code_near(x[i] / scale, zero_point)) : zero_point;
  }
  TESSERA_INLINE static void dequantize_codes(const Code* codes, std::size_t n, float scale,
                                              Code zero_point, float* x) noexcept {
    for (std::size_t i = 0; i < n; ++i)
      x[i] = rounded(scale * static_cast<float>(codes[i] - zero_point));
  }

 private:
  static constexpr std::uint8_t flip = is_signed ? 0 : 0x80;
  static constexpr int least = is_signed ? -127 : 0;
  static constexpr int most = is_signed ? 127 : 255;

  /// nearest-even(x) + zero within the codes.
  TESSERA_INLINE static int code_near(float x, int zero) noexcept {
    if (!(x > -512.0f)) x = -512.0f;
    if (x > 512.0f) x = 512.0f;
    constexpr float whole = 0x1.8p23f;  // floats of this size have no fraction
    const int code = static_cast<int>((x + whole) - whole) + zero;
    return code < least ? least : code > most ? most : code;
  }
};

using i8_row = int8_row<std::int8_t>;
using u8_row = int8_row<std::uint8_t>;

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_INT8_ROW_HPP_
