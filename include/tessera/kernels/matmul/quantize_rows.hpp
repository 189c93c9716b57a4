// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Activations to int8 codes in the order a tile consumes them.
///
/// Definition, per row and group of 32 elements (missing ones are 0): amax = largest magnitude,
/// d = amax / 127, code = nearest-even(clamp(x * (1 / d), -127, 127)), scale d in f32. A group whose
/// amax is below 2^-120 has codes 0 and scale 0 (1 / d must be finite). A group with a NaN or an
/// infinity has codes 0 and scale NaN, so every output of that row is NaN. Groups never look at
/// other rows. For weights with a scale per row the whole activation row is one such group.
#ifndef TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_
#define TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/vector.hpp"
#include "tessera/core/views.hpp"
#include "tessera/tile/whole_row_block.hpp"

TESSERA_NAMESPACE_BEGIN

/// What weight formats ask of quantised activations besides codes and scales: sums of the codes of 32 or
/// 16 elements, and these times the scale. Activations quantised for the needs of several formats
/// serve all of them; but those for weights with a scale per row have one scale a row, and serve no others.
struct ActivationNeeds {
  std::uint8_t sums_of = 32;     ///< 32, 16, or 48 for both
  std::uint8_t weighted_of = 0;  ///< the same, or 0: no format has minima
  bool whole_rows = false;       ///< one scale a row, and sums of its codes, instead of all that

  /// The needs of weights in these formats; float formats have none.
  template <class... F>
  [[nodiscard]] TESSERA_INLINE static constexpr ActivationNeeds of() noexcept {
    static_assert(
        (0 + ... + (has_row_scale<F>() ? 1 : 0)) == 0 ||
            (true && ... && (F::is_float || has_row_scale<F>())),
        "weights with a scale per row and weights with a scale per block need activations "
        "quantised each in a way of its own");
    ActivationNeeds all{0, 0};
    (all.add<F>(), ...);
    return all;
  }
  [[nodiscard]] TESSERA_INLINE constexpr bool sums(std::size_t group) const noexcept {
    return (sums_of & group) != 0;
  }
  [[nodiscard]] TESSERA_INLINE constexpr bool weighted_sums(std::size_t group) const noexcept {
    return (weighted_of & group) != 0;
  }
  /// Do activations with these needs met serve a format with the others?
  [[nodiscard]] TESSERA_INLINE constexpr bool cover(ActivationNeeds other) const noexcept {
    return whole_rows == other.whole_rows && (other.sums_of & ~sums_of) == 0 &&
           (other.weighted_of & ~weighted_of) == 0;
  }

