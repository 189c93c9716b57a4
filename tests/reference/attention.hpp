// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention of one query in double: naive, all scores at once.
#ifndef TESSERA_TESTS_REFERENCE_ATTENTION_HPP_
#define TESSERA_TESTS_REFERENCE_ATTENTION_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/reference/expected.hpp"

namespace reference {

/// One query head's view of its key head: rows `stride` floats apart.
struct Rows {
  const float* data;
  std::ptrdiff_t stride;
  const float* row(std::size_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

/// What happens to the scores of one query, and beyond.
struct Scoring {
  float scale = 1.0f;
  float soft_cap = 0.0f;        ///< 0: none
  std::vector<double> bias;     ///< one per key, -inf: the key does not count
  const float* sink = nullptr;  ///< one more score without a value
  const float* gate = nullptr;  ///< dv of them: output times sigmoid(gate)
};

/// softmax(cap(scale * q K^T) + bias) V, appended to `out`; no key: zeros. Appends the log-sum-exp to
/// `log_sum_exp` if given. Limits: a score's roundings are absolute errors of an exponent; the rest are
/// relative ones of the probabilities and sums (exp twice per block and fold, one per key, the division).
inline void attention(const float* q, const Rows& k, const Rows& v, std::size_t dk, std::size_t dv,
                      const Scoring& how, Expected& out, Expected* log_sum_exp = nullptr) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::size_t keys = how.bias.size();
  std::vector<double> s(keys);
  double largest = how.sink != nullptr ? double{*how.sink} : -inf;
  double score_error = 0;
  for (std::size_t j = 0; j < keys; ++j) {
    s[j] = -inf;
    if (how.bias[j] == -inf) continue;
    double dot = 0;
    double magnitude = 0;
    for (std::size_t d = 0; d < dk; ++d) {
      const double p = double{q[d]} * double{k.row(j)[d]};
      dot += p;
      magnitude += std::fabs(p);
    }
    s[j] = dot * double{how.scale};
    double error = relative_limit(dk + 1) * magnitude * std::fabs(double{how.scale});
    if (how.soft_cap != 0) {
      const double cap = how.soft_cap;
      s[j] = cap * std::tanh(s[j] / cap);
      error += relative_limit(8.0) * std::fabs(s[j]);
    }
    s[j] += how.bias[j];
    if (how.bias[j] != 0) error += relative_limit(2.0) * (std::fabs(s[j]) + std::fabs(how.bias[j]));
    largest = std::max(largest, s[j]);
    score_error = std::max(score_error, error);
  }
  double sum = how.sink != nullptr ? std::exp(double{*how.sink} - largest) : 0;
  double widest = how.sink != nullptr ? std::min(largest - double{*how.sink}, 110.0) : 0;
  for (std::size_t j = 0; j < keys; ++j) {
    if (s[j] == -inf) continue;
    sum += std::exp(s[j] - largest);
    widest = std::max(widest, std::min(largest - s[j], 110.0));
  }
  const double blocks = static_cast<double>(keys / 64 + 1);
  const double relative = 2 * score_error + 2 * relative_limit(widest * (blocks + 1)) +
                          relative_limit(2 * static_cast<double>(keys) + 8 * blocks + 20);
  for (std::size_t d = 0; d < dv; ++d) {
    double o = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      if (s[j] == -inf) continue;
      const double p = std::exp(s[j] - largest) / sum;
      o += p * double{v.row(j)[d]};
      magnitude += p * std::fabs(double{v.row(j)[d]});
    }
    const double gate = how.gate == nullptr ? 1.0 : 1 / (1 + std::exp(-double{how.gate[d]}));
    out.value.push_back(o * gate);
    out.limit.push_back((relative + relative_limit(4.0)) * magnitude * gate +
                        smallest * (static_cast<double>(keys) + 4));
  }
  if (log_sum_exp == nullptr) return;
  const double lse = sum == 0 ? -inf : largest + std::log(sum);
  log_sum_exp->value.push_back(lse);
  log_sum_exp->limit.push_back(
      sum == 0 ? 0 : relative + relative_limit(2.0) * (std::fabs(lse) + std::fabs(largest)));
}

/// The same over the first `visible` keys and nothing else.
inline void attention(const float* q, const Rows& k, const Rows& v, std::size_t visible,
                      std::size_t dk, std::size_t dv, float scale, Expected& out) {
  Scoring how;
  how.scale = scale;
  how.bias.resize(visible);
  attention(q, k, v, dk, dv, how, out);
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ATTENTION_HPP_
