// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Error norms, computed in double, that a NaN cannot pass.
///
/// Every norm of results with an unexpected NaN or infinity is NaN, and every check is written
/// `!(error <= limit)`. A NaN where the reference has a NaN, and the same infinity where it has one,
/// are right and count as no error. A length mismatch is NaN too.
#ifndef TESSERA_TESTS_SUPPORT_NORMS_HPP_
#define TESSERA_TESTS_SUPPORT_NORMS_HPP_

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "tessera/core/arithmetic.hpp"

namespace tessera_test {

/// got - want; 0 for two NaNs or two equal infinities; NaN for any other pair that is not finite.
template <class Got, class Want>
double difference(Got got, Want want) noexcept {
  const auto g = static_cast<double>(got);
  const auto w = static_cast<double>(want);
  if (std::isnan(g) && std::isnan(w)) return 0.0;
  if (std::isinf(g) && g == w) return 0.0;
  if (!std::isfinite(g) || !std::isfinite(w)) return std::numeric_limits<double>::quiet_NaN();
  return g - w;
}

/// The spacing of floats at the magnitude of x (the subnormal spacing below the normal range).
inline double float_spacing(double x) noexcept {
  if (!(std::fabs(x) >= static_cast<double>(FLT_MIN))) return 0x1p-149;
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, exponent - 24);
}

/// |got - want| in spacings of floats at `want`. A result that overflows where the exact value lies
/// beyond the largest float (by half a spacing) is right.
inline double ulp_error(float got, double want) noexcept {
  constexpr double overflow = 0x1.ffffffp127;
  if (std::isfinite(want) && std::fabs(want) >= overflow)
    return std::isinf(got) && (got > 0) == (want > 0) ? 0.0
           : std::isfinite(got) ? std::fabs(static_cast<double>(got) - want) / 0x1p104
                                : std::numeric_limits<double>::quiet_NaN();
  return std::fabs(difference(got, want)) / float_spacing(want);
}

/// Largest |got - want|, and where. Limits apply to `value`; NaN if any pair cannot be compared.
struct Worst {
  double value = 0.0;
  std::size_t index = 0;
};

namespace norms_detail {

/// Keeps the larger; a NaN is largest and stays.
inline void take(Worst& worst, double value, std::size_t index) noexcept {
  if (!std::isnan(worst.value) && !(value <= worst.value)) worst = {value, index};
}

/// nmse of elements [first, first + count).
template <class Got, class Want>
double nmse_of(const Got& got, const Want& want, std::size_t first, std::size_t count) noexcept {
  double error = 0.0;
  double scale = 0.0;
  for (std::size_t i = first; i < first + count; ++i) {
    const double e = difference(got[i], want[i]);
    const auto w = static_cast<double>(want[i]);
    error += e * e;
    if (std::isfinite(w)) scale += w * w;
  }
  return error == 0.0 ? 0.0 : error / scale;
}

}  // namespace norms_detail

/// `got` and `want` of this and the following are spans, vectors or arrays of float or double.
template <class Got, class Want>
Worst worst_error(const Got& got, const Want& want) noexcept {
  if (got.size() != want.size()) return {std::numeric_limits<double>::quiet_NaN(), 0};
  Worst worst;
  for (std::size_t i = 0; i < got.size(); ++i)
    norms_detail::take(worst, std::fabs(difference(got[i], want[i])), i);
  return worst;
}

/// Largest ulp_error, and where.
template <class Got, class Want>
Worst worst_ulp(const Got& got, const Want& want) noexcept {
  if (got.size() != want.size()) return {std::numeric_limits<double>::quiet_NaN(), 0};
  Worst worst;
  for (std::size_t i = 0; i < got.size(); ++i)
    norms_detail::take(worst, ulp_error(got[i], static_cast<double>(want[i])), i);
  return worst;
}

/// sum (got - want)^2 / sum want^2. No error gives 0; an error where every finite reference is 0
/// gives infinity.
template <class Got, class Want>
double nmse(const Got& got, const Want& want) noexcept {
  if (got.size() != want.size()) return std::numeric_limits<double>::quiet_NaN();
  return norms_detail::nmse_of(got, want, 0, got.size());
}

/// The largest nmse of a row of `cols` values: one bad row among many good ones is not averaged away.
template <class Got, class Want>
Worst worst_row_nmse(const Got& got, const Want& want, std::size_t cols) noexcept {
  if (got.size() != want.size() || cols == 0 || got.size() % cols != 0)
    return {std::numeric_limits<double>::quiet_NaN(), 0};
  Worst worst;
  for (std::size_t row = 0; row * cols < got.size(); ++row)
    norms_detail::take(worst, norms_detail::nmse_of(got, want, row * cols, cols), row);
  return worst;
}

/// Is the error at most the limit? A NaN, on either side, is not.
[[nodiscard]] inline testing::AssertionResult within(double error, double limit) {
  if (!(error <= limit))
    return testing::AssertionFailure() << "error " << error << " is not within " << limit;
  return testing::AssertionSuccess();
}
[[nodiscard]] inline testing::AssertionResult within(Worst error, double limit) {
  if (!(error.value <= limit))
    return testing::AssertionFailure()
           << "error " << error.value << " at " << error.index << " is not within " << limit;
  return testing::AssertionSuccess();
}

/// A limit for a sum of k products in f32, each operation rounded once, from the sum of the
/// products' magnitudes: k * 2^-24 * sum |a||b|, and the smallest float for underflow.
inline double dot_limit(std::size_t k, double sum_of_magnitudes) noexcept {
  return static_cast<double>(k) * 0x1p-24 * sum_of_magnitudes + static_cast<double>(k) * 0x1p-149;
}

/// The same bits; two NaNs are equal whatever their payload, the two zeros are not.
inline bool same_bits(float a, float b) noexcept {
  const std::uint32_t x = tessera::bits_of(a);
  const std::uint32_t y = tessera::bits_of(b);
  const bool both_nan = (x & 0x7fffffffu) > 0x7f800000u && (y & 0x7fffffffu) > 0x7f800000u;
  return both_nan || x == y;
}

/// The same bits in all places; NaNs by class.
[[nodiscard]] inline testing::AssertionResult same_bits(std::span<const float> a,
                                                        std::span<const float> b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << a.size() << " values against " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same_bits(a[i], b[i]))
      return testing::AssertionFailure()
             << "element " << i << " of " << a.size() << ": " << a[i] << " (0x" << std::hex
             << tessera::bits_of(a[i]) << ") against " << b[i] << " (0x" << tessera::bits_of(b[i])
             << ")";
  return testing::AssertionSuccess();
}

/// The same bytes in all places.
[[nodiscard]] inline testing::AssertionResult same_bytes(std::span<const std::byte> a,
                                                         std::span<const std::byte> b) {
  if (a.size() != b.size())
    return testing::AssertionFailure() << a.size() << " bytes against " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return testing::AssertionFailure()
             << "byte " << i << " of " << a.size() << ": 0x" << std::hex
             << std::to_integer<int>(a[i]) << " against 0x" << std::to_integer<int>(b[i]);
  return testing::AssertionSuccess();
}

/// Is the norm of the error at most `limit` times that of `want`?
template <class Got, class Want>
[[nodiscard]] testing::AssertionResult within_norm(const Got& got, const Want& want, double limit) {
  return within(std::sqrt(nmse(got, want)), limit);
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_NORMS_HPP_
