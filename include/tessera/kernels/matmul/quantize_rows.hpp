// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Activations to int8 codes in the order a tile consumes them.
///
/// Definition, per row and group of 32 elements (missing ones are 0): amax = largest magnitude,
/// d = amax / 127, code = nearest-even(clamp(x * (1 / d), -127, 127)), scale d in f32. A group whose
/// amax is below 2^-120 has codes 0 and scale 0 (1 / d must be finite). A group with a NaN or an
/// infinity has codes 0 and scale NaN, so every output of that row is NaN. Groups never look at
/// other rows.
#ifndef TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_
#define TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/vector.hpp"
#include "tessera/core/views.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Elements of an activation row that share a scale.
inline constexpr std::size_t activation_group = 32;

namespace detail {

/// One group: 32 codes and the scale. `x` has `n` <= 32 valid elements.
template <class B>
TESSERA_INLINE float quantize_group(const float* x, std::size_t n, std::int8_t* codes) noexcept {
  static_assert(activation_group == virtual_lanes);
  using Vectors = typename B::Vectors;
  const auto full = Vectors::full_virtual();
  float padded[activation_group];
  if (n < activation_group) {
    for (std::size_t i = 0; i < activation_group; ++i) padded[i] = i < n ? x[i] : 0.0f;
    x = padded;
  }
  // As integers, magnitudes order like floats, and NaN and infinity come out on top.
  const auto v = full.load(x);
  const auto magnitude = full.iand(full.bits(v), full.set_i32(0x7fffffff));
  const auto amax = static_cast<std::uint32_t>(full.imax_lane(magnitude));
  float d = rounded(from_bits(amax) / 127.0f);
  float inverse = 1.0f / d;
  if (amax >= 0x7f800000u) d = quiet_nan, inverse = 0.0f;
  if (amax < 0x03800000u) d = 0.0f, inverse = 0.0f;  // 2^-120
  if (inverse == 0.0f) {
    for (std::size_t i = 0; i < activation_group; ++i) codes[i] = 0;
    return d;
  }
  const auto scaled = full.rounded(full.mul(v, full.set(inverse)));
  const auto clamped = full.min(full.max(scaled, full.set(-127.0f)), full.set(127.0f));
  full.store_i8(codes, full.round_to_i32(clamped));
  return d;
}

/// What a weight format asks of quantised activations.
struct ActivationNeeds {
  std::size_t group = activation_group;  ///< elements of a sum of codes: 16 or 32
  bool weighted_sums = false;            ///< scale * float(sum) in lanes: the format has minima

  template <class F>
  TESSERA_INLINE static constexpr ActivationNeeds of() noexcept {
    return {F::scale_group, F::has_minima};
  }
};

/// Where the quantised activations lie in the shared workspace.
template <class Atom>
struct QuantizedRows {
  using T = typename Atom::block_tile;
  std::size_t groups;      ///< of 32: scales
  std::size_t sum_groups;  ///< of needs.group: sums
  std::size_t row_tiles;
  ActivationNeeds needs;

  TESSERA_INLINE QuantizedRows(std::size_t m, std::size_t k, ActivationNeeds n) noexcept
      : groups(div_up(k, activation_group)),
        sum_groups(groups * (activation_group / n.group)),
        row_tiles(div_up(m, T::m)),
        needs(n) {}

  TESSERA_INLINE std::size_t codes_per_tile() const noexcept {
    return groups * T::m * activation_group;
  }
  TESSERA_INLINE std::size_t scales_per_tile() const noexcept {
    return groups * Atom::a_scale_lanes;
  }
  TESSERA_INLINE std::size_t sums_per_tile() const noexcept { return sum_groups * T::m; }
  TESSERA_INLINE std::size_t weighted_per_tile() const noexcept {
    return needs.weighted_sums ? sum_groups * Atom::a_scale_lanes : 0;
  }
  TESSERA_INLINE std::size_t codes_bytes() const noexcept {
    return round_up(row_tiles * codes_per_tile(), workspace_alignment);
  }
  TESSERA_INLINE std::size_t scales_bytes() const noexcept {
    return round_up(row_tiles * scales_per_tile() * sizeof(float), workspace_alignment);
  }
  TESSERA_INLINE std::size_t sums_bytes() const noexcept {
    return round_up(row_tiles * sums_per_tile() * sizeof(std::int32_t), workspace_alignment);
  }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return codes_bytes() + scales_bytes() + sums_bytes() +
           round_up(row_tiles * weighted_per_tile() * sizeof(float), workspace_alignment);
  }