 private:
  template <class F>
  TESSERA_INLINE static constexpr bool has_row_scale() noexcept {
    if constexpr (F::is_float) {
      return false;
    } else {
      return F::scale_group == 0;
    }
  }
  template <class F>
  TESSERA_INLINE constexpr void add() noexcept {
    if constexpr (has_row_scale<F>()) {
      whole_rows = true;
    } else if constexpr (!F::is_float) {
      constexpr auto group = static_cast<std::uint8_t>(F::scale_group);
      sums_of |= group;
      if constexpr (F::has_minima) weighted_of |= group;
    }
  }
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Elements of an activation row that share a scale, unless the whole row does.
inline constexpr std::size_t activation_group = 32;

namespace detail {

/// Calls use(d, v) with 32 elements in virtual lanes: the first n of x, then zeros; 16-bit floats are widened
/// exactly.
template <class B, class A, class Use>
TESSERA_INLINE auto with_group(const A* x, std::size_t n, Use&& use) noexcept {
  static_assert(activation_group == virtual_lanes);
  const auto full = B::Vectors::full_virtual();
  A padded[activation_group];
  if (n < activation_group) {
    for (std::size_t i = 0; i < activation_group; ++i) padded[i] = i < n ? x[i] : A{};
    x = padded;
  }
  return use(full, full.load(x));
}

/// Bits of the largest magnitude: as integers, magnitudes order like floats, and NaN and infinity come out on top.
template <class D, class V>
TESSERA_INLINE std::uint32_t largest_bits(D d, V v) noexcept {
  return static_cast<std::uint32_t>(d.imax_lane(d.bits(d.abs(v))));
}

/// The scale of elements whose largest magnitude has these bits: 0 or NaN if all codes are to be 0.
TESSERA_INLINE float scale_of(std::uint32_t largest) noexcept {
  constexpr std::uint32_t least = 0x03800000u;  // 2^-120
  constexpr std::uint32_t infinite = 0x7f800000u;
  if (largest - least >= infinite - least) return largest < least ? 0.0f : quiet_nan;
  return rounded(from_bits(largest) / 127.0f);
}

/// 32 codes of a scale.
template <class D, class V>
TESSERA_INLINE void store_codes(D d, V v, float scale, std::int8_t* codes) noexcept {
  if (!(scale > 0.0f)) {
    __builtin_memset(codes, 0, activation_group);
    return;
  }
  auto scaled = d.rounded(d.mul(1.0f / scale, v));
  scaled = d.select(d.lt(scaled, -127.0f), -127.0f, scaled);
  scaled = d.select(d.gt(scaled, 127.0f), 127.0f, scaled);
  d.store_i8(codes, d.round_to_i32(scaled));
}

/// One group: 32 codes and the scale. `x` has `n` <= 32 valid elements.
template <class B, class A>
TESSERA_INLINE float quantize_group(const A* x, std::size_t n, std::int8_t* codes) noexcept {
  return with_group<B>(x, n, [&](auto d, auto v) TESSERA_LAMBDA {
    const float scale = scale_of(largest_bits(d, v));
    store_codes(d, v, scale, codes);
    return scale;
  });
}

/// The scale of a whole row.
template <class B, class A>
TESSERA_INLINE float scale_of_row(const A* x, std::size_t n) noexcept {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < n; i += activation_group) {
    const std::size_t left = n - i;
    const auto bits =
        with_group<B>(x + i, left < activation_group ? left : activation_group,
                      [](auto d, auto v) TESSERA_LAMBDA { return largest_bits(d, v); });
    largest = bits > largest ? bits : largest;
  }
  return scale_of(largest);
}

/// Where the quantised activations lie: codes and scales, then for sums of 32 codes and of 16 the sums
/// and the weighted sums, each only if it is needed. With one scale a row: codes, that scale, and as weighted
/// sums what carries the sums of the codes of each piece (tile/whole_row_block.hpp).
template <class Atom>
struct QuantizedRows {
  using T = typename Atom::block_tile;
  std::size_t groups;  ///< of 32
  std::size_t row_tiles;
  ActivationNeeds needs;
  /// Copied with the rest, of which no byte is left unset.
  std::uint8_t padding[sizeof(std::size_t) - sizeof(ActivationNeeds)] = {};

  TESSERA_INLINE QuantizedRows(std::size_t m, std::size_t k, ActivationNeeds n) noexcept
      : groups(div_up(k, activation_group)), row_tiles(div_up(m, T::m)), needs(n) {
    scales_at_ = round_up(row_tiles * codes_per_tile(), workspace_alignment);
    std::size_t at = scales_at_ + part(scales_per_tile());
    if (needs.whole_rows) {
      weighted_at_[0] = at;
      at += part(weighted_per_tile(0));
    }
    for (const std::size_t group : {std::size_t{32}, std::size_t{16}}) {
      if (needs.whole_rows) break;
      sums_at_[group / 32] = at;
      if (Atom::needs_sums && needs.sums(group)) at += part(sums_per_tile(group));
      weighted_at_[group / 32] = at;
      if (needs.weighted_sums(group)) at += part(weighted_per_tile(group));
    }
    bytes_ = at;
  }

  TESSERA_INLINE std::size_t sum_groups(std::size_t group) const noexcept {
    return groups * (activation_group / group);
  }
  /// Pieces of a row whose codes are summed, if it has one scale.
  TESSERA_INLINE std::size_t pieces() const noexcept {
    return div_up(groups, whole_row_piece / activation_group);
  }
  TESSERA_INLINE std::size_t bytes() const noexcept { return bytes_; }

