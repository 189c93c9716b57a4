// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

/// Where the rows of a head are read from keys or values of [tokens][heads][dim].
struct CacheRows {
  const Operand* cache;
  bool transposed;  ///< the head's matrix is read as if it were stored [dim][tokens]

  double at(std::size_t head, std::size_t token, std::size_t d) const {
    const std::size_t tokens = cache->axis(0);
    const std::size_t dim = cache->axis(2);
    if (transposed) {
      const std::size_t flat = d * tokens + token;
      token = flat / dim;
      d = flat % dim;
    }
    return cache->values[(token * cache->axis(1) + head) * dim + d];
  }
};

struct AttentionOperands {
  Operand q, k, v;
  double scale;
  bool causal;
  std::ptrdiff_t offset;
};

/// What is done otherwise than right.
struct AttentionSlip {
  bool keys_transposed = false;
  bool values_transposed = false;
  bool heads_modulo = false;
  bool unscaled = false;
  bool causal_ignored = false;
  std::ptrdiff_t causal_shift = 0;
  std::size_t keys_missing = 0;
};

/// softmax(scale q k^T) v of one query row, its output appended.
void attend(const AttentionOperands& in, const AttentionSlip& slip, std::size_t query,
            std::size_t head, Values& out) {
  const std::size_t heads = in.q.axis(1);
  const std::size_t dim = in.q.axis(2);
  const std::size_t key_heads = in.k.axis(1);
  const std::size_t from = slip.heads_modulo ? head % key_heads : head / (heads / key_heads);
  const CacheRows keys = {&in.k, slip.keys_transposed};
  const CacheRows values = {&in.v, slip.values_transposed};
  const std::size_t known = in.k.axis(0) - slip.keys_missing;
  const double* q = in.q.values.data() + (query * heads + head) * dim;
  const std::ptrdiff_t newest = static_cast<std::ptrdiff_t>(query) + in.offset + slip.causal_shift;
  Values weights;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < known; ++t) {
    const bool hidden =
        in.causal && !slip.causal_ignored && static_cast<std::ptrdiff_t>(t) > newest;
    double score = 0;
    for (std::size_t d = 0; d < dim; ++d) score += q[d] * keys.at(from, t, d);
    if (!slip.unscaled) score *= in.scale;
    weights.push_back(hidden ? -std::numeric_limits<double>::infinity() : score);
    largest = std::max(largest, weights.back());
  }
  double sum = 0;
  for (double& w : weights) {
    w = std::isinf(largest) && largest < 0 ? 0 : std::exp(w - largest);
    sum += w;
  }
  for (std::size_t d = 0; d < in.v.axis(2); ++d) {
    double mixed = 0;
    for (std::size_t t = 0; t < known; ++t)
      if (weights[t] != 0) mixed += weights[t] * values.at(from, t, d);
    out.push_back(sum == 0 ? 0 : mixed / sum);
  }
}

}  // namespace

std::vector<Attempt> attention_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<AttentionOperands>();
  in->q = operand(r, "q", 3);
  in->k = operand(r, "k", 3);
  in->v = operand(r, "v", 3);
  require(r, in->q.axis(2) == in->k.axis(2), "q and k have heads of unlike sizes");
  require(r, in->k.axis(0) == in->v.axis(0) && in->k.axis(1) == in->v.axis(1),
          "k and v have unlike tokens or heads");
  require(r, in->k.axis(1) != 0 && in->q.axis(1) % in->k.axis(1) == 0,
          "the query heads are no multiple of the key heads");
  const std::size_t tokens = in->k.axis(0);
  in->scale = r.number_of("scale", 1 / std::sqrt(static_cast<double>(in->q.axis(2))));
  in->causal = r.number_of("causal", 0) != 0;
  in->offset = static_cast<std::ptrdiff_t>(r.number_of("offset", 0));
  std::vector<Attempt> attempts;
  const auto attempt = [&](const char* name, const std::string& sentence, AttentionSlip slip) {
    attempts.push_back({name, sentence, [in, slip] {
                          Values out;
                          for (std::size_t t = 0; t < in->q.axis(0); ++t)
                            for (std::size_t h = 0; h < in->q.axis(1); ++h)
                              attend(*in, slip, t, h, out);
                          return out;
                        }});
  };
  AttentionSlip slip;
  attempt("right", "", slip);
  attempt("transposed_keys", "the keys of a head are read as if rows and columns were exchanged",
          {.keys_transposed = true});
  attempt("transposed_values",
          "the values of a head are read as if rows and columns were exchanged",
          {.values_transposed = true});
  attempt("head_map", "query head h uses key head h modulo their number instead of one per group",
          {.heads_modulo = true});
  attempt("missing_scale", "the scores are not scaled", {.unscaled = true});
  attempt("causal_limit", "each query sees one key too many", {.causal_shift = 1});
  attempt("causal_limit", "each query sees one key too few", {.causal_shift = -1});
  attempt("not_causal", "each query sees all keys", {.causal_ignored = true});
  for (const std::size_t block : {1u, 4u, 8u, 16u, 32u, 64u, 128u, 256u})
    if (const std::size_t rest = tokens % block == 0 ? block : tokens % block; rest < tokens)
      attempt("dropped_block", "the last " + std::to_string(rest) + " keys are missing",
              {.keys_missing = rest});
  return attempts;
}

}  // namespace replay
