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

/// softmax(scale * q K^T) V over the first `visible` keys, appended to `out`; no key: zeros.
/// Limits: a score's roundings are absolute errors of an exponent; the rest are relative ones of the
/// probabilities and sums (exp twice per block and fold, `visible` terms, the division).
inline void attention(const float* q, const Rows& k, const Rows& v, std::size_t visible,
                      std::size_t dk, std::size_t dv, float scale, Expected& out) {
  std::vector<double> s(visible);
  double largest = -std::numeric_limits<double>::infinity();
  double score_error = 0;
  for (std::size_t j = 0; j < visible; ++j) {
    double dot = 0;
    double magnitude = 0;
    for (std::size_t d = 0; d < dk; ++d) {
      const double p = double{q[d]} * double{k.row(j)[d]};
      dot += p;
      magnitude += std::fabs(p);
    }
    s[j] = dot * double{scale};
    largest = std::max(largest, s[j]);
    score_error =
        std::max(score_error, relative_limit(dk + 1) * magnitude * std::fabs(double{scale}));
  }
  double sum = 0;
  double widest = 0;
  for (std::size_t j = 0; j < visible; ++j) {
    sum += std::exp(s[j] - largest);
    widest = std::max(widest, std::min(largest - s[j], 110.0));
  }
  const double blocks = static_cast<double>(visible / 64 + 1);
  const double relative = 2 * score_error + 2 * relative_limit(widest * (blocks + 1)) +
                          relative_limit(2 * static_cast<double>(visible) + 8 * blocks + 16);
  for (std::size_t d = 0; d < dv; ++d) {
    double o = 0;
    double magnitude = 0;
    for (std::size_t j = 0; j < visible; ++j) {
      const double p = std::exp(s[j] - largest) / sum;
      o += p * double{v.row(j)[d]};
      magnitude += p * std::fabs(double{v.row(j)[d]});
    }
    out.value.push_back(o);
    out.limit.push_back(relative * magnitude + smallest * (static_cast<double>(visible) + 2));
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_ATTENTION_HPP_
