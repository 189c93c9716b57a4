// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The model's arithmetic, written over the library's public calls.
#ifndef TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_
#define TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "examples/shared/backends/cache_rows.hpp"
#include "examples/shared/backends/calls.hpp"
#include "examples/shared/backends/float_matrix.hpp"
#include "examples/shared/memory.hpp"
#include "examples/shared/weights.hpp"
#include "examples/stories/checkpoint.hpp"
#include "examples/stories/trace.hpp"
#include "examples/stories/transformer.hpp"
#include "tessera/operator_call.hpp"
#include "tessera/tessera.hpp"

namespace stories {

/// Llama on backend B. Norm weights and the embedding stay f32; the other matrices are what `maker`
/// makes, which should be of the same backend.
template <class B>
class TransformerOn final : public Transformer {
 public:
  TransformerOn(const Checkpoint& checkpoint, examples::WeightsMaker maker, tessera::FormatId cache)
      : checkpoint_(checkpoint),
        shape_(checkpoint.shape()),
        maker_(maker),
        cache_(cache),
        layers_(shape_.layers) {}

  tessera::Status load() override {
    if (shape_.seq_len > static_cast<std::size_t>(tessera::rope_max_position))
      return tessera::Status::position_range;
    examples::Calls calls;
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      Layer& layer = layers_[l];
      const auto pack = [&](std::unique_ptr<examples::Weights>& weights, Tensor tensor) {
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
    begin(tokens.size(), position);
    examples::Calls calls;
    calls.then([&] { return look_up(tokens); });
    calls.then([&] { return make_rope_table(); });
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      layer_ = static_cast<int>(l);
      calls.then([&] { return attend(layers_[l], l); });
      calls.then([&] { return feed_forward(layers_[l], l); });
    }
    layer_ = Trace::no_layer;
    return calls.then([&] { return classify(logits); }).status();
  }

  void watch(Watcher* watcher) override { watcher_ = watcher; }

  bool plant() override { return layers_[std::min<std::size_t>(2, shape_.layers - 1)].w1->plant(); }

 private:
  struct Layer {
    std::unique_ptr<examples::Weights> wq, wk, wv, wo, w1, w2, w3;
    examples::AlignedBytes keys, values;  ///< the cache: seq_len x kv_heads rows of cached_dim()
    std::vector<float> seen_keys, seen_values;  ///< what it holds, for a watcher
  };
  using Rows = tessera::MatrixView<float>;

  /// Sizes the buffers for a batch.
  void begin(std::size_t count, std::size_t position) {
    count_ = count;
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
    layer_ = Trace::no_layer;
  }

  tessera::Status look_up(std::span<const std::int32_t> tokens) {
    const auto embedding = checkpoint_.matrix(Tensor::embedding);
    const tessera::Status status =
        watched("lookup", "embedding", {}, {}, {tessera::call_tensor("x", x_.read())}, [&] {
          for (std::size_t i = 0; i < count_; ++i)
            std::copy_n(embedding.row(static_cast<std::size_t>(tokens[i])), shape_.dim,
                        x_.view().row(i));
          return tessera::Status::ok;
        });
    return recorded("embedding", x_.view(), status);
  }

  tessera::Status make_rope_table() {
    positions_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i)
      positions_[i] = static_cast<std::int32_t>(position_ + i);
    return watched(
        "rope_table", "rope_table",
        {{"base", rope_base}, {"position", static_cast<double>(position_)}}, {},
        {tessera::call_tensor("cosine", cosine_.read()),
         tessera::call_tensor("sine", sine_.read())},
        [&] { return tessera::rope_table({positions_, rope_base, cosine_.view(), sine_.view()}); });
  }

