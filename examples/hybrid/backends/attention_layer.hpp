// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention with grouped queries, normed queries and keys, and a partial rotation, over a cache of any format.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_ATTENTION_LAYER_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_ATTENTION_LAYER_HPP_

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "examples/hybrid/backends/layer.hpp"
#include "examples/shared/backends/cache_rows.hpp"
#include "tessera/attention.hpp"
#include "tessera/norm.hpp"
#include "tessera/rope.hpp"

namespace hybrid {

template <class B>
class AttentionLayer final : public Layer {
 public:
  tessera::Status load(const LayerSource& source) override {
    s_ = source.network.shape();
    format_ = source.options.cache;
    capacity_ = source.options.capacity;
    q_norm_ = source.vector("q_norm");
    k_norm_ = source.vector("k_norm");
    tessera::Status size = tessera::Status::unknown_format;
    with_format([&]<class F>(tessera::Type<F>) {
      size = s_.head_size % F::group == 0 ? tessera::Status::ok : tessera::Status::group_multiple;
      const std::size_t bytes = capacity_ * row<F>() * sizeof(typename F::Block);
      for (std::size_t i = 0; i < source.options.slots; ++i)
        caches_.push_back({examples::AlignedBytes(bytes), examples::AlignedBytes(bytes)});
    });
    return examples::Calls()
        .then([&] { return size; })
        .then([&] { return pack(wq_, source, "q"); })
        .then([&] { return pack(wk_, source, "k"); })
        .then([&] { return pack(wv_, source, "v"); })
        .then([&] { return pack(out_, source, "out"); })
        .status();
  }

  tessera::Status run(Batch& batch) override {
    const auto in = batch.normed.read();
    const std::size_t queries = s_.query_heads * s_.head_size;
    const std::size_t keys = s_.kv_heads * s_.head_size;
    mixed_.resize(batch.tokens, queries);
    return examples::Calls()
        .then([&] { return product(*wq_, in, queries, q_, batch); })
        .then([&] { return product(*wk_, in, keys, k_, batch); })
        .then([&] { return product(*wv_, in, keys, v_, batch); })
        .then([&] { return turn(q_, q_norm_, s_.query_heads, batch); })
        .then([&] { return turn(k_, k_norm_, s_.kv_heads, batch); })
        .then([&] { return mix(batch, batch.prompts); })
        .then([&] { return mix(batch, batch.steps); })
        .then([&] { return product(*out_, mixed_.read(), s_.dim, batch.added, batch); })
        .status();
  }

 private:
  struct Cache {
    examples::AlignedBytes keys, values;  ///< capacity x kv_heads rows
  };

  template <class Body>
  void with_format(Body&& body) const {
    examples::CacheFormats::for_each([&]<class F>(tessera::Type<F> type) {
      if (F::id == format_) body(type);
    });
  }

  /// Blocks of a token's heads.
  template <class F>
  [[nodiscard]] std::size_t row() const {
    return s_.kv_heads * s_.head_size / F::group;
  }

  /// Norms each head, then rotates its first elements, in place.
  tessera::Status turn(examples::FloatMatrix& rows, const float* weight, std::size_t heads,
                       Batch& batch) {
    const auto each = tessera::matrix(rows.view().data, batch.tokens * heads, s_.head_size);
    const auto view = heads_of(rows.view(), 0, heads, s_.head_size);
    return examples::Calls()
        .then([&] { return tessera::rms_norm<B>({each, weight, each, norm_eps}); })
        .then([&] {
          return tessera::rope<B>(
              {view, view, batch.cosine.read(), batch.sine.read(), tessera::Pairing::half});
        })
        .status();
  }

  tessera::Status mix(Batch& batch, const std::vector<tessera::Sequence>& sequences) {
    tessera::Status status = tessera::Status::ok;
    with_format([&]<class F>(tessera::Type<F>) {
      for (const tessera::Sequence& sequence : sequences) {
        if (status != tessera::Status::ok) return;
        store<F>(k_, sequence, batch, caches_[sequence.slot].keys);
        store<F>(v_, sequence, batch, caches_[sequence.slot].values);
        status = attend<F>(sequence, batch);
      }
    });
    return status;
  }

  template <class F>
  void store(const examples::FloatMatrix& rows, const tessera::Sequence& sequence,
             const Batch& batch, examples::AlignedBytes& cache) const {
    auto* blocks = reinterpret_cast<typename F::Block*>(cache.data());
    examples::store_rows<F>(rows.read().row(sequence.first), s_.head_size,
                            sequence.tokens * s_.kv_heads,
                            blocks + batch.positions[sequence.slot] * row<F>());
  }

  template <class F>
  tessera::Status attend(const tessera::Sequence& sequence, Batch& batch) {
    const std::size_t before = batch.positions[sequence.slot];
    const auto cached = [&](const examples::AlignedBytes& cache) {
      const std::size_t blocks = s_.head_size / F::group;
      return tessera::HeadView<const typename F::Block>{
          reinterpret_cast<const typename F::Block*>(cache.data()),
          s_.kv_heads,
          before + sequence.tokens,
          blocks,
          static_cast<std::ptrdiff_t>(blocks),
          static_cast<std::ptrdiff_t>(row<F>())};
    };
    const auto rows_of = [&](const auto& all) {
      return tessera::MatrixView{all.row(sequence.first), sequence.tokens, all.cols,
                                 all.row_stride};
    };
    tessera::AttentionArgs<F, F> args;
    args.q = heads_of(rows_of(q_.read()), 0, s_.query_heads, s_.head_size);
    args.k = cached(caches_[sequence.slot].keys);
    args.v = cached(caches_[sequence.slot].values);
    args.out = heads_of(rows_of(mixed_.view()), 0, s_.query_heads, s_.head_size);
    args.scale = 1.0f / std::sqrt(static_cast<float>(s_.head_size));
    args.causal = true;
    args.causal_offset = static_cast<std::ptrdiff_t>(before);
    args.workspace = batch.workspace.fit(tessera::workspace_size(args));
    return tessera::attention<B>(args);
  }

  Shape s_;
  tessera::FormatId format_ = tessera::FormatId::f32;
  std::size_t capacity_ = 0;
  std::unique_ptr<examples::Weights> wq_, wk_, wv_, out_;
  const float* q_norm_ = nullptr;
  const float* k_norm_ = nullptr;
  std::vector<Cache> caches_;
  examples::FloatMatrix q_, k_, v_, mixed_;
};

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_ATTENTION_LAYER_HPP_
