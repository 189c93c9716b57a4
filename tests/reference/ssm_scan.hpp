// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The selective state-space scan in double, with a running bound of the float kernel's error.
#ifndef TESSERA_TESTS_REFERENCE_SSM_SCAN_HPP_
#define TESSERA_TESTS_REFERENCE_SSM_SCAN_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

/// Dense operands of one sequence, token by token. Rates: one per head, or [state][head].
struct Scan {
  std::size_t heads, dim, groups, states, tokens;
  bool rate_per_state;
  const float* x;   ///< [token][head][channel]
  const float* dt;  ///< [token][head]
  const float* a;
  const float* b;  ///< [token][group][state]
  const float* c;
  const float* d = nullptr;      ///< [head]
  const float* z = nullptr;      ///< as x
  const float* state = nullptr;  ///< [state][head][channel], before the first token
  bool softplus = true;
  double dt_min = 0;
  double dt_max = HUGE_VAL;
};

/// Outputs [token][head][channel] and the final state [state][head][channel], in this order.
/// Each rounding of the kernel is half an ulp: softplus 2 ulp, exp 1 ulp and its argument's error.
inline Expected ssm_scan(const Scan& s) {
  const std::size_t columns = s.heads * s.dim;
  Expected out;
  out.value.resize((s.tokens + s.states) * columns);
  out.limit = out.value;
  std::vector<double> m(s.states), magnitude(s.states), error(s.states);
  const double e = epsilon * 1.001;
  for (std::size_t col = 0; col < columns; ++col) {
    const std::size_t h = col / s.dim;
    const std::size_t g = h / (s.heads / s.groups);
    for (std::size_t n = 0; n < s.states; ++n) {
      m[n] = double{s.state[n * columns + col]};
      magnitude[n] = std::fabs(m[n]);
      error[n] = 0;
    }
    for (std::size_t t = 0; t < s.tokens; ++t) {
      double step = double{s.dt[t * s.heads + h]};
      if (s.softplus && step <= 20) step = std::log1p(std::exp(step));
      step = std::min(std::max(step, s.dt_min), s.dt_max);
      const double x = double{s.x[t * columns + col]};
      const double u = x * step;
      double y = 0, y_error = 0, y_magnitude = 0;
      for (std::size_t n = 0; n < s.states; ++n) {
        const double rate = double{s.a[s.rate_per_state ? n * s.heads + h : h]};
        const double decay = std::exp(step * rate);
        const double b = double{s.b[(t * s.groups + g) * s.states + n]};
        const double c = double{s.c[(t * s.groups + g) * s.states + n]};
        const double decay_error = decay * e * (3 + 5 * std::fabs(step * rate)) + smallest;
        error[n] = error[n] * (decay + decay_error) + magnitude[n] * decay_error +
                   e * magnitude[n] * decay + 6 * e * std::fabs(b * u) + 3 * smallest;
        m[n] = m[n] * decay + b * u;
        magnitude[n] = magnitude[n] * decay + std::fabs(b * u);
        error[n] += e * magnitude[n];
        y += c * m[n];
        y_magnitude += std::fabs(c) * magnitude[n];
        y_error += std::fabs(c) * error[n] + smallest;
      }
      if (s.d != nullptr) {
        y += double{s.d[h]} * x;
        y_magnitude += std::fabs(double{s.d[h]} * x);
      }
      y_error += relative_limit(s.states + 1) * y_magnitude;
      if (s.z != nullptr) {
        const double z = double{s.z[t * columns + col]};
        const double gate = z / (1 + std::exp(-z));
        y *= gate;
        y_error = std::fabs(gate) * y_error + std::fabs(y) * 8 * e + y_magnitude * 0x1p-142;
      }
      out.value[t * columns + col] = y;
      out.limit[t * columns + col] = y_error * 1.001 + smallest;
    }
    for (std::size_t n = 0; n < s.states; ++n) {
      out.value[(s.tokens + n) * columns + col] = m[n];
      out.limit[(s.tokens + n) * columns + col] = error[n] * 1.001 + smallest;
    }
  }
  return out;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_SSM_SCAN_HPP_
