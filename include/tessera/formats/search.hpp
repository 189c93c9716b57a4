// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The published searches for scales and minima. All in f32 in the written order, every product
/// rounded before it is added: the stored bytes are the same under every compiler and flag.
///
/// Where the rules' sums of squares and products overflow (magnitudes above about 1e12), a block becomes
/// NaN: the rules themselves would lose such values silently.
#ifndef TESSERA_FORMATS_SEARCH_HPP_
#define TESSERA_FORMATS_SEARCH_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/block_format.hpp"
#include "tessera/formats/level_tables.hpp"
#include "tessera/formats/six_bits.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Below this a group counts as zero.
inline constexpr float search_zero = 1e-15f;

TESSERA_INLINE float product(float a, float b) noexcept {
  return rounded(a * b);
}
TESSERA_INLINE float product(float a, float b, float c) noexcept {
  return rounded(rounded(a * b) * c);
}
TESSERA_INLINE float magnitude(float x) noexcept {
  return x < 0 ? -x : x;
}

/// Nearest even, limited to [low, high]; a NaN becomes low.
TESSERA_INLINE int nearest_code(float x, int low, int high) noexcept {
  if (!(x > static_cast<float>(low))) return low;
  if (x >= static_cast<float>(high)) return high;
  // 1.5 * 2^23: the sum's last bit is worth 1.
  const std::uint32_t bits = bits_of(x + 12582912.0f);
  return static_cast<int>(bits & 0x7fffffu) - 0x400000;
}

/// A scale and a minimum of one group: x is about scale * code - minimum.
struct ScaleAndMinimum {
  float scale;
  float minimum;
};

/// The sums of a weighted least-squares fit of x by codes.
struct FitSums {
  float l = 0.0f;
  float l2 = 0.0f;
  float xl = 0.0f;
};

/// Codes of x for a step and a start, and their sums.
template <std::size_t N>
TESSERA_INLINE FitSums fit_codes(const float* x, const float* weight, float inverse, float low,
                                 int top, std::uint8_t* codes) noexcept {
  FitSums s;
  for (std::size_t i = 0; i < N; ++i) {
    const int code = nearest_code(product(inverse, x[i] - low), 0, top);
    codes[i] = static_cast<std::uint8_t>(code);
    const auto l = static_cast<float>(code);
    s.l += product(weight[i], l);
    s.l2 += product(weight[i], l, l);
    s.xl += product(weight[i], l, x[i]);
  }
  return s;
}

/// The weighted error of scale * code + low: squares, or magnitudes.
template <std::size_t N, bool Magnitudes>
TESSERA_INLINE float fit_error(const float* x, const float* weight, float scale, float low,
                               const std::uint8_t* codes) noexcept {
  float error = 0.0f;
  for (std::size_t i = 0; i < N; ++i) {
    const float off = product(scale, static_cast<float>(codes[i])) + low - x[i];
    error += product(weight[i], Magnitudes ? magnitude(off) : product(off, off));
  }
  return error;
}

/// Scale and minimum of N elements with codes 0..S::top: the step (max - min) / top and `S::trials`
/// others around it, the best by weighted error. Elements that are all alike get scale 0.
template <class S, std::size_t N>
TESSERA_NOINLINE ScaleAndMinimum search_scale_and_minimum(const float* x, const float* weight,
                                                          std::uint8_t* codes) noexcept {
  constexpr auto top = static_cast<float>(S::top);
  float low = x[0];
  float high = x[0];
  float sum_w = weight[0];
  float sum_x = product(weight[0], x[0]);
  for (std::size_t i = 1; i < N; ++i) {
    if (x[i] < low) low = x[i];
    if (x[i] > high) high = x[i];
    sum_w += weight[i];
    sum_x += product(weight[i], x[i]);
  }
  if (low > 0.0f) low = 0.0f;
  if (high == low) {
    for (std::size_t i = 0; i < N; ++i) codes[i] = 0;
    return {0.0f, -low};
  }
  const float inverse = top / (high - low);
  float scale = 1.0f / inverse;
  fit_codes<N>(x, weight, inverse, low, S::top, codes);
  float least = fit_error<N, S::magnitudes>(x, weight, scale, low, codes);
  for (int t = 0; t < S::trials; ++t) {
    std::uint8_t trial[N];
    const float steps = S::first + product(S::step, static_cast<float>(t)) + top;
    // `low` is the best one found so far, not the elements' own.
    const FitSums s = fit_codes<N>(x, weight, steps / (high - low), low, S::top, trial);
    const float determinant = product(sum_w, s.l2) - product(s.l, s.l);
    if (!(determinant > 0.0f)) continue;
    float trial_scale = (product(sum_w, s.xl) - product(sum_x, s.l)) / determinant;
    float trial_low = (product(s.l2, sum_x) - product(s.l, s.xl)) / determinant;
    if (trial_low > 0.0f) trial_low = 0.0f, trial_scale = s.xl / s.l2;
    const float error = fit_error<N, S::magnitudes>(x, weight, trial_scale, trial_low, trial);
    if (!(error < least)) continue;
    for (std::size_t i = 0; i < N; ++i) codes[i] = trial[i];
    least = error;
    scale = trial_scale;
    low = trial_low;
  }
  return {scale, -low};
}

