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

/// Where the quantised activations lie in the shared workspace.
template <class Atom>
struct QuantizedRows {
  using T = typename Atom::tile;
  std::size_t groups;
  std::size_t row_tiles;

  TESSERA_INLINE QuantizedRows(std::size_t m, std::size_t k) noexcept
      : groups(div_up(k, activation_group)), row_tiles(div_up(m, T::m)) {}

  TESSERA_INLINE std::size_t codes_per_tile() const noexcept {
    return groups * T::m * activation_group;
  }
  TESSERA_INLINE std::size_t scales_per_tile() const noexcept {
    return groups * Atom::a_scale_lanes;
  }
  TESSERA_INLINE std::size_t sums_per_tile() const noexcept { return groups * T::m; }
  TESSERA_INLINE std::size_t codes_bytes() const noexcept {
    return round_up(row_tiles * codes_per_tile(), workspace_alignment);
  }
  TESSERA_INLINE std::size_t scales_bytes() const noexcept {
    return round_up(row_tiles * scales_per_tile() * sizeof(float), workspace_alignment);
  }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return codes_bytes() + scales_bytes() +
           round_up(row_tiles * sums_per_tile() * sizeof(std::int32_t), workspace_alignment);
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
};

/// Quantises the rows of one row tile; rows beyond the matrix have codes and scales 0.
template <class B>
TESSERA_NOINLINE void quantize_row_tile(const MatrixView<const float>& a, std::size_t tile,
                                        std::byte* base) noexcept {
  using Atom = typename B::DotAtom;
  using T = typename Atom::tile;
  const QuantizedRows<Atom> rows(a.rows, a.cols);
  std::int8_t* codes = rows.codes(base, tile);
  float* scales = rows.scales(base, tile);
  std::int32_t* sums = rows.sums(base, tile);
  for (std::size_t g = 0; g < rows.groups; ++g) {
    float row_scales[T::m];
    for (std::size_t i = 0; i < T::m; ++i) {
      const std::size_t m = tile * T::m + i;
      std::int8_t group[activation_group] = {};
      row_scales[i] = 0.0f;
      if (m < a.rows) {
        const std::size_t begin = g * activation_group;
        const std::size_t n = a.cols - begin < activation_group ? a.cols - begin : activation_group;
        row_scales[i] = quantize_group<B>(a.row(m) + begin, n, group);
      }
      std::int32_t sum = 0;
      for (std::size_t q = 0; q < activation_group; ++q) sum += group[q];
      sums[g * T::m + i] = sum;
      std::int8_t* to = codes + g * T::m * activation_group + i * T::k;
      for (std::size_t s = 0; s < activation_group / T::k; ++s)
        __builtin_memcpy(to + s * T::m * T::k, group + s * T::k, T::k);
    }
    Atom::expand_a(row_scales, scales + g * Atom::a_scale_lanes);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_