  /// Bytes of 0 before the codes of a row tile.
  TESSERA_INLINE static constexpr std::size_t zeros_before() noexcept {
    if constexpr (requires { Atom::RowSums::zeros_before; }) {
      return Atom::RowSums::zeros_before;
    } else {
      return 0;
    }
  }
  TESSERA_INLINE std::int8_t* codes(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<std::int8_t*>(base) + tile * codes_per_tile() + zeros_before();
  }
  TESSERA_INLINE float* scales(std::byte* base, std::size_t tile) const noexcept {
    return reinterpret_cast<float*>(base + scales_at_) + tile * scales_per_tile();
  }
  /// Of formats and atoms that need them. Group 0: the whole row.
  TESSERA_INLINE std::int32_t* sums(std::byte* base, std::size_t tile,
                                    std::size_t group = activation_group) const noexcept {
    return reinterpret_cast<std::int32_t*>(base + sums_at_[group / 32]) +
           tile * sums_per_tile(group);
  }
  TESSERA_INLINE float* weighted_sums(std::byte* base, std::size_t tile,
                                      std::size_t group = activation_group) const noexcept {
    return reinterpret_cast<float*>(base + weighted_at_[group / 32]) +
           tile * weighted_per_tile(group);
  }

 private:
  TESSERA_INLINE std::size_t codes_per_tile() const noexcept {
    return zeros_before() + groups * T::m * activation_group;
  }
  TESSERA_INLINE std::size_t scales_per_tile() const noexcept {
    return (needs.whole_rows ? 1 : groups) * Atom::a_scale_lanes;
  }
  TESSERA_INLINE std::size_t sums_per_tile(std::size_t group) const noexcept {
    return sum_groups(group) * T::m;
  }
  TESSERA_INLINE std::size_t weighted_per_tile(std::size_t group) const noexcept {
    return (group == 0 ? pieces() : sum_groups(group)) * Atom::a_scale_lanes;
  }
  /// Bytes of a part of `per_tile` numbers of four bytes.
  TESSERA_INLINE std::size_t part(std::size_t per_tile) const noexcept {
    return round_up(row_tiles * per_tile * 4, workspace_alignment);
  }