/// Codes of scales and minima against their largest, and the factor that goes with them.
template <std::size_t N>
TESSERA_INLINE Float16 code_factors(const float* values, int top, std::uint8_t* codes) noexcept {
  float largest = 0.0f;
  for (std::size_t j = 0; j < N; ++j) largest = values[j] > largest ? values[j] : largest;
  const auto steps = static_cast<float>(top);
  const float inverse = largest > 0.0f ? steps / largest : 0.0f;
  for (std::size_t j = 0; j < N; ++j)
    codes[j] = static_cast<std::uint8_t>(nearest_code(product(inverse, values[j]), 0, top));
  return largest > 0.0f ? to_float16(largest / steps) : Float16{0};
}

/// What the formats of 256 elements with minima search: N elements, codes 0..top, first + step * t.
struct SearchQ2K {
  static constexpr std::size_t n = 16;
  static constexpr int top = 3, trials = 16, factor_top = 15;
  static constexpr float first = -0.5f, step = 0.1f;
  static constexpr bool magnitudes = true;
};
struct SearchQ4K {
  static constexpr std::size_t n = 32;
  static constexpr int top = 15, trials = 21, factor_top = 63;
  static constexpr float first = -1.0f, step = 0.1f;
  static constexpr bool magnitudes = false;
};
struct SearchQ5K {
  static constexpr std::size_t n = 32;
  static constexpr int top = 31, trials = 16, factor_top = 63;
  static constexpr float first = -0.5f, step = 0.1f;
  static constexpr bool magnitudes = false;
};

/// A block of q2_K, q4_K or q5_K: its codes, both factors (header[0..3]), the codes of its scales and
/// minima.
template <class S>
TESSERA_NOINLINE void quantize_with_minima(const float* x, std::uint8_t* codes,
                                           std::uint8_t* header, std::uint8_t* scale,
                                           std::uint8_t* minimum) noexcept {
  constexpr std::size_t groups = 256 / S::n;
  float scales[groups];
  float minima[groups];
  for (std::size_t j = 0; j < groups; ++j) {
    const float* const sub = x + S::n * j;
    float weight[S::n];
    float base = 0.0f;
    if constexpr (!S::magnitudes) {
      for (std::size_t i = 0; i < S::n; ++i) base += product(sub[i], sub[i]);
      base = __builtin_sqrtf(base / static_cast<float>(S::n));
    }
    for (std::size_t i = 0; i < S::n; ++i) weight[i] = base + magnitude(sub[i]);
    const ScaleAndMinimum found = search_scale_and_minimum<S, S::n>(sub, weight, codes + S::n * j);
    scales[j] = found.scale;
    minima[j] = found.minimum;
  }
  const bool overflow = !all_finite(scales, groups) || !all_finite(minima, groups);
  Float16 d = code_factors<groups>(scales, S::factor_top, scale);
  if (overflow) d = Float16{0x7e00};
  const Float16 dmin = code_factors<groups>(minima, S::factor_top, minimum);
  write_half(header, d);
  write_half(header + 2, dmin);
  for (std::size_t j = 0; j < groups; ++j) {
    const float step = product(to_float(d), static_cast<float>(scale[j]));
    if (step == 0.0f) continue;  // the search's codes stay
    const float start = product(to_float(dmin), static_cast<float>(minimum[j]));
    for (std::size_t i = S::n * j; i < S::n * (j + 1); ++i)
      codes[i] = static_cast<std::uint8_t>(nearest_code((x[i] + start) / step, 0, S::top));
  }
}

/// Weighted sums of a fit without minimum.
struct ScaleSums {
  float xl = 0.0f;
  float l2 = 0.0f;
};

/// Codes anew against the rounded scales, -half..half - 1, stored half higher.
TESSERA_INLINE void requantize_sixteen(const float* x, float step, int half,
                                       std::uint8_t* codes) noexcept {
  if (step == 0.0f) return;
  for (std::size_t i = 0; i < 16; ++i)
    codes[i] = static_cast<std::uint8_t>(nearest_code(x[i] / step, -half, half - 1) + half);
}

