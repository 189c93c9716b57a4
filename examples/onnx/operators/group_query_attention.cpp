// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// GroupQueryAttention: query f32 [batch, tokens, heads * size], key and value [batch, tokens, key heads * size] (or
// all three in query, packed), past key and value [batch, key heads, past, size] (optional), seqlens_k i32 [batch] (the
// last position of each), total_sequence_length i32, tables of cosines and sines (optional), position ids i64 [batch,
// tokens] (optional), attention bias [batch or 1, heads or 1, tokens, total] (optional). Results: output [batch, tokens,
// heads * size], present key and value [batch, key heads, present, size].
#include <algorithm>
#include <cmath>
#include <cstring>

#include "examples/onnx/operator.hpp"
#include "examples/onnx/operators/rotation.hpp"
#include "tessera/attention.hpp"

namespace tessera_onnx {
namespace {

using Rows = tessera::HeadView<const float>;

/// Sizes of a call, and where the new tokens are.
struct Problem {
  std::size_t batch, tokens, dim, total, present;
  Rows q, k, v;  ///< of the first sequence
  std::ptrdiff_t q_stride, k_stride, v_stride;
};

Rows heads_in(const float* data, std::size_t heads, const Problem& p, std::size_t width) {
  return {data,
          heads,
          p.tokens,
          p.dim,
          static_cast<std::ptrdiff_t>(p.dim),
          static_cast<std::ptrdiff_t>(width)};
}
template <class T>
tessera::HeadView<T> shifted(tessera::HeadView<T> view, std::ptrdiff_t elements) {
  view.data += elements;
  return view;
}

/// A cache as a node has it: key heads x rows of one sequence.
struct Cache {
  const Tensor* past;  ///< or null
  Tensor present;

  [[nodiscard]] float* rows(std::size_t sequence, std::size_t head) const {
    return present.as<float>() +
           (sequence * present.size(1) + head) * present.size(2) * present.size(3);
  }
  /// The first `count` rows of every head from the past, what is behind `end` zeros.
  void carry(std::size_t sequence, std::size_t count, std::size_t end) const {
    const std::size_t heads = present.size(1), dim = present.size(3);
    for (std::size_t h = 0; h < heads; ++h) {
      float* const to = rows(sequence, h);
      if (count != 0)
        std::memcpy(to, past->as<const float>() + (sequence * heads + h) * past->size(2) * dim,
                    count * dim * sizeof(float));
      std::fill(to + end * dim, to + present.size(2) * dim, 0.0f);
    }
  }
  /// `count` rows of every head, from `first` on.
  [[nodiscard]] tessera::HeadView<float> view(std::size_t sequence, std::size_t first,
                                              std::size_t count) const {
    const std::size_t dim = present.size(3);
    return {rows(sequence, 0) + first * dim,
            present.size(1),
            count,
            dim,
            static_cast<std::ptrdiff_t>(present.size(2) * dim),
            static_cast<std::ptrdiff_t>(dim)};
  }
};

void copy(const Rows& from, const tessera::HeadView<float>& to) {
  for (std::size_t h = 0; h < from.heads; ++h)
    for (std::size_t t = 0; t < from.tokens; ++t)
      std::memcpy(to.row(h, t), from.row(h, t), from.dim * sizeof(float));
}

class GroupQueryAttention final : public Kernel {
 public:
  explicit GroupQueryAttention(const Node& node)
      : heads_(static_cast<std::size_t>(node.integer("num_heads", 0))),
        key_heads_(static_cast<std::size_t>(node.integer("kv_num_heads", 0))),
        scale_(node.number("scale", 0)),
        soft_cap_(node.number("softcap", 0)),
        window_(node.integer("local_window_size", -1)),
        rotary_(node.integer("do_rotary", 0) != 0),
        pairing_(node.integer("rotary_interleaved", 0) != 0 ? tessera::Pairing::interleaved
                                                            : tessera::Pairing::half),
        sinks_(node.integer("smooth_softmax", 0) > 0 ? heads_ : 0, 0.0f) {
    require(heads_ != 0 && key_heads_ != 0, "num_heads and kv_num_heads are needed");
  }

