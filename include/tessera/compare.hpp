// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Two tensors that should be the same: how far apart they are, and of what kind the difference is.
///
/// A computed tensor is compared with a reference. All sums are of doubles, in ascending order; the
/// results are for people and limits, their last bits may differ between compilers. An error in the
/// order of the elements ("sensitive") that vanishes when both are sorted ("insensitive") is one of
/// layout: the right numbers at wrong places.
#ifndef TESSERA_COMPARE_HPP_
#define TESSERA_COMPARE_HPP_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/elements.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/tensor_layout.hpp"
#include "tessera/core/value_order.hpp"

TESSERA_NAMESPACE_BEGIN

/// Elements that are no finite number.
struct NonFinite {
  std::size_t nan = 0;
  std::size_t plus = 0;   ///< +infinity
  std::size_t minus = 0;  ///< -infinity
};

/// ulps[0] counts equal places, ulps[i] distances of [2^(i-1), 2^i), the last one all larger ones.
inline constexpr std::size_t ulp_buckets = 34;

/// What two tensors of `count` elements have in common. Norms are over pairs of finite elements; a
/// pair of which one is not, or two that are not alike, counts in `mismatched` alone.
struct Comparison {
  std::size_t count = 0;
  std::size_t differing = 0;   ///< pairs with other bits; two NaNs are alike, 0 and -0 are not
  std::size_t mismatched = 0;  ///< pairs of which one is NaN or infinite and the other not so
  std::size_t overflowed = 0;  ///< of those: infinite where the reference is beyond the largest f16
  std::size_t first = 0;       ///< the first pair that differs; `count` if none
  std::size_t worst = 0;       ///< the pair farthest apart, a mismatch before all; `count` if none
  NonFinite computed = {};
  NonFinite reference = {};
  double max_abs = 0;      ///< largest |a - b|
  double max_rel = 0;      ///< largest |a - b| / |b|; infinite where b is 0 and a is not
  double max_local = 0;    ///< largest |a - b| / (|b| + root mean square of b)
  double rms = 0;          ///< root mean square of the reference
  double nmse = 0;         ///< sum of (a - b)^2 over sum of b^2
  double sensitive = 0;    ///< its square root: the relative error in the elements' order
  double insensitive = 0;  ///< the same of both sorted; NaN if there was no workspace to sort in
  double cosine = 1;       ///< of the angle between the two; 1 if both are 0, 0 if one is
  double factor = 1;       ///< the multiple of b that is nearest to a
  double beside = 0;       ///< the relative error that remains if b is multiplied by it
  std::size_t ulps[ulp_buckets] = {};  ///< in units of the coarser of the two types
};

/// How far rounding alone may take two right computations apart.
struct RoundingLimits {
  double sensitive;  ///< of Comparison::sensitive
  double local;      ///< of Comparison::max_local
};

/// Limits for an expected share of error in the whole tensor. One element may be off by 32 times that,
/// but not by more than a quarter: it is measured against itself and the tensor's rms, and the largest
/// of a million roundings is 5 to 10 times their rms.
[[nodiscard]] TESSERA_INLINE constexpr RoundingLimits rounding_limits(double sensitive) noexcept {
  return {sensitive, sensitive > 0.25 / 32 ? 0.25 : 32 * sensitive};
}

/// The limits unless the caller knows better.
///
/// f32 and f64: 1e-4, about 2^11 half units in the last place of f32. A sum of n products errs by
/// sqrt(n) of them at random and n at worst; orders of summation, approximations of exp, and some
/// dozens of layers stay below, while a wrong operand gives 1e-2 to 1 at once. f64 has the same:
/// what is dumped as f64 was mostly computed in f32. f16: 1e-2 and bf16: 5e-2, about 20 and 13 half
/// units (2^-11, 2^-8), for values that are rounded again in every layer. Quantised weights need limits
/// of their own.
[[nodiscard]] TESSERA_INLINE constexpr RoundingLimits rounding_limits(Element type) noexcept {
  return rounding_limits(type == Element::bf16 ? 5e-2 : type == Element::f16 ? 1e-2 : 1e-4);
}

/// What a buffer held when it was written and when it was read; equal if nobody knows.
struct BufferHashes {
  std::uint64_t produced = 0;
  std::uint64_t consumed = 0;
};

