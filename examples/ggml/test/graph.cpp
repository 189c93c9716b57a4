// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/ggml/test/graph.hpp"

#include <cmath>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <vector>

#include "examples/ggml/test/placed.hpp"

namespace ggml_test {
namespace {

using ggml::Op;
using ggml::Tensor;

class Model {
 public:
  explicit Model(ggml::Registration& registration)
      : device_(*registration.functions.get_device(&registration, 0)),
        type_(device_.functions.get_buffer_type(&device_)) {}

  Tensor* place(Tensor t) {
    Tensor& kept = tensors_.emplace_back(t);
    placed_.emplace_back(type_, kept, ggml::Usage::any);
    return &kept;
  }
  /// Numbers between low and high.
  Tensor* drawn(float low, float high, std::int64_t n0, std::int64_t n1, std::int64_t n2 = 1,
                std::int64_t n3 = 1) {
    Tensor* const t = place(tensor(ggml::f32, n0, n1, n2, n3));
    std::vector<float> x(static_cast<std::size_t>(n0 * n1 * n2 * n3));
    for (float& v : x) {
      seed_ = seed_ * 1664525u + 1013904223u;
      v = low + (high - low) * static_cast<float>(seed_ >> 8) * 0x1p-24f;
    }
    placed_.back().set(*t, x.data());
    return t;
  }
  Tensor* integers(std::initializer_list<std::int32_t> values, std::int64_t n0,
                   std::int64_t n1 = 1) {
    Tensor* const t = place(tensor(ggml::i32, n0, n1));
    placed_.back().set(*t, values.begin());
    return t;
  }
  /// The result's type and shape are those of `shape`.
  Tensor* operate(const char* name, Op op, Tensor shape, std::initializer_list<Tensor*> sources,
                  std::initializer_list<std::int32_t> parameters = {}) {
    shape.op = op;
    std::strncpy(shape.name, name, sizeof shape.name - 1);
    int i = 0;
    for (Tensor* source : sources) shape.src[i++] = source;
    i = 0;
    for (const std::int32_t p : parameters) shape.op_params[i++] = p;
    Tensor* const t = place(shape);
    if (!device_.functions.supports_op(&device_, t))
      wrong_ += std::string(name) + " is not supported. ";
    graph_.nodes.push_back(t);
    return t;
  }
  /// Axis i of the view is axis axes[i].
  Tensor* view(Tensor* t, std::initializer_list<int> axes) {
    Tensor& v = tensors_.emplace_back(*t);
    int i = 0;
    for (const int axis : axes) v.ne[i] = t->ne[axis], v.nb[i++] = t->nb[axis];
    v.op = Op::permute;
    v.view_src = t;
    return &v;
  }
  std::string compute() {
    ggml::Backend* const backend = device_.functions.init_backend(&device_, nullptr);
    if (backend->functions.graph_compute(backend, &graph_) != ggml::Result::success)
      wrong_ += "The graph of every operator is not computed.";
    backend->functions.free(backend);
    return wrong_;
  }