  void compute(const Call& call) const override {
    const auto past_key = call.optional_input(3), past_value = call.optional_input(4);
    const Tensor last = call.input(5);
    require(past_key.has_value() == past_value.has_value(),
            "one of past_key and past_value is missing");
    const Problem p = problem_of(call, past_key);
    require(last.count() == p.batch, "seqlens_k has another size");
    const Tensor out = call.output(0, shape({p.batch, p.tokens, heads_ * p.dim}));
    const auto cache = [&](std::size_t index, const std::optional<Tensor>& past) {
      require(!past || past->has_shape({p.batch, key_heads_, past->size(2), p.dim}),
              "the past has another shape");
      return Cache{past ? &*past : nullptr,
                   call.output(index, shape({p.batch, key_heads_, p.present, p.dim}))};
    };
    const Cache keys = cache(1, past_key), values = cache(2, past_value);
    std::vector<float> turned(rotary_ ? p.q.heads * p.tokens * p.dim : 0);
    for (std::size_t i = 0; i < p.batch; ++i) {
      const std::size_t before = past_of(p, last.as<const std::int32_t>()[i], past_key);
      const std::size_t end = before + p.tokens;
      const auto at = static_cast<std::ptrdiff_t>(i);
      Rows q = shifted(p.q, at * p.q_stride);
      const Rows k = shifted(p.k, at * p.k_stride);
      keys.carry(i, before, end);
      values.carry(i, before, end);
      copy(shifted(p.v, at * p.v_stride), values.view(i, before, p.tokens));
      if (rotary_) {
        tessera::HeadView<float> to{turned.data(),
                                    heads_,
                                    p.tokens,
                                    p.dim,
                                    static_cast<std::ptrdiff_t>(p.tokens * p.dim),
                                    static_cast<std::ptrdiff_t>(p.dim)};
        turn(call, i, before, q, to, k, keys.view(i, before, p.tokens));
        q = to;
      } else {
        copy(k, keys.view(i, before, p.tokens));
      }
      const std::size_t width = heads_ * p.dim;
      attend(call, i, before, q, keys.view(i, 0, end), values.view(i, 0, end),
             {out.as<float>() + i * p.tokens * width, heads_, p.tokens, p.dim,
              static_cast<std::ptrdiff_t>(p.dim), static_cast<std::ptrdiff_t>(width)});
    }
  }

 private:
  static std::vector<std::int64_t> shape(std::initializer_list<std::size_t> sizes) {
    return {sizes.begin(), sizes.end()};
  }

  [[nodiscard]] Problem problem_of(const Call& call, const std::optional<Tensor>& past_key) const {
    const Tensor query = call.input(0);
    const auto key = call.optional_input(1), value = call.optional_input(2);
    require(query.shape.size() == 3 && query.count() != 0, "the query has three dimensions");
    require(key.has_value() == value.has_value(), "one of key and value is missing");
    Problem p{};
    p.batch = query.size(0);
    p.tokens = query.size(1);
    const std::size_t width = query.size(2), of = key ? heads_ : heads_ + 2 * key_heads_;
    require(width % of == 0, "the query does not consist of heads");
    p.dim = width / of;
    const auto total = *call.input(6).as<const std::int32_t>();
    require(total > 0, "total_sequence_length is not positive");
    p.total = static_cast<std::size_t>(total);
    p.present = std::max(p.total, past_key ? past_key->size(2) : 0);
    p.q = heads_in(query.as<const float>(), heads_, p, width);
    p.q_stride = p.k_stride = p.v_stride = static_cast<std::ptrdiff_t>(p.tokens * width);
    const std::size_t key_width = key_heads_ * p.dim;
    if (!key) {
      p.k = heads_in(query.as<const float>() + heads_ * p.dim, key_heads_, p, width);
      p.v = shifted(p.k, static_cast<std::ptrdiff_t>(key_width));
      return p;
    }
    require(key->has_shape({p.batch, p.tokens, key_width}) && value->shape == key->shape,
            "key or value has another shape");
    p.k = heads_in(key->as<const float>(), key_heads_, p, key_width);
    p.v = heads_in(value->as<const float>(), key_heads_, p, key_width);
    p.k_stride = p.v_stride = static_cast<std::ptrdiff_t>(p.tokens * key_width);
    return p;
  }

  /// How many tokens a sequence has before the new ones. Of a first prompt, where lengths differ, the rest are
  /// padding behind.
  [[nodiscard]] static std::size_t past_of(const Problem& p, std::int32_t last,
                                           const std::optional<Tensor>& past) {
    require(last >= 0 && static_cast<std::size_t>(last) < p.total, "seqlens_k is beyond the total");
    if (p.tokens == p.total) return 0;
    const std::size_t length = static_cast<std::size_t>(last) + 1;
    require(length >= p.tokens && length - p.tokens <= (past ? past->size(2) : 0),
            "the past is shorter than seqlens_k says");
    return length - p.tokens;
  }

