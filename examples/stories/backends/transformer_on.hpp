// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The model's arithmetic, written over the library's public calls.
#ifndef TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_
#define TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "examples/stories/checkpoint.hpp"
#include "examples/stories/memory.hpp"
#include "examples/stories/trace.hpp"
#include "examples/stories/transformer.hpp"
#include "examples/stories/weights.hpp"
#include "tessera/tessera.hpp"

namespace stories {

/// A matrix that owns its floats.
class FloatMatrix {
 public:
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    if (values_.size() < rows * cols) values_.resize(rows * cols);
  }
  [[nodiscard]] tessera::MatrixView<float> view() {
    return tessera::matrix(values_.data(), rows_, cols_);
  }
  [[nodiscard]] tessera::MatrixView<const float> read() const {
    return tessera::matrix(values_.data(), rows_, cols_);
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<float> values_;
};

/// The first refusal of a sequence of calls; later calls are not made.
class Calls {
 public:
  template <class Call>
  Calls& then(Call&& call) {
    if (status_ == tessera::Status::ok) status_ = call();
    return *this;
  }
  [[nodiscard]] tessera::Status status() const { return status_; }

 private:
  tessera::Status status_ = tessera::Status::ok;
};

/// Llama on backend B. Norm weights and the embedding stay f32; the other matrices are what `maker`
/// makes, which should be of the same backend.
template <class B>
class TransformerOn final : public Transformer {
 public:
  TransformerOn(const Checkpoint& checkpoint, WeightsMaker maker)
      : checkpoint_(checkpoint),
        shape_(checkpoint.shape()),
        maker_(maker),
        layers_(shape_.layers) {}

  tessera::Status load() override {
    if (shape_.seq_len > static_cast<std::size_t>(tessera::rope_max_position))
      return tessera::Status::position_range;
    Calls calls;
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      Layer& layer = layers_[l];
      const auto pack = [&](std::unique_ptr<Weights>& weights, Tensor tensor) {
        weights = maker_();
        calls.then([&] { return weights->pack(checkpoint_.matrix(tensor, l)); });
      };
      pack(layer.wq, Tensor::wq);
      pack(layer.wk, Tensor::wk);
      pack(layer.wv, Tensor::wv);
      pack(layer.wo, Tensor::wo);
      pack(layer.w1, Tensor::w1);
      pack(layer.w2, Tensor::w2);
      pack(layer.w3, Tensor::w3);
      layer.keys.resize(shape_.seq_len, shape_.kv_dim());
      layer.values.resize(shape_.seq_len, shape_.kv_dim());
    }
    classifier_ = maker_();
    return calls.then([&] { return classifier_->pack(checkpoint_.classifier()); }).status();
  }