  tessera::Status attend(Layer& layer, std::size_t l) {
    return examples::Calls()
        .then([&] { return normalise(Tensor::rms_att, l, "att_norm"); })
        .then([&] { return product(*layer.wq, source(Tensor::wq), normed_, "q", q_.view()); })
        .then([&] { return product(*layer.wk, source(Tensor::wk), normed_, "k", k_.view()); })
        .then([&] { return product(*layer.wv, source(Tensor::wv), normed_, "v", v_.view()); })
        .then([&] { return rotate("q_rope", q_.view(), shape_.heads); })
        .then([&] { return rotate("k_rope", k_.view(), shape_.kv_heads); })
        .then([&] { return mix(layer); })
        .then([&] {
          return product(*layer.wo, source(Tensor::wo), mixed_, "att_projection",
                         projected_.view());
        })
        .then([&] { return add("att_residual"); })
        .status();
  }

  tessera::Status feed_forward(Layer& layer, std::size_t l) {
    return examples::Calls()
        .then([&] { return normalise(Tensor::rms_ffn, l, "ffn_norm"); })
        .then([&] {
          return product(*layer.w1, source(Tensor::w1), normed_, "ffn_gate", gate_.view());
        })
        .then([&] { return product(*layer.w3, source(Tensor::w3), normed_, "ffn_up", up_.view()); })
        .then([&] { return activate(); })
        .then([&] {
          return product(*layer.w2, source(Tensor::w2), gate_, "ffn_down", projected_.view());
        })
        .then([&] { return add("ffn_residual"); })
        .status();
  }

  /// Only the last token of a batch has a successor to choose.
  tessera::Status classify(std::span<float> logits) {
    const Rows out = tessera::matrix(logits.data(), 1, shape_.vocab);
    const auto last = tessera::matrix(normed_.read().row(count_ - 1), 1, shape_.dim);
    return examples::Calls()
        .then([&] { return normalise(Tensor::rms_final, 0, "final_norm"); })
        .then([&] { return multiply(*classifier_, checkpoint_.classifier(), last, "logits", out); })
        .then([&] {
          if (trace_ != nullptr)
            trace_->add(position_ + count_ - 1, Trace::no_layer, "logits", logits);
          return tessera::Status::ok;
        })
        .status();
  }

  tessera::Status normalise(Tensor weight, std::size_t l, const char* name) {
    const float* w = checkpoint_.matrix(weight, l).data;
    const tessera::Status status = watched(
        "rms_norm", name, {{"eps", static_cast<double>(rms_epsilon)}},
        {tessera::call_tensor("x", x_.read()), tessera::call_tensor("weight", w, shape_.dim, name)},
        {tessera::call_tensor("y", normed_.read())},
        [&] { return tessera::rms_norm<B>({x_.read(), w, normed_.view(), rms_epsilon}); });
    return recorded(name, normed_.view(), status);
  }

  /// `source` is what the weights were packed from.
  tessera::Status product(const examples::Weights& weights,
                          const tessera::MatrixView<const float>& source,
                          const examples::FloatMatrix& in, const char* name, const Rows& out) {
    return recorded(name, out, multiply(weights, source, in.read(), name, out));
  }

  tessera::Status multiply(const examples::Weights& weights,
                           const tessera::MatrixView<const float>& source,
                           const tessera::MatrixView<const float>& in, const char* name,
                           const Rows& out) {
    return watched("matmul", name, {{"format", 0, weights.format()}},
                   {tessera::call_tensor("a", in), tessera::call_tensor("b", source, name)},
                   {tessera::call_tensor("c", out)},
                   [&] { return weights.multiply(in, out, &workspace_); });
  }

  tessera::Status activate() {
    const tessera::Status status = watched(
        "swiglu", "ffn_swiglu", {},
        {tessera::call_tensor("gate", gate_.read()), tessera::call_tensor("up", up_.read())},
        {tessera::call_tensor("y", gate_.read())},
        [&] { return tessera::swiglu<B>({gate_.read(), up_.read(), gate_.view()}); });
    return recorded("ffn_swiglu", gate_.view(), status);
  }