  void turn(const Call& call, std::size_t sequence, std::size_t before, const Rows& q,
            const tessera::HeadView<float>& q_to, const Rows& k,
            const tessera::HeadView<float>& k_to) const {
    const Tensor cosine = call.input(7), sine = call.input(8);
    const auto ids = call.optional_input(9);
    require(cosine.shape.size() == 2 && sine.shape == cosine.shape,
            "the tables have another shape");
    require(!ids || (ids->shape.size() == 2 && ids->size(0) > sequence && ids->size(1) == q.tokens),
            "position_ids have another shape");
    std::vector<std::int32_t> positions(q.tokens);
    for (std::size_t i = 0; i < q.tokens; ++i)
      positions[i] =
          static_cast<std::int32_t>(ids ? ids->as<const std::int64_t>()[sequence * q.tokens + i]
                                        : static_cast<std::int64_t>(before + i));
    tessera::RopeArgs<> args{.x = q,
                             .y = q_to,
                             .cosine = table_of(cosine),
                             .sine = table_of(sine),
                             .pairing = pairing_,
                             .positions = positions};
    rotate(call, args);
    args.x = k;
    args.y = k_to;
    rotate(call, args);
  }

  void attend(const Call& call, std::size_t sequence, std::size_t before, const Rows& q,
              const Rows& k, const Rows& v, const tessera::HeadView<float>& out) const {
    tessera::AttentionArgs<> args;
    args.q = q;
    args.k = k;
    args.v = v;
    args.out = out;
    args.scale = scale_ != 0 ? scale_ : 1 / std::sqrt(static_cast<float>(q.dim));
    args.causal = true;
    args.causal_offset = static_cast<std::ptrdiff_t>(before);
    args.soft_cap = soft_cap_;
    if (window_ >= 0) args.before = static_cast<std::size_t>(window_);
    args.sinks = sinks_;
    if (const auto bias = call.optional_input(10))
      args.mask = mask_of(*bias, sequence, q.tokens, k.tokens);
    const std::size_t units = tessera::units(args), parts = parts_of(units);
    const PartedWorkspace workspace(tessera::workspace_size(args), parts);
    call.share(parts, [&](std::size_t part) {
      auto own = args;
      own.workspace = workspace.of(part);
      return tessera::attention(own, tessera::Slice{part, parts}.of(units));
    });
  }

  [[nodiscard]] static tessera::MaskView mask_of(const Tensor& bias, std::size_t sequence,
                                                 std::size_t queries, std::size_t keys) {
    require(bias.shape.size() == 4 && (bias.size(0) == 1 || bias.size(0) > sequence) &&
                bias.size(2) == queries && bias.size(3) >= keys,
            "the bias has another shape");
    const std::size_t of_head = bias.size(2) * bias.size(3);
    const std::size_t first = bias.size(0) == 1 ? 0 : sequence * bias.size(1) * of_head;
    return {.f32 = bias.as<const float>() + first,
            .heads = bias.size(1),
            .query_stride = static_cast<std::ptrdiff_t>(bias.size(3)),
            .head_stride = static_cast<std::ptrdiff_t>(of_head)};
  }

  std::size_t heads_, key_heads_;
  float scale_, soft_cap_;
  std::int64_t window_;
  bool rotary_;
  tessera::Pairing pairing_;
  std::vector<float> sinks_;  ///< of a smooth softmax: an extra score of 0 per head
};

}  // namespace

const OrtCustomOp& group_query_attention() {
  constexpr auto f32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  constexpr auto i32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32;
  constexpr auto i64 = ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
  static const Operator op("GroupQueryAttention",
                           {{f32},
                            {f32, true},
                            {f32, true},
                            {f32, true},
                            {f32, true},
                            {i32},
                            {i32},
                            {f32, true},
                            {f32, true},
                            {i64, true},
                            {f32, true}},
                           {{f32}, {f32}, {f32}}, [](const Node& node) -> std::unique_ptr<Kernel> {
                             return std::make_unique<GroupQueryAttention>(node);
                           });
  return op;
}

}  // namespace tessera_onnx
