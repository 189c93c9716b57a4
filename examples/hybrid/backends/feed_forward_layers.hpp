// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Gated feed-forward layers: one for all tokens, or the best experts of each token.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_FEED_FORWARD_LAYERS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_FEED_FORWARD_LAYERS_HPP_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "examples/hybrid/backends/layer.hpp"
#include "examples/hybrid/gathered_experts.hpp"
#include "tessera/activation.hpp"
#include "tessera/softmax.hpp"

namespace hybrid {

template <class B>
class SwigluLayer final : public Layer {
 public:
  tessera::Status load(const LayerSource& source) override {
    s_ = source.network.shape();
    return examples::Calls()
        .then([&] { return pack(w_gate_, source, "gate"); })
        .then([&] { return pack(w_up_, source, "up"); })
        .then([&] { return pack(w_down_, source, "down"); })
        .status();
  }

  tessera::Status run(Batch& batch) override {
    const auto in = batch.normed.read();
    return examples::Calls()
        .then([&] { return product(*w_gate_, in, s_.ffn_size, gate_, batch); })
        .then([&] { return product(*w_up_, in, s_.ffn_size, up_, batch); })
        .then([&] { return tessera::swiglu<B>({gate_.read(), up_.read(), gate_.view()}); })
        .then([&] { return product(*w_down_, gate_.read(), s_.dim, batch.added, batch); })
        .status();
  }

 private:
  Shape s_;
  std::unique_ptr<examples::Weights> w_gate_, w_up_, w_down_;
  examples::FloatMatrix gate_, up_;
};

/// The experts of the largest scores (of equal ones the first), weighted by a softmax over their scores.
template <class B>
class ExpertsLayer final : public Layer {
 public:
  tessera::Status load(const LayerSource& source) override {
    s_ = source.network.shape();
    const auto pack_all = [&](std::unique_ptr<Experts>& experts, const char* name) {
      if (source.kind.make_experts != nullptr)
        experts = source.kind.make_experts();
      else
        experts = std::make_unique<GatheredExperts>(source.kind.make_weights);
      return experts->pack(source.matrix(name), s_.experts);
    };
    return examples::Calls()
        .then([&] { return pack(router_, source, "router", source.make_float); })
        .then([&] { return pack_all(w_gate_, "gate"); })
        .then([&] { return pack_all(w_up_, "up"); })
        .then([&] { return pack_all(w_down_, "down"); })
        .status();
  }

  tessera::Status run(Batch& batch) override {
    const std::size_t tokens = batch.tokens, used = s_.experts_used;
    const auto in = tessera::slot_view(batch.normed.read().data, tokens, 1, s_.dim);
    gate_.resize(tokens * used, s_.expert_size);
    up_.resize(tokens * used, s_.expert_size);
    down_.resize(tokens * used, s_.dim);
    const auto hidden = [&](examples::FloatMatrix& rows) {
      return tessera::slot_view(rows.view().data, tokens, used, s_.expert_size);
    };
    return examples::Calls()
        .then([&] { return product(*router_, batch.normed.read(), s_.experts, scores_, batch); })
        .then([&] { return choose(tokens); })
        .then([&] { return w_gate_->multiply(in, ids(), hidden(gate_), &batch.workspace); })
        .then([&] { return w_up_->multiply(in, ids(), hidden(up_), &batch.workspace); })
        .then([&] { return tessera::swiglu<B>({gate_.read(), up_.read(), gate_.view()}); })
        .then([&] {
          const auto a = tessera::slot_view(gate_.read().data, tokens, used, s_.expert_size);
          const auto c = tessera::slot_view(down_.view().data, tokens, used, s_.dim);
          return w_down_->multiply(a, ids(), c, &batch.workspace);
        })
        .then([&] { return combine(batch); })
        .status();
  }

 private:
  [[nodiscard]] tessera::SlotView<const std::int32_t> ids() const {
    return tessera::slot_view(ids_.data(), ids_.size() / s_.experts_used, s_.experts_used, 1);
  }

  /// Sets ids and weights of each token.
  tessera::Status choose(std::size_t tokens) {
    ids_.resize(tokens * s_.experts_used);
    weights_.resize(tokens, s_.experts_used);
    for (std::size_t t = 0; t < tokens; ++t) {
      const float* scores = scores_.read().row(t);
      std::vector<bool> taken(s_.experts);
      for (std::size_t u = 0; u < s_.experts_used; ++u) {
        std::size_t best = s_.experts;
        for (std::size_t e = 0; e < s_.experts; ++e)
          if (!taken[e] && (best == s_.experts || scores[e] > scores[best])) best = e;
        taken[best] = true;
        ids_[t * s_.experts_used + u] = static_cast<std::int32_t>(best);
        weights_.view().row(t)[u] = scores[best];
      }
    }
    return tessera::softmax<B>({weights_.read(), weights_.view()});
  }

  /// One fma per expert, the best first.
  tessera::Status combine(Batch& batch) {
    batch.added.resize(batch.tokens, s_.dim);
    for (std::size_t t = 0; t < batch.tokens; ++t)
      for (std::size_t j = 0; j < s_.dim; ++j) {
        float sum = 0.0f;
        for (std::size_t u = 0; u < s_.experts_used; ++u)
          sum = std::fma(weights_.read().row(t)[u], down_.read().row(t * s_.experts_used + u)[j],
                         sum);
        batch.added.view().row(t)[j] = sum;
      }
    return tessera::Status::ok;
  }

  Shape s_;
  std::unique_ptr<examples::Weights> router_;
  std::unique_ptr<Experts> w_gate_, w_up_, w_down_;
  std::vector<std::int32_t> ids_;
  examples::FloatMatrix scores_, weights_, gate_, up_, down_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_FEED_FORWARD_LAYERS_HPP_