  std::size_t scales_at_;
  std::size_t sums_at_[2] = {};  ///< of 16 and of 32
  std::size_t weighted_at_[2] = {};
  std::size_t bytes_;
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

/// The sums of the codes of the rows [0, m) of one group of 32, and their products with the scales, to
/// where tile `tile` keeps them. `codes`: m rows of 32.
template <class Atom>
TESSERA_INLINE void store_sums(const QuantizedRows<Atom>& rows, std::byte* base, std::size_t tile,
                               std::size_t g, const std::int8_t* const* codes,
                               const float* scales) noexcept {
  using T = typename Atom::block_tile;
  for (const std::size_t group : {std::size_t{32}, std::size_t{16}}) {
    const bool weighted = rows.needs.weighted_sums(group);
    if (!(Atom::needs_sums && rows.needs.sums(group)) && !weighted) continue;
    const std::size_t parts = activation_group / group;
    std::int32_t sums[2 * T::m];
    float products[2 * T::m];
    for (std::size_t i = 0; i < T::m; ++i)
      sum_codes(codes[i], scales[i], group, T::m, sums + i, products + i);
    if constexpr (Atom::needs_sums) {
      if (rows.needs.sums(group))
        __builtin_memcpy(rows.sums(base, tile, group) + g * parts * T::m, sums,
                         parts * T::m * sizeof(std::int32_t));
    }
    for (std::size_t h = 0; h < parts && weighted; ++h)
      Atom::expand_a(products + h * T::m,
                     rows.weighted_sums(base, tile, group) + (g * parts + h) * Atom::a_scale_lanes);
  }
}

/// Rows with one scale: 32 codes more in the sums of the rows' codes, which go where they belong behind the
/// last group of a piece.
template <class Atom>
TESSERA_INLINE void sum_whole_rows(const QuantizedRows<Atom>& rows, std::byte* base,
                                   std::size_t tile, std::size_t g, const std::int8_t* const* codes,
                                   std::int32_t* sums) noexcept {
  constexpr std::size_t m = Atom::block_tile::m;
  constexpr std::size_t per_piece = whole_row_piece / activation_group;
  float carriers[m];
  for (std::size_t i = 0; i < m; ++i) {
    std::int32_t sum = g % per_piece == 0 ? 0 : sums[i];
    for (std::size_t q = 0; q < activation_group; ++q) sum += codes[i][q];
    sums[i] = sum;
    carriers[i] = carrier(sum);
  }
  if ((g + 1) % per_piece == 0 || g + 1 == rows.groups)
    Atom::expand_a(carriers,
                   rows.weighted_sums(base, tile, 0) + g / per_piece * Atom::a_scale_lanes);
}

/// Fills row tile `tile`: `group(i, g, codes)` writes the 32 codes of group g of the tile's row i and returns
/// their scale.
template <class Atom, class Group>
TESSERA_INLINE void fill_row_tile(const QuantizedRows<Atom>& rows, std::byte* base,
                                  std::size_t tile, Group&& group) noexcept {
  using T = typename Atom::block_tile;
  std::int8_t* const codes = rows.codes(base, tile);
  float* const scales = rows.scales(base, tile);
  for (std::size_t i = 1; i <= rows.zeros_before(); ++i) codes[-static_cast<std::ptrdiff_t>(i)] = 0;
  const bool summed = Atom::needs_sums || rows.needs.weighted_of != 0;
  std::int32_t whole_sums[T::m] = {};
  for (std::size_t g = 0; g < rows.groups; ++g) {
    float row_scales[T::m];
    alignas(8) std::int8_t piecewise[T::m][activation_group];
    const std::int8_t* row_codes[T::m];
    for (std::size_t i = 0; i < T::m; ++i) {
      std::int8_t* const to = codes + g * T::m * activation_group + i * T::k;
      std::int8_t* const dense = T::m == 1 ? to : piecewise[i];
      row_codes[i] = dense;
      row_scales[i] = group(i, g, dense);
      if constexpr (T::m != 1) {
        constexpr std::size_t alignment = T::k % 8 == 0 ? 8 : 1;  // or bytes are copied one by one
        for (std::size_t s = 0; s < activation_group / T::k; ++s)
          __builtin_memcpy(__builtin_assume_aligned(to + s * T::m * T::k, alignment),
                           __builtin_assume_aligned(dense + s * T::k, alignment), T::k);
      }
    }
    if (rows.needs.whole_rows) {
      if (g == 0) Atom::expand_a(row_scales, scales);
      sum_whole_rows(rows, base, tile, g, row_codes, whole_sums);
      continue;
    }
    Atom::expand_a(row_scales, scales + g * Atom::a_scale_lanes);
    if (summed) store_sums(rows, base, tile, g, row_codes, row_scales);
  }
}

/// A row that is not there: codes and scale 0.
TESSERA_INLINE float zero_group(std::int8_t* codes) noexcept {
  __builtin_memset(codes, 0, activation_group);
  return 0.0f;
}

/// Quantises the rows of `a` from `first` on to row tile `tile`; rows beyond the matrix have codes and
/// scales 0.
template <class B, class Atom, class A>
TESSERA_NOINLINE void quantize_rows_to(const MatrixView<const A>& from, std::size_t first,
                                       const QuantizedRows<Atom>& to, std::size_t tile,
                                       std::byte* base) noexcept {
  // Copies: what is stored might change the members of a reference, for all the compiler knows.
  const MatrixView<const A> a = from;
  const QuantizedRows<Atom> rows = to;
  float scale_of_rows[Atom::block_tile::m] = {};
  for (std::size_t i = 0; i < Atom::block_tile::m && rows.needs.whole_rows; ++i)
    if (first + i < a.rows) scale_of_rows[i] = scale_of_row<B>(a.row(first + i), a.cols);
  fill_row_tile(rows, base, tile,
                [&](std::size_t i, std::size_t g, std::int8_t* codes) TESSERA_LAMBDA {
                  if (first + i >= a.rows) return zero_group(codes);
                  if constexpr (requires { B::quantized(1); }) B::quantized(1);
                  const std::size_t begin = g * activation_group;
                  const std::size_t left = a.cols - begin;
                  const std::size_t n = left < activation_group ? left : activation_group;
                  const A* const x = a.row(first + i) + begin;
                  if (!rows.needs.whole_rows) return quantize_group<B>(x, n, codes);
                  with_group<B>(x, n, [&](auto d, auto v) TESSERA_LAMBDA {
                    store_codes(d, v, scale_of_rows[i], codes);
                  });
                  return scale_of_rows[i];
                });
}

/// The rows of row tile `tile` of the matrix, where they belong.
template <class B, class Atom = typename B::DotAtom, class A>
TESSERA_INLINE void quantize_row_tile(const MatrixView<const A>& a, std::size_t tile,
                                      ActivationNeeds needs, std::byte* base) noexcept {
  const QuantizedRows<Atom> rows(a.rows, a.cols, needs);
  quantize_rows_to<B>(a, tile * Atom::block_tile::m, rows, tile, base);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_MATMUL_QUANTIZE_ROWS_HPP_
