// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rotary embedding with angles from long double.
#ifndef TESSERA_TESTS_REFERENCE_ROPE_HPP_
#define TESSERA_TESTS_REFERENCE_ROPE_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

struct Turn {
  double cos;
  double sin;
};

/// Cosine and sine of position * base^(-2p / rotary).
inline Turn turn(long position, double base, std::size_t p, std::size_t rotary) {
  const long double exponent = -static_cast<long double>(2 * p) / static_cast<long double>(rotary);
  const long double angle =
      static_cast<long double>(position) * std::pow(static_cast<long double>(base), exponent);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

/// What a model asks of its angles, in the words of GGUF runtimes.
struct RopeModel {
  double base = 10000;
  std::size_t pairs = 0;
  int planes = 0;  ///< 0: one position; 1: sections; 2: interleaved sections; 3: vision
  unsigned section[4] = {};
  std::vector<float> factors = {};
  double frequency_scale = 1;
  double ext_factor = 0;
  double attention_factor = 1;
  double beta_fast = 32;
  double beta_slow = 1;
  unsigned context = 0;
};

/// Cosine and sine of pair p of a token with these positions (one, or t, h, w and e), in long double.
inline Turn turn(const RopeModel& m, const long* positions, std::size_t p) {
  using Real = long double;
  std::size_t plane = 0;
  std::size_t from = 0;
  if (m.planes != 0) {
    const std::size_t sum = m.section[0] + m.section[1] + m.section[2] + m.section[3];
    const std::size_t s = p % sum;
    if (m.planes == 2) {
      plane = 3;
      if (s % 3 == 1 && s < 3 * std::size_t{m.section[1]}) plane = 1;
      if (s % 3 == 2 && s < 3 * std::size_t{m.section[2]}) plane = 2;
      if (s % 3 == 0 && s < 3 * std::size_t{m.section[0]}) plane = 0;
    } else {
      std::size_t begin = 0;
      while (plane < 3 && s >= begin + m.section[plane]) begin += m.section[plane++];
      if (m.planes == 3) from = p - (s - begin);
    }
  }
  const Real n = static_cast<Real>(m.planes == 3 ? m.pairs : 2 * m.pairs);
  Real theta = static_cast<Real>(positions[plane]) *
               std::pow(static_cast<Real>(m.base), -2 * static_cast<Real>(p - from) / n);
  if (!m.factors.empty()) theta /= static_cast<Real>(m.factors[p]);
  const Real scaled = theta * static_cast<Real>(m.frequency_scale);
  Real angle = scaled;
  Real magnitude = static_cast<Real>(m.attention_factor);
  if (m.ext_factor != 0) {
    Real low = 0;
    Real high = 0;
    if (m.context != 0) {
      const auto c = [&](double beta) {
        return n * std::log(static_cast<Real>(m.context) / (2 * std::acos(Real{-1}) * beta)) /
               (2 * std::log(static_cast<Real>(m.base)));
      };
      low = std::max(Real{0}, std::floor(c(m.beta_fast)));
      high = std::min(n - 1, std::ceil(c(m.beta_slow)));
    }
    const Real t = (static_cast<Real>(p) - low) / std::max(Real{0.001L}, high - low);
    const Real ramp = 1 - std::min(Real{1}, std::max(Real{0}, t));
    const Real mix = ramp * static_cast<Real>(m.ext_factor);
    angle = scaled * (1 - mix) + theta * mix;
    magnitude *= 1 + Real{0.1L} * std::log(1 / static_cast<Real>(m.frequency_scale));
  }
  return {static_cast<double>(std::cos(angle) * magnitude),
          static_cast<double>(std::sin(angle) * magnitude)};
}

/// One head: pairs (2p, 2p + 1), or (p, p + rotary / 2) with `half`; the rest is copied. Appended to
/// `out`. Roundings: cosine and sine (2^-25 and the angle's own 2^-28 absolute), one product, one sum.
inline void rope(const float* x, std::size_t dim, std::size_t rotary, bool half, long position,
                 double base, Expected& out) {
  const std::size_t begin = out.value.size();
  out.value.insert(out.value.end(), x, x + dim);
  out.limit.insert(out.limit.end(), dim, 0.0);
  for (std::size_t p = 0; p < rotary / 2; ++p) {
    const std::size_t i = half ? p : 2 * p;
    const std::size_t j = half ? p + rotary / 2 : 2 * p + 1;
    const double a = x[i];
    const double b = x[j];
    const Turn t = turn(position, base, p, rotary);
    out.value[begin + i] = a * t.cos - b * t.sin;
    out.value[begin + j] = b * t.cos + a * t.sin;
    const double limit =
        (std::fabs(a) + std::fabs(b)) * (0x1p-25 + 0x1p-28 + relative_limit(2.0)) + 2 * smallest;
    out.limit[begin + i] = out.limit[begin + j] = limit;
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ROPE_HPP_