  tessera::Status forward(std::span<const std::int32_t> tokens, std::size_t position,
                          std::span<float> logits, Trace* trace) override {
    trace_ = trace;
    begin(tokens, position);
    Calls calls;
    calls.then([&] { return make_rope_table(); });
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      layer_ = static_cast<int>(l);
      calls.then([&] { return attend(layers_[l], l); });
      calls.then([&] { return feed_forward(layers_[l], l); });
    }
    layer_ = Trace::no_layer;
    return calls.then([&] { return classify(logits); }).status();
  }

  bool plant() override { return layers_[std::min<std::size_t>(2, shape_.layers - 1)].w1->plant(); }

 private:
  struct Layer {
    std::unique_ptr<Weights> wq, wk, wv, wo, w1, w2, w3;
    FloatMatrix keys, values;  ///< seq_len x kv_dim: the cache
  };
  using Rows = tessera::MatrixView<float>;

  /// Sizes the buffers for a batch and looks its tokens up.
  void begin(std::span<const std::int32_t> tokens, std::size_t position) {
    count_ = tokens.size();
    position_ = position;
    x_.resize(count_, shape_.dim);
    normed_.resize(count_, shape_.dim);
    q_.resize(count_, shape_.dim);
    mixed_.resize(count_, shape_.dim);
    projected_.resize(count_, shape_.dim);
    gate_.resize(count_, shape_.hidden_dim);
    up_.resize(count_, shape_.hidden_dim);
    cosine_.resize(count_, shape_.head_dim() / 2);
    sine_.resize(count_, shape_.head_dim() / 2);
    const auto embedding = checkpoint_.matrix(Tensor::embedding);
    for (std::size_t i = 0; i < count_; ++i)
      std::copy_n(embedding.row(static_cast<std::size_t>(tokens[i])), shape_.dim, x_.view().row(i));
    layer_ = Trace::no_layer;
    record("embedding", x_.view());
  }

  tessera::Status make_rope_table() {
    positions_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i)
      positions_[i] = static_cast<std::int32_t>(position_ + i);
    return tessera::rope_table({positions_, rope_base, cosine_.view(), sine_.view()});
  }

  tessera::Status attend(Layer& layer, std::size_t l) {
    const Rows k = rows_of_batch(layer.keys);
    const Rows v = rows_of_batch(layer.values);
    return Calls()
        .then([&] { return normalise(Tensor::rms_att, l, "att_norm"); })
        .then([&] { return product(*layer.wq, normed_, "q", q_.view()); })
        .then([&] { return product(*layer.wk, normed_, "k", k); })
        .then([&] { return product(*layer.wv, normed_, "v", v); })
        .then([&] { return rotate("q_rope", q_.view(), shape_.heads); })
        .then([&] { return rotate("k_rope", k, shape_.kv_heads); })
        .then([&] { return mix(layer); })
        .then([&] { return product(*layer.wo, mixed_, "att_projection", projected_.view()); })
        .then([&] { return add("att_residual"); })
        .status();
  }

  tessera::Status feed_forward(Layer& layer, std::size_t l) {
    return Calls()
        .then([&] { return normalise(Tensor::rms_ffn, l, "ffn_norm"); })
        .then([&] { return product(*layer.w1, normed_, "ffn_gate", gate_.view()); })
        .then([&] { return product(*layer.w3, normed_, "ffn_up", up_.view()); })
        .then([&] {
          return recorded("ffn_swiglu", gate_.view(),
                          tessera::swiglu<B>({gate_.read(), up_.read(), gate_.view()}));
        })
        .then([&] { return product(*layer.w2, gate_, "ffn_down", projected_.view()); })
        .then([&] { return add("ffn_residual"); })
        .status();
  }

  /// Only the last token of a batch has a successor to choose.
  tessera::Status classify(std::span<float> logits) {
    const Rows out = tessera::matrix(logits.data(), 1, shape_.vocab);
    const auto last = tessera::matrix(normed_.read().row(count_ - 1), 1, shape_.dim);
    return Calls()
        .then([&] { return normalise(Tensor::rms_final, 0, "final_norm"); })
        .then([&] { return classifier_->multiply(last, out, &workspace_); })
        .then([&] {
          if (trace_ != nullptr)
            trace_->add(position_ + count_ - 1, Trace::no_layer, "logits", logits);
          return tessera::Status::ok;
        })
        .status();
  }

  tessera::Status normalise(Tensor weight, std::size_t l, const char* name) {
    const float* w = checkpoint_.matrix(weight, l).data;
    return recorded(name, normed_.view(),
                    tessera::rms_norm<B>({x_.read(), w, normed_.view(), rms_epsilon}));
  }

  tessera::Status product(const Weights& weights, const FloatMatrix& in, const char* name,
                          const Rows& out) {
    return recorded(name, out, weights.multiply(in.read(), out, &workspace_));
  }

  /// Turns all heads of rows in place.
  tessera::Status rotate(const char* name, const Rows& rows, std::size_t heads) {
    const auto view = as_heads(rows, heads);
    const tessera::HeadView<const float> in = {view.data, view.heads,       view.tokens,
                                               view.dim,  view.head_stride, view.token_stride};
    return recorded(
        name, rows,
        tessera::rope<B>({in, view, cosine_.read(), sine_.read(), tessera::Pairing::interleaved}));
  }

  tessera::Status mix(const Layer& layer) {
    const std::size_t seen = position_ + count_;
    const auto cached = [&](const FloatMatrix& cache) {
      const auto all = cache.read();
      return as_heads(tessera::matrix(all.data, seen, all.cols), shape_.kv_heads);
    };
    tessera::AttentionArgs args;
    args.q = as_heads(q_.read(), shape_.heads);
    args.k = cached(layer.keys);
    args.v = cached(layer.values);
    args.out = as_heads(mixed_.view(), shape_.heads);
    args.scale = 1.0f / std::sqrt(static_cast<float>(shape_.head_dim()));
    args.causal = true;
    args.causal_offset = static_cast<std::ptrdiff_t>(position_);
    args.workspace = workspace_.fit(tessera::workspace_size(args));
    return recorded("attention", mixed_.view(), tessera::attention<B>(args));
  }

  /// x += projected, one rounded addition per element.
  tessera::Status add(const char* name) {
    for (std::size_t i = 0; i < count_; ++i) {
      float* x = x_.view().row(i);
      const float* y = projected_.read().row(i);
      for (std::size_t j = 0; j < shape_.dim; ++j) x[j] += y[j];
    }
    return recorded(name, x_.view(), tessera::Status::ok);
  }

  /// Rows of heads that lie side by side, one row per token.
  template <class T>
  [[nodiscard]] tessera::HeadView<T> as_heads(const tessera::MatrixView<T>& rows,
                                              std::size_t heads) const {
    const std::size_t dim = shape_.head_dim();
    return {rows.data, heads, rows.rows, dim, static_cast<std::ptrdiff_t>(dim), rows.row_stride};
  }

  [[nodiscard]] Rows rows_of_batch(FloatMatrix& cache) const {
    return tessera::matrix(cache.view().row(position_), count_, shape_.kv_dim());
  }

  tessera::Status recorded(const char* name, const Rows& rows, tessera::Status status) {
    if (status == tessera::Status::ok) record(name, rows);
    return status;
  }
  void record(const char* name, const Rows& rows) {
    if (trace_ == nullptr) return;
    for (std::size_t i = 0; i < rows.rows; ++i)
      trace_->add(position_ + i, layer_, name, {rows.row(i), rows.cols});
  }

  static constexpr float rms_epsilon = 1e-5f;
  static constexpr double rope_base = 10000.0;

  const Checkpoint& checkpoint_;
  const Shape shape_;
  const WeightsMaker maker_;
  std::vector<Layer> layers_;
  std::unique_ptr<Weights> classifier_;
  WorkspaceMemory workspace_;

  // The batch at hand.
  std::size_t count_ = 0;
  std::size_t position_ = 0;
  int layer_ = Trace::no_layer;
  Trace* trace_ = nullptr;
  std::vector<std::int32_t> positions_;
  FloatMatrix x_, normed_, q_, mixed_, projected_, gate_, up_, cosine_, sine_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_
