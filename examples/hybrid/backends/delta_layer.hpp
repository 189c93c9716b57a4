// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A gated delta net: convolution, normed keys and queries, decay, beta, gated norm.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_DELTA_LAYER_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_DELTA_LAYER_HPP_

#include <cmath>
#include <cstddef>
#include <memory>

#include "examples/hybrid/backends/layer.hpp"
#include "tessera/activation.hpp"
#include "tessera/gated_delta_net.hpp"
#include "tessera/head_norm.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_step.hpp"

namespace hybrid {

template <class B>
class DeltaLayer final : public Layer {
 public:
  tessera::Status load(const LayerSource& source) override {
    s_ = source.network.shape();
    conv_ = source.matrix("conv");
    rate_ = source.vector("rate");
    step_bias_ = source.vector("step_bias");
    out_norm_ = source.vector("out_norm");
    keys_ = s_.key_heads * s_.key_size;
    values_ = s_.value_heads * s_.value_size;
    conv_states_.resize(source.options.slots, (s_.conv_width - 1) * channels());
    states_.resize(source.options.slots, s_.value_heads * s_.key_size * s_.value_size);
    return examples::Calls()
        .then([&] { return pack(in_qkv_, source, "in_qkv"); })
        .then([&] { return pack(in_z_, source, "in_z"); })
        .then([&] { return pack(in_ab_, source, "in_ab", source.make_float); })
        .then([&] { return pack(out_, source, "out"); })
        .status();
  }

  tessera::Status run(Batch& batch) override {
    const auto in = batch.normed.read();
    convolved_.resize(batch.tokens, channels());
    mixed_.resize(batch.tokens, values_);
    return examples::Calls()
        .then([&] { return product(*in_qkv_, in, channels(), qkv_, batch); })
        .then([&] { return product(*in_z_, in, values_, z_, batch); })
        .then([&] { return product(*in_ab_, in, 2 * s_.value_heads, ab_, batch); })
        .then([&] { return make_gates(); })
        .then([&] { return batch.prompts.empty() ? tessera::Status::ok : run_prompts(batch); })
        .then([&] { return batch.steps.empty() ? tessera::Status::ok : run_steps(batch); })
        .then([&] { return norm(); })
        .then([&] { return product(*out_, mixed_.read(), s_.dim, batch.added, batch); })
        .status();
  }

  void clear(std::size_t slot) override {
    conv_states_.clear(slot);
    states_.clear(slot);
  }

  bool plant() override { return out_->plant(); }

 private:
  [[nodiscard]] std::size_t channels() const { return 2 * keys_ + values_; }
  [[nodiscard]] float scale() const { return 1.0f / std::sqrt(static_cast<float>(s_.key_size)); }

  /// ab holds the decays' inputs, then those of beta; both are turned in place.
  tessera::Status make_gates() {
    const std::size_t heads = s_.value_heads;
    const auto ab = ab_.view();
    const tessera::MatrixView<float> decay = {ab.data, ab.rows, heads, ab.row_stride};
    const tessera::MatrixView<float> beta = {ab.data + heads, ab.rows, heads, ab.row_stride};
    add_bias(ab, 0, heads, step_bias_);
    const tessera::Status status = examples::Calls()
                                       .then([&] { return tessera::softplus<B>({decay, decay}); })
                                       .then([&] { return tessera::sigmoid<B>({beta, beta}); })
                                       .status();
    for (std::size_t i = 0; i < ab.rows; ++i)
      for (std::size_t h = 0; h < heads; ++h) decay.row(i)[h] *= rate_[h];
    return status;
  }

  [[nodiscard]] tessera::HeadView<const float> log_gate() const {
    return heads_of(ab_.read(), 0, s_.value_heads, 1);
  }
  [[nodiscard]] tessera::ChannelView<const float> beta() const {
    return channels_of(ab_.read(), s_.value_heads, s_.value_heads);
  }

  tessera::Status run_prompts(Batch& batch) {
    tessera::SsmConvArgs conv;
    conv.x = channels_of(qkv_.read(), 0, channels());
    conv.weight = channels_of(conv_, 0, channels());
    conv.y = channels_of(convolved_.view(), 0, channels());
    conv.silu = true;
    conv.sequences = batch.prompts;
    conv.states = conv_states_.conv_states(channels());
    conv.workspace = batch.workspace.fit(tessera::workspace_size(conv));
    if (const tessera::Status s = tessera::ssm_conv<B>(conv); s != tessera::Status::ok) return s;
    // Queries and keys lie side by side.
    const auto qk = heads_of(convolved_.view(), 0, 2 * s_.key_heads, s_.key_size);
    if (const tessera::Status s = tessera::l2_norm<B>({qk, qk}); s != tessera::Status::ok) return s;
    tessera::GatedDeltaNetArgs args{tessera::HeadMap::blocks()};
    args.q = heads_of(convolved_.read(), 0, s_.key_heads, s_.key_size);
    args.k = heads_of(convolved_.read(), keys_, s_.key_heads, s_.key_size);
    args.v = heads_of(convolved_.read(), 2 * keys_, s_.value_heads, s_.value_size);
    args.log_gate = log_gate();
    args.beta = beta();
    args.out = heads_of(mixed_.view(), 0, s_.value_heads, s_.value_size);
    args.scale = scale();
    args.algorithm = batch.sequential ? tessera::DeltaNetAlgorithm::sequential
                                      : tessera::DeltaNetAlgorithm::chunked;
    args.sequences = batch.prompts;
    args.states = states_.states();
    args.workspace = batch.workspace.fit(tessera::workspace_size(args));
    return tessera::gated_delta_net<B>(args);
  }

  tessera::Status run_steps(Batch& batch) {
    tessera::GatedDeltaNetStepArgs args{tessera::HeadMap::blocks()};
    args.key_heads = s_.key_heads;
    args.key_size = s_.key_size;
    args.qkv = channels_of(qkv_.read(), 0, channels());
    args.weight = channels_of(conv_, 0, channels());
    args.conv_states = conv_states_.conv_states(channels());
    args.log_gate = log_gate();
    args.beta = beta();
    args.out = heads_of(mixed_.view(), 0, s_.value_heads, s_.value_size);
    args.scale = scale();
    args.sequences = batch.steps;
    args.states = states_.states();
    args.workspace = batch.workspace.fit(tessera::workspace_size(args));
    return tessera::gated_delta_net_step<B>(args);
  }

  tessera::Status norm() {
    const auto mixed = heads_of(mixed_.view(), 0, s_.value_heads, s_.value_size);
    tessera::GatedRmsNormArgs args;
    args.x = mixed;
    args.y = mixed;
    args.z = heads_of(z_.read(), 0, s_.value_heads, s_.value_size);
    args.weight = {out_norm_, s_.value_heads, s_.value_size, 0};
    args.eps = norm_eps;
    args.order = tessera::GateOrder::after;
    return tessera::gated_rms_norm<B>(args);
  }

  Shape s_;
  std::size_t keys_ = 0, values_ = 0;  ///< elements of all heads
  std::unique_ptr<examples::Weights> in_qkv_, in_z_, in_ab_, out_;
  tessera::MatrixView<const float> conv_;
  const float* rate_ = nullptr;
  const float* step_bias_ = nullptr;
  const float* out_norm_ = nullptr;
  SlotStates conv_states_, states_;
  examples::FloatMatrix qkv_, convolved_, z_, ab_, mixed_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_DELTA_LAYER_HPP_
