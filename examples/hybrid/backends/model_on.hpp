// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The model's arithmetic, written over the library's public calls.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_MODEL_ON_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_MODEL_ON_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "examples/hybrid/backends/attention_layer.hpp"
#include "examples/hybrid/backends/delta_layer.hpp"
#include "examples/hybrid/backends/feed_forward_layers.hpp"
#include "examples/hybrid/backends/mamba_layer.hpp"
#include "tessera/norm.hpp"
#include "tessera/rope.hpp"

namespace hybrid {

/// The network on backend B. Each layer adds to the residual stream what it makes of the stream's norm; the output matrix is
/// the embedding. Vectors, convolutions and matrices that choose or gate stay f32.
template <class B>
class ModelOn final : public Model {
 public:
  ModelOn(const Network& network, const ModelKind& kind, examples::WeightsMaker make_float,
          const ModelOptions& options)
      : network_(network), kind_(kind), make_float_(make_float), options_(options) {
    batch_.positions.resize(options.slots);
    batch_.sequential = options.sequential;
  }

  tessera::Status load() override {
    examples::Calls calls;
    for (const LayerKind kind : network_.layers()) {
      layers_.push_back(make_layer(kind));
      const LayerSource source = {network_, layers_.size() - 1, kind_, make_float_, options_};
      calls.then([&] { return layers_.back()->load(source); });
    }
    classifier_ = kind_.make_weights();
    return calls.then([&] { return classifier_->pack(network_.matrix("embedding")); }).status();
  }

  void clear(std::size_t slot) override {
    batch_.positions[slot] = 0;
    for (const auto& layer : layers_) layer->clear(slot);
  }

  tessera::Status forward(std::span<const Run> runs,
                          const tessera::MatrixView<float>& logits) override {
    begin(runs);
    examples::Calls calls;
    calls.then([&] {
      return tessera::rope_table({positions_, rope_base, batch_.cosine.view(), batch_.sine.view()});
    });
    for (std::size_t l = 0; l < layers_.size(); ++l)
      calls.then([&] { return normalise(network_.matrix(l, "norm").data); })
          .then([&] { return layers_[l]->run(batch_); })
          .then([&] { return add(); });
    calls.then([&] { return classify(runs, logits); });
    for (const Run& run : runs) batch_.positions[run.slot] += run.tokens.size();
    return calls.status();
  }

  bool plant() override { return layers_[0]->plant(); }

 private:
  static std::unique_ptr<Layer> make_layer(LayerKind kind) {
    switch (kind) {
      case LayerKind::delta:
        return std::make_unique<DeltaLayer<B>>();
      case LayerKind::mamba:
        return std::make_unique<MambaLayer<B>>();
      case LayerKind::attention:
        return std::make_unique<AttentionLayer<B>>();
      case LayerKind::swiglu:
        return std::make_unique<SwigluLayer<B>>();
      case LayerKind::experts:
        break;
    }
    return std::make_unique<ExpertsLayer<B>>();
  }

  /// Lays the runs' tokens out as rows and looks up their embeddings.
  void begin(std::span<const Run> runs) {
    positions_.clear();
    batch_.prompts.clear();
    batch_.steps.clear();
    for (const Run& run : runs) {
      (run.step ? batch_.steps : batch_.prompts)
          .push_back({positions_.size(), run.tokens.size(), run.slot});
      for (std::size_t i = 0; i < run.tokens.size(); ++i)
        positions_.push_back(static_cast<std::int32_t>(batch_.positions[run.slot] + i));
    }
    const Shape& shape = network_.shape();
    batch_.tokens = positions_.size();
    batch_.x.resize(batch_.tokens, shape.dim);
    batch_.normed.resize(batch_.tokens, shape.dim);
    batch_.cosine.resize(batch_.tokens, shape.rotary / 2);
    batch_.sine.resize(batch_.tokens, shape.rotary / 2);
    const auto embedding = network_.matrix("embedding");
    std::size_t row = 0;
    for (const Run& run : runs)
      for (const std::int32_t token : run.tokens)
        std::copy_n(embedding.row(static_cast<std::size_t>(token)), shape.dim,
                    batch_.x.view().row(row++));
  }

  tessera::Status normalise(const float* weight) {
    return tessera::rms_norm<B>({batch_.x.read(), weight, batch_.normed.view(), norm_eps});
  }

  tessera::Status add() {
    for (std::size_t i = 0; i < batch_.tokens; ++i)
      for (std::size_t j = 0; j < network_.shape().dim; ++j)
        batch_.x.view().row(i)[j] += batch_.added.read().row(i)[j];
    return tessera::Status::ok;
  }

  /// Only a run's last token has a successor to choose.
  tessera::Status classify(std::span<const Run> runs, const tessera::MatrixView<float>& logits) {
    const std::size_t dim = network_.shape().dim;
    last_.resize(runs.size(), dim);
    std::size_t end = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      end += runs[i].tokens.size();
      std::copy_n(batch_.x.read().row(end - 1), dim, last_.view().row(i));
    }
    const float* weight = network_.matrix("final_norm").data;
    return examples::Calls()
        .then([&] { return tessera::rms_norm<B>({last_.read(), weight, last_.view(), norm_eps}); })
        .then([&] { return classifier_->multiply(last_.read(), logits, &batch_.workspace); })
        .status();
  }

  const Network& network_;
  const ModelKind kind_;
  const examples::WeightsMaker make_float_;
  const ModelOptions options_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::unique_ptr<examples::Weights> classifier_;
  Batch batch_;
  std::vector<std::int32_t> positions_;
  examples::FloatMatrix last_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_MODEL_ON_HPP_
