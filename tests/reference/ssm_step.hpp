// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Decode steps in double: one token's convolution, then the recurrence's own reference on its rows; limits
/// hold what the rows may be off by.
#ifndef TESSERA_TESTS_REFERENCE_SSM_STEP_HPP_
#define TESSERA_TESTS_REFERENCE_SSM_STEP_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/reference/expected.hpp"
#include "tests/reference/l2_norm.hpp"
#include "tests/reference/recurrence.hpp"
#include "tests/reference/ssm_conv.hpp"
#include "tests/reference/ssm_scan.hpp"

namespace reference {

/// The convolution's operands of one token, dense.
struct StepConvolution {
  std::size_t width, channels;
  const float* x;
  const float* weight;  ///< [tap][channel]
  const float* bias;    ///< or null
  const float* state;   ///< [row][channel]
};

/// Rows as floats, and how far the kernel's may be from them.
struct StepRows {
  std::vector<float> value;
  std::vector<double> error;

  explicit StepRows(const Expected& e) {
    for (std::size_t i = 0; i < e.value.size(); ++i) {
      value.push_back(static_cast<float>(e.value[i]));
      error.push_back(e.limit[i] + epsilon * std::fabs(e.value[i]) + smallest);
    }
  }
  const float* at(std::size_t i) const { return value.data() + i; }
};

inline Expected step_convolution(const StepConvolution& s) {
  Expected rows;
  std::vector<float> x(s.width), taps(s.width);
  for (std::size_t c = 0; c < s.channels; ++c) {
    for (std::size_t k = 0; k < s.width; ++k) {
      x[k] = k + 1 < s.width ? s.state[k * s.channels + c] : s.x[c];
      taps[k] = s.weight[k * s.channels + c];
    }
    ssm_conv(x.data(), taps.data(), s.width, s.bias == nullptr ? 0 : s.bias[c], true, rows);
  }
  return rows;
}

/// The new state of the convolution, which is copied.
inline void append_convolution_state(const StepConvolution& s, Expected& want) {
  for (std::size_t i = s.channels; i < s.width * s.channels; ++i) {
    const std::size_t last = (s.width - 1) * s.channels;
    want.value.push_back(double{i < last ? s.state[i] : s.x[i - last]});
    want.limit.push_back(0);
  }
}

/// `s` is complete but for x, b and c. Outputs, the scan's state, the convolution's.
inline Expected mamba2_step(const StepConvolution& conv, Scan s) {
  const StepRows rows(step_convolution(conv));
  const std::size_t columns = s.heads * s.dim, shared = s.groups * s.states;
  s.x = rows.at(0), s.b = rows.at(columns), s.c = rows.at(columns + shared);
  Expected want = ssm_scan(s);
  for (std::size_t col = 0; col < columns; ++col) {
    const std::size_t h = col / s.dim;
    double step = double{s.dt[h]};
    if (s.softplus && step <= 20) step = std::log1p(std::exp(step));
    step = std::min(std::max(step, s.dt_min), s.dt_max);
    const double x = std::fabs(double{s.x[col]}), x_error = rows.error[col];
    double y_error = s.d == nullptr ? 0 : std::fabs(double{s.d[h]}) * x_error;
    for (std::size_t n = 0; n < s.states; ++n) {
      const std::size_t at = h / (s.heads / s.groups) * s.states + n;
      const double b_error = rows.error[columns + at], c_error = rows.error[columns + shared + at];
      const double error = step * (b_error * (x + x_error) + std::fabs(double{s.b[at]}) * x_error);
      const double state = std::fabs(want.value[columns + n * columns + col]);
      y_error += c_error * (state + error) + std::fabs(double{s.c[at]}) * error;
      want.limit[columns + n * columns + col] += 1.01 * error;
    }
    const double z = s.z == nullptr ? 0 : double{s.z[col]};
    want.limit[col] += 1.01 * y_error * (s.z == nullptr ? 1 : std::fabs(z / (1 + std::exp(-z))));
  }
  append_convolution_state(conv, want);
  return want;
}

/// A row of unit length: what the error of its elements does to them.
inline StepRows unit_row(const StepRows& rows, std::size_t first, std::size_t n, float eps) {
  Expected unit;
  l2_norm(rows.at(first), n, eps, unit);
  double length = 0, error = 0;
  for (std::size_t i = first; i < first + n; ++i) {
    length += double{rows.value[i]} * double{rows.value[i]};
    error += rows.error[i] * rows.error[i];
  }
  length = std::max(std::sqrt(length), double{eps}), error = std::sqrt(error);
  for (std::size_t i = 0; i < n; ++i)
    unit.limit[i] += 1.01 * (rows.error[first + i] + std::fabs(unit.value[i]) * error) / length;
  return StepRows(unit);
}

/// `r` is complete but for read, write and value. Outputs, the recurrence's state, the convolution's.
inline Expected gated_delta_net_step(const StepConvolution& conv, Recurrence r, float eps) {
  const StepRows rows(step_convolution(conv));
  const std::size_t keys = r.keys, shared = r.key_heads * keys;
  StepRows q{Expected{}}, k{Expected{}};
  for (std::size_t h = 0; h < r.key_heads; ++h)
    for (auto* to : {&q, &k}) {
      const StepRows unit = unit_row(rows, (to == &q ? 0 : shared) + h * keys, keys, eps);
      to->value.insert(to->value.end(), unit.value.begin(), unit.value.end());
      to->error.insert(to->error.end(), unit.error.begin(), unit.error.end());
    }
  r.read = q.at(0), r.write = k.at(0), r.value = rows.at(2 * shared);
  Expected want = recurrence(r);
  const std::size_t outs = r.heads * r.values;
  for (std::size_t h = 0; h < r.heads; ++h) {
    const std::size_t key = (r.modulo ? h % r.key_heads : h / (r.heads / r.key_heads)) * keys;
    const RecurringToken token = token_of(r, h, 0);
    for (std::size_t j = 0; j < r.values; ++j) {
      const std::size_t at = h * r.values + j;
      double seen = 0, seen_error = 0, out_error = 0;
      for (std::size_t i = 0; i < keys; ++i) {
        const double m = token.gate[i] * double{r.state[(h * keys + i) * r.values + j]};
        seen += token.write[i] * m;
        seen_error += k.error[key + i] * std::fabs(m);
      }
      const double delta_error = std::fabs(token.beta) * (rows.error[2 * shared + at] + seen_error);
      const double delta = std::fabs(token.beta * (double{r.value[at]} - seen)) + delta_error;
      for (std::size_t i = 0; i < keys; ++i) {
        const std::size_t state = outs + (h * keys + i) * r.values + j;
        const double error = k.error[key + i] * delta + std::fabs(token.write[i]) * delta_error;
        out_error += q.error[key + i] * (std::fabs(want.value[state]) + error) +
                     std::fabs(token.read[i]) * error;
        want.limit[state] += 1.01 * error;
      }
      want.limit[at] += 1.01 * std::fabs(r.scale) * out_error;
    }
  }
  append_convolution_state(conv, want);
  return want;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_SSM_STEP_HPP_