/// Scale of 16 elements with codes -4..3 (stored 4 higher): from the one that puts the largest at -4,
/// up to five passes that move single codes where that improves the fit.
TESSERA_NOINLINE inline float search_q3_scale(const float* x, std::uint8_t* codes) noexcept {
  const float m = signed_largest(x, 16);
  if (magnitude(m) < search_zero) {
    for (std::size_t i = 0; i < 16; ++i) codes[i] = 0;
    return 0.0f;
  }
  const float inverse = -4.0f / m;
  int code[16];
  ScaleSums s;
  for (std::size_t i = 0; i < 16; ++i) {
    code[i] = nearest_code(product(inverse, x[i]), -4, 3);
    const auto l = static_cast<float>(code[i]);
    const float w = product(x[i], x[i]);
    s.xl += product(w, x[i], l);
    s.l2 += product(w, l, l);
  }
  for (int pass = 0; pass < 5; ++pass) {
    bool changed = false;
    for (std::size_t i = 0; i < 16; ++i) {
      const auto l = static_cast<float>(code[i]);
      const float w = product(x[i], x[i]);
      float xl = s.xl - product(w, x[i], l);
      if (!(xl > 0.0f)) continue;
      float l2 = s.l2 - product(w, l, l);
      const int moved = nearest_code(product(x[i], l2) / xl, -4, 3);
      if (moved == code[i]) continue;
      const auto n = static_cast<float>(moved);
      xl += product(w, x[i], n);
      l2 += product(w, n, n);
      if (!(l2 > 0.0f) || !(product(xl, xl, s.l2) > product(s.xl, s.xl, l2))) continue;
      code[i] = moved;
      s = {xl, l2};
      changed = true;
    }
    if (!changed) break;
  }
  for (std::size_t i = 0; i < 16; ++i) codes[i] = static_cast<std::uint8_t>(code[i] + 4);
  return s.l2 > 0.0f ? s.xl / s.l2 : 0.0f;
}

/// A block of q3_K: codes, the factor (header[0..1]), codes of its scales (32 is 0).
TESSERA_NOINLINE inline void quantize_q3_k(const float* x, std::uint8_t* codes,
                                           std::uint8_t* header, std::uint8_t* scale) noexcept {
  float scales[16];
  for (std::size_t j = 0; j < 16; ++j) scales[j] = search_q3_scale(x + 16 * j, codes + 16 * j);
  const float largest = signed_largest(scales, 16);
  const float inverse = -32.0f / largest;
  Float16 d = {};
  for (std::size_t j = 0; j < 16; ++j) scale[j] = 0;
  if (largest != 0.0f) {
    for (std::size_t j = 0; j < 16; ++j)
      scale[j] = static_cast<std::uint8_t>(nearest_code(product(inverse, scales[j]), -32, 31) + 32);
    d = stored_scale(1.0f / inverse);
  }
  if (!all_finite(scales, 16)) d = Float16{0x7e00};
  write_half(header, d);
  for (std::size_t j = 0; j < 16; ++j)
    requantize_sixteen(x + 16 * j, product(to_float(d), static_cast<float>(scale[j] - 32)), 4,
                       codes + 16 * j);
}

/// Codes of 16 elements, -32..31 stored 32 higher, and the sums of their fit with weights x^2.
TESSERA_INLINE ScaleSums fit_q6_codes(const float* x, float inverse, std::uint8_t* codes) noexcept {
  ScaleSums s;
  for (std::size_t i = 0; i < 16; ++i) {
    const int code = nearest_code(product(inverse, x[i]), -32, 31);
    codes[i] = static_cast<std::uint8_t>(code + 32);
    const auto l = static_cast<float>(code);
    const float w = product(x[i], x[i]);
    s.xl += product(w, x[i], l);
    s.l2 += product(w, l, l);
  }
  return s;
}

/// Scale of 16 elements with codes -32..31: the one that puts the largest at -32, and 18 around it.
TESSERA_NOINLINE inline float search_q6_scale(const float* x, std::uint8_t* codes) noexcept {
  const float m = signed_largest(x, 16);
  if (magnitude(m) < search_zero) {
    for (std::size_t i = 0; i < 16; ++i) codes[i] = 0;
    return 0.0f;
  }
  ScaleSums s = fit_q6_codes(x, -32.0f / m, codes);
  float scale = s.l2 != 0.0f ? s.xl / s.l2 : 0.0f;
  float best = product(scale, s.xl);
  for (int t = -9; t <= 9; ++t) {
    if (t == 0) continue;
    std::uint8_t trial[16];
    s = fit_q6_codes(x, -(32.0f + product(0.1f, static_cast<float>(t))) / m, trial);
    if (!(s.l2 > 0.0f) || !(product(s.xl, s.xl) > product(best, s.l2))) continue;
    for (std::size_t i = 0; i < 16; ++i) codes[i] = trial[i];
    scale = s.xl / s.l2;
    best = product(scale, s.xl);
  }
  return scale;
}

