// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Recurrences with a matrix per head in double, with a running bound of the float kernels' error.
#ifndef TESSERA_TESTS_REFERENCE_RECURRENCE_HPP_
#define TESSERA_TESTS_REFERENCE_RECURRENCE_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

enum class Recurring { delta, linear, rwkv6, rwkv7 };

/// Dense operands of one sequence, [token][head][element]. A state is [head][key][value].
struct Recurrence {
  Recurring rule;
  std::size_t heads, key_heads, keys, values, tokens;
  bool modulo;
  const float* read;
  const float* write;
  const float* value;
  const float* gate;            ///< delta: logarithms, `gate_width` per head, or null
  std::size_t gate_width;       ///< 1 or keys
  const float* beta = nullptr;  ///< [token][head]
  const float* look = nullptr;
  const float* extra = nullptr;  ///< rwkv6: the bonus, [head][key]
  double scale = 1;
  const float* state = nullptr;
};

/// One head's column (value j): keys of M, and the 2-norm of what the kernel's may differ by.
struct RecurringColumn {
  std::vector<double> m;
  double error = 0;
};

inline double norm_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

/// A token's vectors of one head, in double.
struct RecurringToken {
  std::vector<double> read, write, gate, look, extra;
  double beta = 0;
};

inline RecurringToken token_of(const Recurrence& r, std::size_t h, std::size_t t) {
  const std::size_t kh = r.modulo ? h % r.key_heads : h / (r.heads / r.key_heads);
  const auto take = [&](const float* p, std::size_t head, std::size_t heads, std::size_t n) {
    std::vector<double> v(r.keys);
    for (std::size_t i = 0; i < r.keys; ++i) v[i] = double{p[(t * heads + head) * n + i % n]};
    return v;
  };
  RecurringToken x;
  x.read = take(r.read, kh, r.key_heads, r.keys);
  x.write = take(r.write, kh, r.key_heads, r.keys);
  x.gate = r.gate == nullptr ? std::vector<double>(r.keys, r.rule == Recurring::delta ? 0.0 : 1.0)
                             : take(r.gate, h, r.heads, r.gate_width);
  if (r.rule == Recurring::delta) {
    for (double& g : x.gate) g = std::exp(g);
    x.beta = double{r.beta[t * r.heads + h]};
  }
  if (r.rule == Recurring::rwkv7) {
    x.look = take(r.look, h, r.heads, r.keys);
    x.extra = take(r.extra, h, r.heads, r.keys);
  }
  if (r.rule == Recurring::rwkv6)
    for (std::size_t i = 0; i < r.keys; ++i)
      x.extra.push_back(double{r.extra[h * r.keys + i]} * x.write[i]);
  return x;
}

/// One token of one column; appends nothing, returns (out, its limit) before the scale.
inline std::pair<double, double> advance(Recurring rule, const RecurringToken& x, double v,
                                         RecurringColumn& c) {
  const std::size_t n = c.m.size();
  const double keys = static_cast<double>(n);
  const double e = epsilon * 1.001;
  double seen = 0, seen_magnitude = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double look = rule == Recurring::delta   ? x.gate[i] * x.write[i]
                        : rule == Recurring::rwkv7 ? x.look[i]
                                                   : 0.0;
    seen += look * c.m[i];
    seen_magnitude += std::fabs(look * c.m[i]);
    largest = std::max(largest, std::fabs(x.gate[i]));
  }
  double out = 0, magnitude = 0;
  const auto read = [&] {
    for (std::size_t i = 0; i < n; ++i) {
      const double bonus = rule == Recurring::rwkv6 ? x.extra[i] * v : 0.0;
      out += x.read[i] * (c.m[i] + bonus);
      magnitude += std::fabs(x.read[i]) * (std::fabs(c.m[i]) + std::fabs(bonus));
    }
  };
  const double before = c.error;
  if (rule == Recurring::rwkv6) read();
  // What a step does to an error, and what it adds: the gate (exp 1 ulp), products and sums.
  const double write_norm = norm_of(x.write);
  const double written = rule == Recurring::delta ? x.beta * (v - seen) : v;
  double growth = largest;
  double added = 3 * e * largest * norm_of(c.m) + 2 * smallest * keys;
  if (rule == Recurring::delta) {
    growth *= std::max(1.0, std::fabs(1 - x.beta * write_norm * write_norm));
    added += write_norm * std::fabs(x.beta) *
             ((keys + 5) * e * seen_magnitude + 3 * e * (std::fabs(v) + std::fabs(seen)));
  }
  if (rule == Recurring::rwkv7) {
    growth += norm_of(x.look) * norm_of(x.extra);
    added += norm_of(x.extra) * (keys + 1) * e * seen_magnitude +
             2 * e * norm_of(x.extra) * std::fabs(seen);
  }
  for (std::size_t i = 0; i < n; ++i) {
    c.m[i] = x.gate[i] * c.m[i] + x.write[i] * written;
    if (rule == Recurring::rwkv7) c.m[i] += x.extra[i] * seen;
  }
  added += e * (norm_of(c.m) + 2 * write_norm * std::fabs(written));
  c.error = c.error * growth * (1 + 4 * e) + added;
  if (rule != Recurring::rwkv6) read();
  const double carried = rule == Recurring::rwkv6 ? before : c.error;
  return {out, norm_of(x.read) * carried + (keys + 3) * e * magnitude + smallest * (keys + 1)};
}

/// Outputs [token][head][value], then the final states [head][key][value].
inline Expected recurrence(const Recurrence& r) {
  Expected want;
  const std::size_t outs = r.tokens * r.heads * r.values;
  want.value.resize(outs + r.heads * r.keys * r.values);
  want.limit = want.value;
  for (std::size_t h = 0; h < r.heads; ++h) {
    std::vector<RecurringColumn> columns(r.values);
    for (std::size_t j = 0; j < r.values; ++j)
      for (std::size_t i = 0; i < r.keys; ++i)
        columns[j].m.push_back(double{r.state[(h * r.keys + i) * r.values + j]});
    for (std::size_t t = 0; t < r.tokens; ++t) {
      const RecurringToken x = token_of(r, h, t);
      for (std::size_t j = 0; j < r.values; ++j) {
        const std::size_t at = (t * r.heads + h) * r.values + j;
        const auto [out, limit] = advance(r.rule, x, double{r.value[at]}, columns[j]);
        want.value[at] = out * r.scale;
        want.limit[at] = std::fabs(r.scale) * (limit + epsilon * std::fabs(out)) * 1.001 + smallest;
      }
    }
    for (std::size_t i = 0; i < r.keys; ++i)
      for (std::size_t j = 0; j < r.values; ++j) {
        want.value[outs + (h * r.keys + i) * r.values + j] = columns[j].m[i];
        want.limit[outs + (h * r.keys + i) * r.values + j] = columns[j].error * 1.001 + smallest;
      }
  }
  return want;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_RECURRENCE_HPP_