 private:
  ggml::Device& device_;
  ggml::BufferType* type_;
  std::deque<Tensor> tensors_;
  std::deque<Placed> placed_;
  ggml::Graph graph_;
  std::string wrong_;
  unsigned seed_ = 7;
};

std::int32_t bits(float x) {
  std::int32_t result = 0;
  std::memcpy(&result, &x, sizeof result);
  return result;
}

constexpr std::int64_t dim = 8, heads = 4, key_heads = 2, tokens = 8, width = dim * heads;

/// A layer: norm, projections, rotation, attention with grouped heads, mask and sinks; as products and softmax again; experts.
void add_layer(Model& m) {
  const auto f32 = [](std::int64_t a, std::int64_t b, std::int64_t c = 1) {
    return tensor(ggml::f32, a, b, c);
  };
  Tensor* const x = m.operate("norm", Op::rms_norm, f32(width, tokens),
                              {m.drawn(-1, 1, width, tokens)}, {bits(1e-5f)});
  Tensor* const positions = m.integers({0, 1, 2, 3, 4, 5, 6, 7}, tokens);
  const auto project = [&](const char* name, std::int64_t to) {
    Tensor* const t = m.operate(name, Op::mul_mat, f32(to, tokens), {m.drawn(-1, 1, width, to), x});
    Tensor* const shaped = m.view(t, {0, 1, 2, 3});
    shaped->ne[0] = dim, shaped->ne[1] = to / dim, shaped->ne[2] = tokens;
    shaped->nb[1] = dim * 4, shaped->nb[2] = static_cast<std::size_t>(to) * 4;
    shaped->nb[3] = shaped->nb[2] * tokens;
    return shaped;
  };
  const auto turn = [&](const char* name, Tensor* t) {
    return m.operate(name, Op::rope, f32(dim, t->ne[1], tokens), {t, positions},
                     {0, dim, 2, 0, 0, bits(1e4f), bits(1), 0, bits(1), bits(32), bits(1)});
  };
  Tensor* const q = m.view(turn("q", project("wq", width)), {0, 2, 1, 3});
  Tensor* const k = m.view(turn("k", project("wk", dim * key_heads)), {0, 2, 1, 3});
  Tensor* const v = m.view(project("wv", dim * key_heads), {0, 2, 1, 3});
  const float scale = 1 / std::sqrt(static_cast<float>(dim));
  m.operate("attention", Op::flash_attn_ext, f32(dim, heads, tokens),
            {q, k, v, nullptr, m.drawn(-1, 1, heads, 1)}, {bits(scale)});
  Tensor* const scores = m.operate("scores", Op::mul_mat, f32(tokens, tokens, heads), {k, q});
  m.operate("shares", Op::soft_max, f32(tokens, tokens, heads),
            {scores, m.drawn(-3, 0, tokens, tokens)}, {bits(scale), bits(8)});
  m.operate("experts", Op::mul_mat_id, f32(5, 2, tokens),
            {m.drawn(-1, 1, width, 5, 3), m.view(m.drawn(-1, 1, width, tokens), {0, 2, 1, 3}),
             m.integers({0, 1, 1, 2, 2, 0, 0, 2, 1, 0, 2, 1, 0, 1, 1, 2}, 2, tokens)});
  m.operate("unit", Op::l2_norm, f32(width, tokens), {x}, {bits(1e-6f)});
  for (const std::int32_t function : {0, 1, 2, 3, 4, 5, 6})
    m.operate("gated", Op::glu, f32(width / 2, tokens), {x},
              {function, function % 2, bits(1.7f), bits(0.5f)});
  m.operate("gated", Op::glu, f32(width, tokens), {x, m.drawn(-1, 1, width, tokens)}, {2});
}

/// Recurrent operators, of two sequences and grouped heads where they have them.
void add_recurrences(Model& m) {
  constexpr std::int64_t sequences = 2, count = 3, states = 6;
  const auto drawn = [&](float low, float high, std::int64_t a, std::int64_t b, std::int64_t c = 1,
                         std::int64_t d = 1) { return m.drawn(low, high, a, b, c, d); };
  m.operate("conv", Op::ssm_conv, tensor(ggml::f32, 10, count, sequences),
            {drawn(-1, 1, count + 3, 10, sequences), drawn(-1, 1, 4, 10)});
  m.operate(
      "scan", Op::ssm_scan,
      tensor(ggml::f32, dim * heads * count * sequences + states * dim * heads * sequences, 1),
      {drawn(-1, 1, states, dim, heads, 3), drawn(-1, 1, dim, heads, count, sequences),
       drawn(-1, 1, heads, count, sequences), drawn(-1, 0, 1, heads),
       drawn(-1, 1, states, 2, count, sequences), drawn(-1, 1, states, 2, count, sequences),
       m.integers({2, 0}, sequences)},
      {1});
  m.operate("delta", Op::gated_delta_net,
            tensor(ggml::f32, dim * heads, count * sequences + dim * sequences),
            {drawn(-1, 1, dim, key_heads, count, sequences),
             drawn(-0.3f, 0.3f, dim, key_heads, count, sequences),
             drawn(-1, 1, dim, heads, count, sequences), drawn(-1, 0, 1, heads, count, sequences),
             drawn(0, 1, 1, heads, count, sequences), drawn(-1, 1, dim, dim, heads, sequences)},
            {1});
  const auto rows = [&](float low, float high) {
    return drawn(low, high, dim, heads, count * sequences);
  };
  const Tensor result = tensor(ggml::f32, dim * heads, count * sequences + dim * sequences);
  Tensor* const state = drawn(-1, 1, dim * dim * heads, sequences);
  m.operate("linear", Op::gated_linear_attn, result,
            {rows(-1, 1), rows(-1, 1), rows(-1, 1), rows(0.5f, 1), state}, {bits(0.35f)});
  m.operate(
      "rwkv6", Op::rwkv_wkv6, result,
      {rows(-1, 1), rows(-1, 1), rows(-1, 1), drawn(-1, 1, dim, heads), rows(0.5f, 1), state});
  m.operate("rwkv7", Op::rwkv_wkv7, result,
            {rows(-1, 1), rows(0.5f, 1), rows(-1, 1), rows(-1, 1), rows(-0.3f, 0.3f),
             rows(-0.3f, 0.3f), state});
}

}  // namespace

std::string compute_every_operator(ggml::Registration& registration) {
  Model model(registration);
  add_layer(model);
  add_recurrences(model);
  return model.compute();
}

}  // namespace ggml_test
