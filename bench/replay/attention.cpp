// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bench/replay/kinds.hpp"
#include "bench/replay/operands.hpp"

namespace replay {
namespace {

/// Where the rows of a head are read from keys or values of [sequences][tokens][heads][dim].
struct CacheRows {
  const Operand* cache;
  bool transposed;  ///< the head's matrix is read as if it were stored [dim][tokens]

  double at(std::size_t sequence, std::size_t head, std::size_t token, std::size_t d) const {
    const std::size_t tokens = cache->axis(1);
    const std::size_t dim = cache->axis(3);
    if (transposed) {
      const std::size_t flat = d * tokens + token;
      token = flat / dim;
      d = flat % dim;
    }
    return cache->values[((sequence * tokens + token) * cache->axis(2) + head) * dim + d];
  }
};

struct AttentionOperands {
  Operand q, k, v;
  Operand mask;          ///< [sequences or 1][heads or 1][at least tokens][keys], no values: none
  Values sinks, slopes;  ///< by query head, or none
  double scale, soft_cap;
  bool causal;
  std::ptrdiff_t offset;

  double masked(std::size_t sequence, std::size_t head, std::size_t token, std::size_t key) const {
    const std::size_t of = sequence % mask.axis(0) * mask.axis(1) + head % mask.axis(1);
    const double added = mask.values[(of * mask.axis(2) + token) * mask.axis(3) + key];
    return slopes.empty() ? added : slopes[head] * added;
  }
};

/// What is done otherwise than right.
struct AttentionSlip {
  bool keys_transposed = false;
  bool values_transposed = false;
  bool heads_modulo = false;
  bool unscaled = false;
  bool causal_ignored = false;
  bool mask_ignored = false;
  bool sinks_ignored = false;
  bool uncapped = false;
  std::ptrdiff_t causal_shift = 0;
  std::size_t keys_missing = 0;
};

/// softmax(scale q k^T) v of one query row, its output appended.
void attend(const AttentionOperands& in, const AttentionSlip& slip, std::size_t sequence,
            std::size_t query, std::size_t head, Values& out) {
  const std::size_t heads = in.q.axis(2);
  const std::size_t dim = in.q.axis(3);
  const std::size_t key_heads = in.k.axis(2);
  constexpr double none = -std::numeric_limits<double>::infinity();
  const std::size_t from = slip.heads_modulo ? head % key_heads : head / (heads / key_heads);
  const CacheRows keys = {&in.k, slip.keys_transposed};
  const CacheRows values = {&in.v, slip.values_transposed};
  const std::size_t known = in.k.axis(1) - slip.keys_missing;
  const double* q = in.q.values.data() + ((sequence * in.q.axis(1) + query) * heads + head) * dim;
  const std::ptrdiff_t newest = static_cast<std::ptrdiff_t>(query) + in.offset + slip.causal_shift;
  Values weights;
  const bool sink = !in.sinks.empty() && !slip.sinks_ignored;
  double largest = sink ? in.sinks[head] : none;
  for (std::size_t t = 0; t < known; ++t) {
    const bool hidden =
        in.causal && !slip.causal_ignored && static_cast<std::ptrdiff_t>(t) > newest;
    double score = 0;
    for (std::size_t d = 0; d < dim; ++d) score += q[d] * keys.at(sequence, from, t, d);
    if (!slip.unscaled) score *= in.scale;
    if (in.soft_cap != 0 && !slip.uncapped) score = in.soft_cap * std::tanh(score / in.soft_cap);
    if (!in.mask.values.empty() && !slip.mask_ignored) score += in.masked(sequence, head, query, t);
    weights.push_back(hidden ? none : score);
    largest = std::max(largest, weights.back());
  }
  double sum = sink ? std::exp(in.sinks[head] - largest) : 0;
  for (double& w : weights) {
    w = std::isinf(largest) && largest < 0 ? 0 : std::exp(w - largest);
    sum += w;
  }
  for (std::size_t d = 0; d < in.v.axis(3); ++d) {
    double mixed = 0;
    for (std::size_t t = 0; t < known; ++t)
      if (weights[t] != 0) mixed += weights[t] * values.at(sequence, from, t, d);
    out.push_back(sum == 0 ? 0 : mixed / sum);
  }
}

}  // namespace

std::vector<Attempt> attention_attempts(const dumps::OperatorRecord& r) {
  auto in = std::make_shared<AttentionOperands>();
  in->q = padded_operand(r, "q", 4);
  in->k = padded_operand(r, "k", 4);
  in->v = padded_operand(r, "v", 4);
  require(r, in->q.axis(3) == in->k.axis(3), "q and k have heads of unlike sizes");
  require(r, in->q.axis(0) == in->k.axis(0) && in->k.axis(0) == in->v.axis(0),
          "q, k and v have unlike sequences");
  require(r, in->k.axis(1) == in->v.axis(1) && in->k.axis(2) == in->v.axis(2),
          "k and v have unlike tokens or heads");
  require(r, in->k.axis(2) != 0 && in->q.axis(2) % in->k.axis(2) == 0,
          "the query heads are no multiple of the key heads");
  in->mask = optional_operand(r, "mask", 4);
  require(r,
          in->mask.values.empty() ||
              (in->mask.axis(2) >= in->q.axis(1) && in->mask.axis(3) == in->k.axis(1)),
          "the mask has unlike tokens or keys");
  in->sinks = optional_values(r, "sinks");
  in->slopes = optional_values(r, "slopes");
  require(r,
          (in->sinks.empty() || in->sinks.size() == in->q.axis(2)) &&
              (in->slopes.empty() || in->slopes.size() == in->q.axis(2)),
          "sinks and slopes must be as many as query heads");
  const std::size_t tokens = in->k.axis(1);
  in->soft_cap = r.number_of("soft_cap", 0);
  in->scale = r.number_of("scale", 1 / std::sqrt(static_cast<double>(in->q.axis(3))));
  in->causal = r.number_of("causal", 0) != 0;
  in->offset = static_cast<std::ptrdiff_t>(r.number_of("offset", 0));
  std::vector<Attempt> attempts;
  const auto attempt = [&](const char* name, const std::string& sentence, AttentionSlip slip) {
    attempts.push_back({name, sentence, [in, slip] {
                          Values out;
                          for (std::size_t s = 0; s < in->q.axis(0); ++s)
                            for (std::size_t t = 0; t < in->q.axis(1); ++t)
                              for (std::size_t h = 0; h < in->q.axis(2); ++h)
                                attend(*in, slip, s, t, h, out);
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
  if (in->causal) {
    attempt("causal_limit", "each query sees one key too many", {.causal_shift = 1});
    attempt("causal_limit", "each query sees one key too few", {.causal_shift = -1});
    attempt("not_causal", "each query sees all keys", {.causal_ignored = true});
  }
  if (!in->mask.values.empty())
    attempt("missing_mask", "the mask is not added", {.mask_ignored = true});
  if (!in->sinks.empty())
    attempt("missing_sinks", "the sinks are left out of the sum", {.sinks_ignored = true});
  if (in->soft_cap != 0) attempt("missing_cap", "the scores are not capped", {.uncapped = true});
  for (const std::size_t block : {1u, 4u, 8u, 16u, 32u, 64u, 128u, 256u})
    if (const std::size_t rest = tokens % block == 0 ? block : tokens % block; rest < tokens)
      attempt("dropped_block", "the last " + std::to_string(rest) + " keys are missing",
              {.keys_missing = rest});
  return attempts;
}

}  // namespace replay