/// Kinds of difference, from the harmless to the others.
enum class Verdict : std::uint8_t {
  equal,     ///< every bit
  rounding,  ///< within the limits
  layout,    ///< the reference's values at other places
  wrong,     ///< other values
  changed    ///< the buffer was overwritten between its producer and its consumer
};

[[nodiscard]] TESSERA_INLINE constexpr const char* name(Verdict verdict) noexcept {
  return verdict == Verdict::equal      ? "equal"
         : verdict == Verdict::rounding ? "rounding"
         : verdict == Verdict::layout   ? "layout"
         : verdict == Verdict::wrong    ? "wrong"
                                        : "changed";
}
/// Is it more than rounding?
[[nodiscard]] TESSERA_INLINE constexpr bool diverges(Verdict verdict) noexcept {
  return verdict > Verdict::rounding;
}

/// A verdict and, for layout errors, which one.
struct Judgement {
  Verdict verdict = Verdict::equal;
  LayoutMatch layout = {};
};

/// Elements of the workspace that a comparison of `count` elements sorts in.
[[nodiscard]] TESSERA_INLINE constexpr std::size_t compare_workspace(std::size_t count) noexcept {
  return 3 * count;
}

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

inline constexpr double largest_f16 = 65504.0;

[[nodiscard]] TESSERA_INLINE bool is_finite(double x) noexcept {
  return x - x == 0;
}
[[nodiscard]] TESSERA_INLINE double magnitude(double x) noexcept {
  return x < 0 ? -x : x;
}
/// |error| as a share of |scale|: 0 / 0 is no error.
[[nodiscard]] TESSERA_INLINE double share(double error, double scale) noexcept {
  return error == 0 ? 0 : scale == 0 ? std::numeric_limits<double>::infinity() : error / scale;
}

TESSERA_INLINE void count_non_finite(double x, NonFinite& census) noexcept {
  if (x != x)
    ++census.nan;
  else if (!is_finite(x))
    ++(x > 0 ? census.plus : census.minus);
}

[[nodiscard]] TESSERA_INLINE std::size_t ulp_bucket(std::int64_t a, std::int64_t b) noexcept {
  const auto distance = a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                              : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
  std::size_t bucket = 0;
  while (bucket + 1 < ulp_buckets && distance >> bucket != 0) ++bucket;
  return bucket;
}

/// Root mean square of the finite elements.
[[nodiscard]] inline double root_mean_square(const Elements& x) noexcept {
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < x.count; ++i) {
    const double e = internal::element(x, i);
    if (!is_finite(e)) continue;
    sum += e * e;
    ++finite;
  }
  return finite == 0 ? 0 : __builtin_sqrt(sum / static_cast<double>(finite));
}

/// Relative error of the sorted elements; infinite where the counts of NaNs or infinities differ.
[[nodiscard]] inline double sorted_error(const Elements& a, const Elements& b,
                                         std::span<std::uint32_t> workspace) noexcept {
  const auto first = workspace.first(a.count);
  const auto second = workspace.subspan(a.count, a.count);
  const auto spare = workspace.subspan(2 * a.count, a.count);
  sorted_keys(a, first, spare);
  sorted_keys(b, second, spare);
  double error = 0;
  double scale = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    const auto x = static_cast<double>(value_of_key(first[i]));
    const auto y = static_cast<double>(value_of_key(second[i]));
    if (!is_finite(x) || !is_finite(y)) {
      if (first[i] != second[i]) return std::numeric_limits<double>::infinity();
      continue;
    }
    error += (x - y) * (x - y);
    scale += y * y;
  }
  return share(__builtin_sqrt(error), __builtin_sqrt(scale));
}

/// Sums over the pairs of finite elements.
struct PairSums {
  double error = 0;  ///< (a - b)^2
  double aa = 0;
  double ab = 0;
  double bb = 0;
};

/// One pair of elements that are not the same bits.
TESSERA_INLINE void add_pair(double a, double b, std::size_t i, Comparison& c,
                             double& farthest) noexcept {
  if (c.differing++ == 0) c.first = i;
  double local = std::numeric_limits<double>::infinity();
  if (is_finite(a) && is_finite(b)) {
    const double distance = magnitude(a - b);
    if (distance > c.max_abs) c.max_abs = distance;
    const double relative = share(distance, magnitude(b));
    if (relative > c.max_rel) c.max_rel = relative;
    local = share(distance, magnitude(b) + c.rms);
    if (local > c.max_local) c.max_local = local;
  } else {
    ++c.mismatched;
    if (a == a && is_finite(b) && magnitude(b) > largest_f16) ++c.overflowed;
  }
  if (local > farthest) {
    farthest = local;
    c.worst = i;
  }
}

