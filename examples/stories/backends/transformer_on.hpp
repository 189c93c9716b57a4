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

/// What a key/value cache can be made of.
using CacheFormats = tessera::TypeList<tessera::format::f32, tessera::format::f16,
                                       tessera::format::q8_0, tessera::format::q4_0>;

/// Llama on backend B. Norm weights and the embedding stay f32; the other matrices are what `maker`
/// makes, which should be of the same backend.
template <class B>
class TransformerOn final : public Transformer {
 public:
  TransformerOn(const Checkpoint& checkpoint, WeightsMaker maker, tessera::FormatId cache)
      : checkpoint_(checkpoint),
        shape_(checkpoint.shape()),
        maker_(maker),
        cache_(cache),
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
      with_cache_format([&]<class F>(tessera::Type<F>) {
        const std::size_t blocks = shape_.seq_len * shape_.kv_heads * cached_dim<F>() / F::group;
        layer.keys.resize(blocks * sizeof(typename F::Block));
        layer.values.resize(blocks * sizeof(typename F::Block));
      });
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
    AlignedBytes keys, values;  ///< the cache: seq_len x kv_heads rows of cached_dim()
  };
  using Rows = tessera::MatrixView<float>;

  /// Sizes the buffers for a batch and looks its tokens up.
  void begin(std::span<const std::int32_t> tokens, std::size_t position) {
    count_ = tokens.size();
    position_ = position;
    x_.resize(count_, shape_.dim);
    normed_.resize(count_, shape_.dim);
    q_.resize(count_, shape_.dim);
    k_.resize(count_, shape_.kv_dim());
    v_.resize(count_, shape_.kv_dim());
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
    return Calls()
        .then([&] { return normalise(Tensor::rms_att, l, "att_norm"); })
        .then([&] { return product(*layer.wq, normed_, "q", q_.view()); })
        .then([&] { return product(*layer.wk, normed_, "k", k_.view()); })
        .then([&] { return product(*layer.wv, normed_, "v", v_.view()); })
        .then([&] { return rotate("q_rope", q_.view(), shape_.heads); })
        .then([&] { return rotate("k_rope", k_.view(), shape_.kv_heads); })
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
    const auto view = as_heads(rows, heads, shape_.head_dim());
    const tessera::HeadView<const float> in = {view.data, view.heads,       view.tokens,
                                               view.dim,  view.head_stride, view.token_stride};
    return recorded(
        name, rows,
        tessera::rope<B>({in, view, cosine_.read(), sine_.read(), tessera::Pairing::interleaved}));
  }

  /// Calls body(Type<F>) for the format of the cache.
  template <class Body>
  void with_cache_format(Body&& body) const {
    CacheFormats::for_each([&]<class F>(tessera::Type<F> type) {
      if (F::id == cache_) body(type);
    });
  }
  /// Elements of a head in a cache of format F: whole blocks. The rest is zero, which changes no score.
  template <class F>
  [[nodiscard]] std::size_t cached_dim() const {
    return (shape_.head_dim() + F::group - 1) / F::group * F::group;
  }

  tessera::Status mix(Layer& layer) {
    tessera::Status status = tessera::Status::ok;
    with_cache_format([&]<class F>(tessera::Type<F>) {
      store<F>(k_.read(), layer.keys);
      store<F>(v_.read(), layer.values);
      status = mix_over<F>(layer);
    });
    return recorded("attention", mixed_.view(), status);
  }

  /// Encodes the batch's rows, head by head.
  template <class F>
  void store(const tessera::MatrixView<const float>& rows, AlignedBytes& cache) {
    const std::size_t dim = shape_.head_dim();
    const std::size_t blocks = cached_dim<F>() / F::group;
    auto* to =
        reinterpret_cast<typename F::Block*>(cache.data()) + position_ * shape_.kv_heads * blocks;
    std::vector<float> padded(cached_dim<F>());
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t h = 0; h < shape_.kv_heads; ++h, to += blocks) {
        std::copy_n(rows.row(i) + h * dim, dim, padded.begin());
        if constexpr (F::is_float)
          F::quantize(padded.data(), blocks, to);
        else
          for (std::size_t b = 0; b < blocks; ++b)
            F::quantize_block(padded.data() + b * F::group, to[b]);
      }
  }

  template <class F>
  tessera::Status mix_over(const Layer& layer) {
    const std::size_t dim = shape_.head_dim();
    const std::size_t wide = cached_dim<F>();
    const auto cached = [&](const AlignedBytes& cache) {
      const auto row = static_cast<std::ptrdiff_t>(wide / F::group);
      return tessera::HeadView<const typename F::Block>{
          reinterpret_cast<const typename F::Block*>(cache.data()),
          shape_.kv_heads,
          position_ + count_,
          wide / F::group,
          row,
          row * static_cast<std::ptrdiff_t>(shape_.kv_heads)};
    };
    tessera::AttentionArgs<F, F> args;
    if (wide != dim) {
      wide_q_.resize(count_, shape_.heads * wide);
      wide_mixed_.resize(count_, shape_.heads * wide);
      copy_heads(q_.read(), dim, wide_q_.view(), wide);
    }
    args.q = as_heads((wide == dim ? q_ : wide_q_).read(), shape_.heads, wide);
    args.k = cached(layer.keys);
    args.v = cached(layer.values);
    args.out = as_heads((wide == dim ? mixed_ : wide_mixed_).view(), shape_.heads, wide);
    args.scale = 1.0f / std::sqrt(static_cast<float>(dim));
    args.causal = true;
    args.causal_offset = static_cast<std::ptrdiff_t>(position_);
    args.workspace = workspace_.fit(tessera::workspace_size(args));
    const tessera::Status status = tessera::attention<B>(args);
    if (wide != dim) copy_heads(wide_mixed_.read(), wide, mixed_.view(), dim);
    return status;
  }

  /// The first elements of each head, zeros where the copy is longer.
  void copy_heads(const tessera::MatrixView<const float>& from, std::size_t from_dim,
                  const Rows& to, std::size_t to_dim) const {
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t h = 0; h < shape_.heads; ++h) {
        float* row = to.row(i) + h * to_dim;
        std::fill_n(row, to_dim, 0.0f);
        std::copy_n(from.row(i) + h * from_dim, std::min(from_dim, to_dim), row);
      }
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
  [[nodiscard]] tessera::HeadView<T> as_heads(const tessera::MatrixView<T>& rows, std::size_t heads,
                                              std::size_t dim) const {
    return {rows.data, heads, rows.rows, dim, static_cast<std::ptrdiff_t>(dim), rows.row_stride};
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
  const tessera::FormatId cache_;
  std::vector<Layer> layers_;
  std::unique_ptr<Weights> classifier_;
  WorkspaceMemory workspace_;

  // The batch at hand.
  std::size_t count_ = 0;
  std::size_t position_ = 0;
  int layer_ = Trace::no_layer;
  Trace* trace_ = nullptr;
  std::vector<std::int32_t> positions_;
  FloatMatrix x_, normed_, q_, k_, v_, wide_q_, wide_mixed_, mixed_, projected_, gate_, up_,
      cosine_, sine_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_
