// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Are one tensor's values another's at other places? Exchanged axes, permuted or repeated slices.
#ifndef TESSERA_CORE_TENSOR_LAYOUT_HPP_
#define TESSERA_CORE_TENSOR_LAYOUT_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/elements.hpp"

TESSERA_NAMESPACE_BEGIN

/// How the places of the values differ.
enum class Layout : std::uint8_t {
  none,        ///< no such relation was found
  transposed,  ///< two axes are exchanged
  permuted,    ///< the slices along an axis are in another order
  mapped,      ///< every slice along an axis is one of the reference's, some of them more than once
  shuffled     ///< the same values in an order that is none of these
};

[[nodiscard]] TESSERA_INLINE constexpr const char* name(Layout layout) noexcept {
  return layout == Layout::transposed ? "transposed"
         : layout == Layout::permuted ? "permuted"
         : layout == Layout::mapped   ? "mapped"
         : layout == Layout::shuffled ? "shuffled"
                                      : "none";
}

/// Layout and the axes it is about, from the outermost, 0. For transposed, first < second; for
/// permuted and mapped both are the axis.
struct LayoutMatch {
  Layout layout = Layout::none;
  std::size_t first = 0;
  std::size_t second = 0;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Slices along an axis are matched one with all others: not where there are more than this.
inline constexpr std::size_t max_mapped_slices = 1024;
/// Short slices match others by chance.
inline constexpr std::size_t least_slice = 4;

[[nodiscard]] TESSERA_INLINE std::size_t product(std::span<const std::size_t> sizes) noexcept {
  std::size_t n = 1;
  for (const std::size_t size : sizes) n *= size;
  return n;
}

/// When two values are the same but for rounding: |a - b| <= share * (|b| + floor).
struct Nearness {
  double share;
  double floor;
  [[nodiscard]] TESSERA_INLINE bool operator()(double a, double b) const noexcept {
    const double distance = a > b ? a - b : b - a;
    return a == b || (a != a && b != b) || distance <= share * ((b < 0 ? -b : b) + floor);
  }
};

/// A tensor as [outer][first][middle][second][inner].
struct AxisPair {
  std::size_t outer, first, middle, second, inner;
};

/// Is `a` what `b` becomes when the two axes change places in memory?
[[nodiscard]] inline bool is_transposed(const AxisPair& s, const Elements& a, const Elements& b,
                                        Nearness near) noexcept {
  std::size_t from = 0;
  for (std::size_t o = 0; o < s.outer; ++o)
    for (std::size_t i = 0; i < s.first; ++i)
      for (std::size_t m = 0; m < s.middle; ++m)
        for (std::size_t j = 0; j < s.second; ++j) {
          const std::size_t to = (((o * s.second + j) * s.middle + m) * s.first + i) * s.inner;
          for (std::size_t e = 0; e < s.inner; ++e, ++from)
            if (!near(internal::element(a, to + e), internal::element(b, from))) return false;
        }
  return true;
}

/// Is slice i of `a` along the middle one of [outer][count][inner] slice j of `b`?
[[nodiscard]] inline bool same_slice(std::size_t outer, std::size_t count, std::size_t inner,
                                     std::size_t i, std::size_t j, const Elements& a,
                                     const Elements& b, Nearness near) noexcept {
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t e = 0; e < inner; ++e)
      if (!near(internal::element(a, (o * count + i) * inner + e),
                internal::element(b, (o * count + j) * inner + e)))
        return false;
  return true;
}

/// permuted or mapped if every slice of `a` is one of `b`, and not all are at their places.
[[nodiscard]] inline Layout mapped_slices(std::size_t outer, std::size_t count, std::size_t inner,
                                          const Elements& a, const Elements& b,
                                          Nearness near) noexcept {
  if (count < 2 || count > max_mapped_slices || outer * inner < least_slice) return Layout::none;
  bool used[max_mapped_slices] = {};
  bool moved = false;
  bool repeated = false;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t j = i;
    if (!same_slice(outer, count, inner, i, j, a, b, near))
      for (j = 0; j < count; ++j)
        if (j != i && same_slice(outer, count, inner, i, j, a, b, near)) break;
    if (j == count) return Layout::none;
    moved = moved || j != i;
    repeated = repeated || used[j];
    used[j] = true;
  }
  return !moved ? Layout::none : repeated ? Layout::mapped : Layout::permuted;
}

}  // namespace detail

/// The first relation by which `a` has the values of `b`, whose shape is `shape`; values count as the
/// same within `share` of their magnitude and `floor`. Reads every element a few times per pair of
/// axes at most, usually only the first ones. Precondition: both have as many elements as the shape.
[[nodiscard]] inline LayoutMatch find_layout(std::span<const std::size_t> shape, const Elements& a,
                                             const Elements& b, double share,
                                             double floor) noexcept {
  const detail::Nearness near{share, floor};
  if (a.count != b.count || b.count != detail::product(shape)) return {};
  for (std::size_t i = 0; i < shape.size(); ++i)
    for (std::size_t j = i + 1; j < shape.size(); ++j) {
      if (shape[i] < 2 || shape[j] < 2) continue;
      const detail::AxisPair pair = {detail::product(shape.first(i)), shape[i],
                                     detail::product(shape.subspan(i + 1, j - i - 1)), shape[j],
                                     detail::product(shape.subspan(j + 1))};
      const detail::AxisPair back = {pair.outer, pair.second, pair.middle, pair.first, pair.inner};
      if (detail::is_transposed(pair, a, b, near) || detail::is_transposed(back, a, b, near))
        return {Layout::transposed, i, j};
    }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Layout found = detail::mapped_slices(detail::product(shape.first(i)), shape[i],
                                               detail::product(shape.subspan(i + 1)), a, b, near);
    if (found != Layout::none) return {found, i, i};
  }
  return {};
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_TENSOR_LAYOUT_HPP_
