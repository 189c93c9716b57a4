// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// RotaryEmbedding: x [batch, tokens, heads * size] or [batch, heads, tokens, size], position ids i64 [1] (that of
// the first token) or [batch, tokens], tables of cosines and sines [positions, pairs].
#include "examples/onnx/operator.hpp"
#include "examples/onnx/operators/rotation.hpp"

namespace tessera_onnx {
namespace {

/// How x lies in memory.
struct Heads {
  std::size_t batch, heads, tokens, dim;
  std::ptrdiff_t head_stride, token_stride;

  template <class T>
  [[nodiscard]] tessera::HeadView<T> view(T* data, std::size_t sequence) const {
    return {data + sequence * heads * tokens * dim, heads, tokens, dim, head_stride, token_stride};
  }
};

class RotaryEmbedding final : public Kernel {
 public:
  explicit RotaryEmbedding(const Node& node)
      : pairing_(node.integer("interleaved", 0) != 0 ? tessera::Pairing::interleaved
                                                     : tessera::Pairing::half),
        heads_(static_cast<std::size_t>(node.integer("num_heads", 0))),
        rotary_(static_cast<std::size_t>(node.integer("rotary_embedding_dim", 0))) {
    require(node.integer("is_packed_batching", 0) == 0, "packed batches are not supported");
    require(node.number("scale", 1) == 1, "a scale is not supported");
    require(rotary_ == 0 || heads_ != 0, "rotary_embedding_dim needs num_heads");
  }

  void compute(const Call& call) const override {
    const Tensor x = call.input(0), ids = call.input(1), cosine = call.input(2),
                 sine = call.input(3);
    const Tensor y = call.output(0, x.shape);
    if (x.count() == 0) return;
    const Heads heads = heads_of(x, 2 * cosine.size(1));
    require(rotary_ == 0 || cosine.size(1) * 2 == rotary_, "the tables have another width");
    require(cosine.shape == sine.shape, "the tables differ in shape");
    const auto positions = rows_of(ids, heads.batch, heads.tokens);
    for (std::size_t i = 0; i < heads.batch; ++i) {
      const tessera::RopeArgs<> args{
          .x = heads.view(x.as<const float>(), i),
          .y = heads.view(y.as<float>(), i),
          .cosine = table_of(cosine),
          .sine = table_of(sine),
          .pairing = pairing_,
          .positions = std::span(positions).subspan(i * heads.tokens, heads.tokens)};
      rotate(call, args);
    }
  }

 private:
  [[nodiscard]] Heads heads_of(const Tensor& x, std::size_t table_width) const {
    if (x.shape.size() == 4) {
      const auto dim = static_cast<std::ptrdiff_t>(x.size(3));
      return {
          x.size(0), x.size(1), x.size(2), x.size(3), static_cast<std::ptrdiff_t>(x.size(2)) * dim,
          dim};
    }
    require(x.shape.size() == 3, "x has three or four dimensions");
    const std::size_t width = x.size(2);
    const std::size_t heads = heads_ != 0 ? heads_ : width / table_width;
    require(heads != 0 && width % heads == 0, "x does not consist of heads");
    return {x.size(0),
            heads,
            x.size(1),
            width / heads,
            static_cast<std::ptrdiff_t>(width / heads),
            static_cast<std::ptrdiff_t>(width)};
  }
  /// The table's row of every token. What is no row is found by the library.
  [[nodiscard]] static std::vector<std::int32_t> rows_of(const Tensor& ids, std::size_t batch,
                                                         std::size_t tokens) {
    const bool first_only = ids.has_shape({1});
    require(first_only || ids.has_shape({batch, tokens}), "position_ids have another shape");
    std::vector<std::int32_t> rows(batch * tokens);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t row =
          first_only ? *ids.as<const std::int64_t>() + static_cast<std::int64_t>(i % tokens)
                     : ids.as<const std::int64_t>()[i];
      rows[i] = row < 0 || row > INT32_MAX ? -1 : static_cast<std::int32_t>(row);
    }
    return rows;
  }

  tessera::Pairing pairing_;
  std::size_t heads_;
  std::size_t rotary_;
};

}  // namespace

const OrtCustomOp& rotary_embedding() {
  constexpr auto f32 = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  static const Operator op("RotaryEmbedding",
                           {{f32}, {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64}, {f32}, {f32}}, {{f32}},
                           [](const Node& node) -> std::unique_ptr<Kernel> {
                             return std::make_unique<RotaryEmbedding>(node);
                           });
  return op;
}

}  // namespace tessera_onnx
