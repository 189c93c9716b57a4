// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A Mamba-2 layer of one group: convolution, scan, gate, norm.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_MAMBA_LAYER_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_MAMBA_LAYER_HPP_

#include <cstddef>
#include <memory>

#include "examples/hybrid/backends/layer.hpp"
#include "tessera/norm.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_scan.hpp"
#include "tessera/ssm_step.hpp"

namespace hybrid {

template <class B>
class MambaLayer final : public Layer {
 public:
  tessera::Status load(const LayerSource& source) override {
    s_ = source.network.shape();
    inner_ = s_.scan_heads * s_.scan_size;
    conv_ = source.matrix("conv");
    rate_ = source.matrix("rate");
    step_bias_ = source.vector("step_bias");
    skip_ = source.vector("skip");
    out_norm_ = source.vector("out_norm");
    conv_states_.resize(source.options.slots, (s_.conv_width - 1) * channels());
    states_.resize(source.options.slots, s_.scan_states * inner_);
    return examples::Calls()
        .then([&] { return pack(in_z_, source, "in_z"); })
        .then([&] { return pack(in_xbc_, source, "in_xbc"); })
        .then([&] { return pack(in_step_, source, "in_step", source.make_float); })
        .then([&] { return pack(out_, source, "out"); })
        .status();
  }

  tessera::Status run(Batch& batch) override {
    const auto in = batch.normed.read();
    convolved_.resize(batch.tokens, channels());
    mixed_.resize(batch.tokens, inner_);
    const auto norm = [&] {
      return tessera::rms_norm<B>({mixed_.read(), out_norm_, mixed_.view(), norm_eps});
    };
    return examples::Calls()
        .then([&] { return product(*in_z_, in, inner_, z_, batch); })
        .then([&] { return product(*in_xbc_, in, channels(), xbc_, batch); })
        .then([&] { return product(*in_step_, in, s_.scan_heads, steps_, batch); })
        .then([&] {
          add_bias(steps_.view(), 0, s_.scan_heads, step_bias_);
          return batch.prompts.empty() ? tessera::Status::ok : run_prompts(batch);
        })
        .then([&] { return batch.steps.empty() ? tessera::Status::ok : run_steps(batch); })
        .then(norm)
        .then([&] { return product(*out_, mixed_.read(), s_.dim, batch.added, batch); })
        .status();
  }

  void clear(std::size_t slot) override {
    conv_states_.clear(slot);
    states_.clear(slot);
  }

 private:
  [[nodiscard]] std::size_t channels() const { return inner_ + 2 * s_.scan_states; }

  /// The operands that both ways of computing have.
  template <class Args>
  void set_operands(Args& args) {
    args.dt = channels_of(steps_.read(), 0, s_.scan_heads);
    args.a = channels_of(rate_, 0, s_.scan_heads);
    args.d = skip_;
    args.z = heads_of(z_.read(), 0, s_.scan_heads, s_.scan_size);
    args.y = heads_of(mixed_.view(), 0, s_.scan_heads, s_.scan_size);
    args.states = states_.states();
  }

  tessera::Status run_prompts(Batch& batch) {
    tessera::SsmConvArgs conv;
    conv.x = channels_of(xbc_.read(), 0, channels());
    conv.weight = channels_of(conv_, 0, channels());
    conv.y = channels_of(convolved_.view(), 0, channels());
    conv.silu = true;
    conv.sequences = batch.prompts;
    conv.states = conv_states_.conv_states(channels());
    conv.workspace = batch.workspace.fit(tessera::workspace_size(conv));
    if (const tessera::Status s = tessera::ssm_conv<B>(conv); s != tessera::Status::ok) return s;
    tessera::SsmScanArgs args;
    set_operands(args);
    args.x = heads_of(convolved_.read(), 0, s_.scan_heads, s_.scan_size);
    args.b = heads_of(convolved_.read(), inner_, 1, s_.scan_states);
    args.c = heads_of(convolved_.read(), inner_ + s_.scan_states, 1, s_.scan_states);
    args.algorithm =
        batch.sequential ? tessera::ScanAlgorithm::sequential : tessera::ScanAlgorithm::chunked;
    args.sequences = batch.prompts;
    args.workspace = batch.workspace.fit(tessera::workspace_size(args));
    return tessera::ssm_scan<B>(args);
  }

  tessera::Status run_steps(Batch& batch) {
    tessera::Mamba2StepArgs args;
    set_operands(args);
    args.state_size = s_.scan_states;
    args.xbc = channels_of(xbc_.read(), 0, channels());
    args.weight = channels_of(conv_, 0, channels());
    args.conv_states = conv_states_.conv_states(channels());
    args.sequences = batch.steps;
    args.workspace = batch.workspace.fit(tessera::workspace_size(args));
    return tessera::mamba2_step<B>(args);
  }

  Shape s_;
  std::size_t inner_ = 0;
  std::unique_ptr<examples::Weights> in_z_, in_xbc_, in_step_, out_;
  tessera::MatrixView<const float> conv_, rate_;
  const float* step_bias_ = nullptr;
  const float* skip_ = nullptr;
  const float* out_norm_ = nullptr;
  SlotStates conv_states_, states_;
  examples::FloatMatrix z_, xbc_, convolved_, steps_, mixed_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_MAMBA_LAYER_HPP_