  /// Turns all heads of rows in place.
  tessera::Status rotate(const char* name, const Rows& rows, std::size_t heads) {
    const auto view = as_heads(rows, heads, shape_.head_dim());
    const tessera::HeadView<const float> in = {view.data, view.heads,       view.tokens,
                                               view.dim,  view.head_stride, view.token_stride};
    const tessera::Status status =
        watched("rope", name, {{"pairing", 0, "interleaved"}},
                {tessera::call_tensor("x", in), tessera::call_tensor("cosine", cosine_.read()),
                 tessera::call_tensor("sine", sine_.read())},
                {tessera::call_tensor("y", in)}, [&] {
                  return tessera::rope<B>(
                      {in, view, cosine_.read(), sine_.read(), tessera::Pairing::interleaved});
                });
    return recorded(name, rows, status);
  }

  /// Calls body(Type<F>) for the format of the cache.
  template <class Body>
  void with_cache_format(Body&& body) const {
    examples::CacheFormats::for_each([&]<class F>(tessera::Type<F> type) {
      if (F::id == cache_) body(type);
    });
  }
  template <class F>
  [[nodiscard]] std::size_t cached_dim() const {
    return examples::cached_dim<F>(shape_.head_dim());
  }

  tessera::Status mix(Layer& layer) {
    tessera::Status status = tessera::Status::ok;
    with_cache_format([&]<class F>(tessera::Type<F>) {
      status = examples::Calls()
                   .then([&] { return append<F>("k_append", k_, layer.keys, layer.seen_keys); })
                   .then([&] { return append<F>("v_append", v_, layer.values, layer.seen_values); })
                   .then([&] { return watch_mixing<F>(layer); })
                   .status();
    });
    return recorded("attention", mixed_.view(), status);
  }

  /// Stores the batch's rows. A watcher sees the cache's content as floats.
  template <class F>
  tessera::Status append(const char* name, const examples::FloatMatrix& rows,
                         examples::AlignedBytes& cache, std::vector<float>& seen) {
    look_into<F>(cache, seen, position_);
    const auto held = cached_rows(seen, position_);
    const auto added = as_heads(rows.read(), shape_.kv_heads, shape_.head_dim());
    std::vector<tessera::CallTensor> inputs = {tessera::call_tensor("rows", added)};
    if (position_ != 0) inputs.push_back(tessera::call_tensor("cache", held));
    return watched("append", name, {{"cache", 0, F::name}}, inputs,
                   {tessera::call_tensor("cache", cached_rows(seen, position_ + count_))}, [&] {
                     store<F>(rows.read(), cache);
                     look_into<F>(cache, seen, position_ + count_);
                     return tessera::Status::ok;
                   });
  }

  template <class F>
  tessera::Status watch_mixing(Layer& layer) {
    look_into<F>(layer.keys, layer.seen_keys, position_ + count_);
    look_into<F>(layer.values, layer.seen_values, position_ + count_);
    return watched(
        "attention", "attention",
        {{"scale", static_cast<double>(attention_scale())},
         {"causal", 1},
         {"offset", static_cast<double>(position_)},
         {"cache", 0, F::name}},
        {tessera::call_tensor("q", as_heads(q_.read(), shape_.heads, shape_.head_dim())),
         tessera::call_tensor("k", cached_rows(layer.seen_keys, position_ + count_)),
         tessera::call_tensor("v", cached_rows(layer.seen_values, position_ + count_))},
        {tessera::call_tensor("out", as_heads(mixed_.read(), shape_.heads, shape_.head_dim()))},
        [&] { return mix_over<F>(layer); });
  }

  [[nodiscard]] float attention_scale() const {
    return 1.0f / std::sqrt(static_cast<float>(shape_.head_dim()));
  }

  /// Decodes the first tokens of a cache, if anybody watches.
  template <class F>
  void look_into(const examples::AlignedBytes& cache, std::vector<float>& seen,
                 std::size_t tokens) const {
    if (watcher_ == nullptr) return;
    seen.resize(shape_.seq_len * shape_.kv_dim());
    examples::load_rows<F>(reinterpret_cast<const typename F::Block*>(cache.data()),
                           shape_.head_dim(), tokens * shape_.kv_heads, seen.data());
  }
  [[nodiscard]] tessera::HeadView<const float> cached_rows(const std::vector<float>& seen,
                                                           std::size_t tokens) const {
    return as_heads(tessera::matrix(seen.data(), tokens, shape_.kv_dim()), shape_.kv_heads,
                    shape_.head_dim());
  }