inline void finish(const PairSums& sums, Comparison& c) noexcept {
  c.nmse = share(sums.error, sums.bb);
  c.sensitive = __builtin_sqrt(c.nmse);
  if (sums.aa == 0 && sums.bb == 0) return;
  const double norms = __builtin_sqrt(sums.aa) * __builtin_sqrt(sums.bb);
  c.cosine = norms == 0 ? 0 : sums.ab / norms;
  c.factor = sums.bb == 0 ? 0 : sums.ab / sums.bb;
  // |a - factor b|^2 = aa - factor ab, which cancels to about 1e-16 of aa.
  const double rest = sums.aa - c.factor * sums.ab;
  c.beside = share(__builtin_sqrt(rest > 0 ? rest : 0), __builtin_sqrt(sums.aa));
}

}  // namespace detail

/// Compares `a`, what was computed, with `b`, the reference. `workspace` is for sorting; if it is
/// smaller than compare_workspace(count), the order-insensitive error is NaN.
///
/// Errors: shape_mismatch (the counts differ), null_pointer.
[[nodiscard]] inline Status compare(const Elements& a, const Elements& b,
                                    std::span<std::uint32_t> workspace, Comparison* out) noexcept {
  if (out == nullptr) return Status::null_pointer;
  if (a.count != b.count) return Status::shape_mismatch;
  if (a.count != 0 && (a.data == nullptr || b.data == nullptr)) return Status::null_pointer;
  const Element coarser = a.type < b.type ? a.type : b.type;
  Comparison c;
  c.count = c.first = c.worst = a.count;
  c.rms = detail::root_mean_square(b);
  detail::PairSums sums;
  double farthest = -1;
  for (std::size_t i = 0; i < a.count; ++i) {
    const double x = internal::element(a, i);
    const double y = internal::element(b, i);
    detail::count_non_finite(x, c.computed);
    detail::count_non_finite(y, c.reference);
    if (detail::is_finite(x) && detail::is_finite(y)) {
      sums.error += (x - y) * (x - y);
      sums.aa += x * x;
      sums.ab += x * y;
      sums.bb += y * y;
      ++c.ulps[detail::ulp_bucket(internal::place_of(x, coarser), internal::place_of(y, coarser))];
    }
    const bool both_nan = x != x && y != y;
    if (!both_nan && __builtin_bit_cast(std::uint64_t, x) != __builtin_bit_cast(std::uint64_t, y))
      detail::add_pair(x, y, i, c, farthest);
  }
  detail::finish(sums, c);
  c.insensitive = workspace.size() < compare_workspace(a.count)
                      ? std::numeric_limits<double>::quiet_NaN()
                      : detail::sorted_error(a, b, workspace);
  *out = c;
  return Status::ok;
}

/// What kind of difference it is. `shape` is the reference's, outermost first; without it only an
/// order-insensitive match tells an error of layout.
///
/// Equal sorted values alone are no proof. Two independent samples of n values of one distribution
/// differ by about 1 / sqrt(n) when sorted, so a twentieth of that is demanded besides the rounding
/// limit; and an element that is a little wrong is a step of its neighbours when sorted, so the error
/// in order must be a tenth at least. Values found at their other places (find_layout) need neither.
[[nodiscard]] inline Judgement judge(const Comparison& c, const Elements& a, const Elements& b,
                                     std::span<const std::size_t> shape, RoundingLimits limits,
                                     BufferHashes hashes = {}) noexcept {
  if (hashes.produced != hashes.consumed) return {Verdict::changed, {}};
  if (c.differing == 0) return {Verdict::equal, {}};
  if (c.mismatched == 0 && c.sensitive <= limits.sensitive && c.max_local <= limits.local)
    return {Verdict::rounding, {}};
  const LayoutMatch match = find_layout(shape, a, b, limits.sensitive, c.rms);
  if (match.layout != Layout::none) return {Verdict::layout, match};
  const double by_chance = 1 / __builtin_sqrt(static_cast<double>(c.count));
  if (c.sensitive >= 0.1 && c.insensitive <= limits.sensitive && c.insensitive <= by_chance / 20)
    return {Verdict::layout, {Layout::shuffled, 0, 0}};
  return {Verdict::wrong, {}};
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_COMPARE_HPP_