/// A block of q6_K: codes and header (factor, then sixteen scales).
TESSERA_NOINLINE inline void quantize_q6_k(const float* x, std::uint8_t* codes,
                                           std::uint8_t* header) noexcept {
  float scales[16];
  for (std::size_t j = 0; j < 16; ++j) scales[j] = search_q6_scale(x + 16 * j, codes + 16 * j);
  const float largest = signed_largest(scales, 16);
  const bool overflow = !all_finite(scales, 16);
  if (magnitude(largest) < search_zero && !overflow) {
    for (std::size_t i = 0; i < 256; ++i) codes[i] = 0;
    for (std::size_t i = 0; i < 18; ++i) header[i] = 0;
    return;
  }
  const float inverse = -128.0f / largest;
  const Float16 d = stored_scale(overflow ? quiet_nan : 1.0f / inverse);
  write_half(header, d);
  for (std::size_t j = 0; j < 16; ++j) {
    const int code = nearest_code(product(inverse, scales[j]), -128, 127);
    header[2 + j] = static_cast<std::uint8_t>(code);
    requantize_sixteen(x + 16 * j, product(to_float(d), static_cast<float>(code)), 32,
                       codes + 16 * j);
  }
}

/// Codes of N elements in the table of unequal levels for x / d, and the sums of their fit with
/// weights x^2.
TESSERA_INLINE ScaleSums fit_table_codes(const float* x, std::size_t n, float inverse,
                                         std::uint8_t* codes) noexcept {
  ScaleSums s;
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned code = nearest_unequal(product(inverse, x[i]));
    codes[i] = static_cast<std::uint8_t>(code);
    const auto q = static_cast<float>(unequal_levels[code]);
    const float w = product(x[i], x[i]);
    s.xl += product(w, q, x[i]);
    s.l2 += product(w, q, q);
  }
  return s;
}

/// Scale of n elements for the table of unequal levels. Without trials the codes are those of the
/// start, d = m / -127; with T of them on either side, d = m / (t - 127), the codes are left to the
/// caller.
TESSERA_NOINLINE inline float search_table_scale(const float* x, std::size_t n, int trials,
                                                 std::uint8_t* codes) noexcept {
  const float m = signed_largest(x, n);
  if (magnitude(m) < search_zero) {
    for (std::size_t i = 0; i < n; ++i) codes[i] = 0;
    return 0.0f;
  }
  const float start = trials > 0 ? -m / -127.0f : m / -127.0f;
  ScaleSums s = fit_table_codes(x, n, 1.0f / start, codes);
  float d = s.xl / s.l2;
  float best = product(d, s.xl);
  for (int t = -trials; t <= trials && trials > 0; ++t) {
    std::uint8_t trial[32];
    s = fit_table_codes(x, n, static_cast<float>(t - 127) / m, trial);
    if (!(s.l2 > 0.0f) || !(product(s.xl, s.xl) > product(best, s.l2))) continue;
    d = s.xl / s.l2;
    best = product(d, s.xl);
  }
  return d;
}

/// A block of iq4_xs: codes, the factor (header[0..1]), codes of its scales (32 is 0).
TESSERA_NOINLINE inline void quantize_iq4_xs(const float* x, std::uint8_t* codes,
                                             std::uint8_t* header, std::uint8_t* scale) noexcept {
  float scales[8];
  for (std::size_t j = 0; j < 8; ++j)
    scales[j] = search_table_scale(x + 32 * j, 32, 7, codes + 32 * j);
  const float d = all_finite(scales, 8) ? -signed_largest(scales, 8) / 32.0f : quiet_nan;
  const float inverse = d != 0.0f ? 1.0f / d : 0.0f;
  write_half(header, stored_scale(d));
  for (std::size_t j = 0; j < 8; ++j) {
    const int code = nearest_code(product(inverse, scales[j]), -32, 31);
    scale[j] = static_cast<std::uint8_t>(code + 32);
    const float step = product(d, static_cast<float>(code));
    const float one_over = step != 0.0f ? 1.0f / step : 0.0f;
    for (std::size_t i = 32 * j; i < 32 * (j + 1); ++i)
      codes[i] = static_cast<std::uint8_t>(nearest_unequal(product(one_over, x[i])));
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_FORMATS_SEARCH_HPP_