  /// Encodes the batch's rows, head by head.
  template <class F>
  void store(const tessera::MatrixView<const float>& rows, examples::AlignedBytes& cache) {
    const std::size_t row = shape_.kv_heads * cached_dim<F>() / F::group;
    examples::store_rows<F>(rows.data, shape_.head_dim(), rows.rows * shape_.kv_heads,
                            reinterpret_cast<typename F::Block*>(cache.data()) + position_ * row);
  }

  template <class F>
  tessera::Status mix_over(const Layer& layer) {
    const std::size_t dim = shape_.head_dim();
    const std::size_t wide = cached_dim<F>();
    const auto cached = [&](const examples::AlignedBytes& cache) {
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
    args.scale = attention_scale();
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
    const tessera::Status status = watched(
        "add", name, {},
        {tessera::call_tensor("x", x_.read()), tessera::call_tensor("y", projected_.read())},
        {tessera::call_tensor("x", x_.read())}, [&] {
          for (std::size_t i = 0; i < count_; ++i) {
            float* x = x_.view().row(i);
            const float* y = projected_.read().row(i);
            for (std::size_t j = 0; j < shape_.dim; ++j) x[j] += y[j];
          }
          return tessera::Status::ok;
        });
    return recorded(name, x_.view(), status);
  }

  /// Rows of heads that lie side by side, one row per token.
  template <class T>
  [[nodiscard]] tessera::HeadView<T> as_heads(const tessera::MatrixView<T>& rows, std::size_t heads,
                                              std::size_t dim) const {
    return {rows.data, heads, rows.rows, dim, static_cast<std::ptrdiff_t>(dim), rows.row_stride};
  }

  /// A weight of the layer at hand, as it was packed.
  [[nodiscard]] tessera::MatrixView<const float> source(Tensor tensor) const {
    return checkpoint_.matrix(tensor, static_cast<std::size_t>(layer_));
  }

  /// Runs one operator between the watcher's looks at it. Constants get its name.
  template <class Run>
  tessera::Status watched(const char* kind, const char* name,
                          std::initializer_list<tessera::CallArgument> arguments,
                          std::vector<tessera::CallTensor> inputs,
                          std::initializer_list<tessera::CallTensor> outputs, Run&& run) {
    if (watcher_ == nullptr) return run();
    std::string label = name;
    if (layer_ != Trace::no_layer) label.insert(0, "layer" + std::to_string(layer_) + ".");
    for (tessera::CallTensor& t : inputs)
      if (t.constant != nullptr) t.constant = label.c_str();
    const tessera::OperatorCall call = {label.c_str(),
                                        kind,
                                        {arguments.begin(), arguments.size()},
                                        inputs,
                                        {outputs.begin(), outputs.size()}};
    watcher_->before(call);
    const tessera::Status status = run();
    if (status == tessera::Status::ok) watcher_->after(call);
    return status;
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
  const examples::WeightsMaker maker_;
  const tessera::FormatId cache_;
  std::vector<Layer> layers_;
  std::unique_ptr<examples::Weights> classifier_;
  examples::WorkspaceMemory workspace_;

  // The batch at hand.
  std::size_t count_ = 0;
  std::size_t position_ = 0;
  int layer_ = Trace::no_layer;
  Trace* trace_ = nullptr;
  Watcher* watcher_ = nullptr;
  std::vector<std::int32_t> positions_;
  examples::FloatMatrix x_, normed_, q_, k_, v_, wide_q_, wide_mixed_, mixed_, projected_, gate_,
      up_, cosine_, sine_;
};

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_TRANSFORMER_ON_HPP_