  TESSERA_INLINE std::int8_t* codes(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<std::int8_t*>(base) + tile * codes_per_tile();
  }
  TESSERA_INLINE float* scales(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<float*>(base + codes_bytes()) + tile * scales_per_tile();
  }
  TESSERA_INLINE std::int32_t* sums(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<std::int32_t*>(base + codes_bytes() + scales_bytes()) +
           tile * sums_per_tile();
  }
  TESSERA_INLINE float* weighted_sums(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<float*>(base + codes_bytes() + scales_bytes() + sums_bytes()) +
           tile * weighted_per_tile();
  }
};

/// Sums of the codes of one row's group of 32, and their products with its scale.
TESSERA_INLINE void sum_codes(const std::int8_t* codes, float scale, std::size_t group,
                              std::size_t apart, std::int32_t* sums, float* weighted) noexcept {
  for (std::size_t h = 0; h < activation_group / group; ++h) {
    std::int32_t sum = 0;
    for (std::size_t q = 0; q < group; ++q) sum += codes[h * group + q];
    sums[h * apart] = sum;
    weighted[h * apart] = rounded(scale * static_cast<float>(sum));
  }
}

/// Quantises the rows of one row tile; rows beyond the matrix have codes and scales 0.
template <class B, class Atom = typename B::DotAtom>
TESSERA_NOINLINE void quantize_row_tile(const MatrixView<const float>& a, std::size_t tile,
                                        ActivationNeeds needs, std::byte* base) noexcept {
  using T = typename Atom::block_tile;
  const QuantizedRows<Atom> rows(a.rows, a.cols, needs);
  std::int8_t* codes = rows.codes(base, tile);
  float* scales = rows.scales(base, tile);
  std::int32_t* sums = rows.sums(base, tile);
  float* weighted = rows.weighted_sums(base, tile);
  const std::size_t halves = activation_group / needs.group;
  const bool sums_needed = Atom::needs_sums || needs.weighted_sums;
  for (std::size_t g = 0; g < rows.groups; ++g) {
    float row_scales[T::m];
    float row_weighted[2 * T::m] = {};
    const std::size_t begin = g * activation_group;
    const std::size_t n = a.cols - begin < activation_group ? a.cols - begin : activation_group;
    for (std::size_t i = 0; i < T::m; ++i) {
      const std::size_t m = tile * T::m + i;
      std::int8_t* const to = codes + g * T::m * activation_group + i * T::k;
      std::int8_t piecewise[activation_group];
      std::int8_t* const group = T::m == 1 ? to : piecewise;
      if (m < a.rows) {
        row_scales[i] = quantize_group<B>(a.row(m) + begin, n, group);
      } else {
        row_scales[i] = 0.0f;
        for (std::size_t q = 0; q < activation_group; ++q) group[q] = 0;
      }
      if (sums_needed)
        sum_codes(group, row_scales[i], needs.group, T::m, sums + g * halves * T::m + i,
                  row_weighted + i);
      if constexpr (T::m != 1) {
        for (std::size_t s = 0; s < activation_group / T::k; ++s)
          __builtin_memcpy(to + s * T::m * T::k, group + s * T::k, T::k);
      }
    }
    Atom::expand_a(row_scales, scales + g * Atom::a_scale_lanes);
    for (std::size_t h = 0; h < halves && needs.weighted_sums; ++h)
      Atom::expand_a(row_weighted + h * T::m, weighted + (g * halves + h) * Atom::a_scale_lanes);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_
