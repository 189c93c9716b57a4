// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Whole state-space layers in the shapes that models have, by name: a few tokens through all of a layer against
// float64, scalar's bits, and the decode steps' bits. Only the model's own width is smaller.
//
// Native runs only: emulated, they would take long and show nothing that the kernels' tests do not.
#if !defined(__riscv)
#include "tests/kernels/ssm_models.hpp"

namespace tessera_test {
namespace {

using B = tessera::default_backend;
constexpr std::size_t model = 128;

/// What a layer computed on the way and in the end.
struct Answer {
  Rows before, core,
      out;  ///< the convolution's inputs, the recurrence's outputs, the layer's outputs
};
/// Rounding moves few of the codes that a projection's inputs get; each by one step.
constexpr double of_floats = 1e-11, of_codes = 3e-6;

template <class Layer>
Answer expect_right(const Layer& layer, const Rows& x, double core_limit) {
  const Answer got = layer.run(Kernels<B>{}, x), want = layer.run(Exact{}, x);
  EXPECT_TRUE(
      within(worst_row_nmse(got.core, want.core, want.core.size() / Layer::tokens), core_limit));
  EXPECT_TRUE(within(worst_row_nmse(got.out, want.out, model), of_codes));
  using Scalar = tessera::backend::scalar;
  if constexpr (!std::is_same_v<B, Scalar>) {
    EXPECT_TRUE(same_bits(got.out, layer.run(Kernels<Scalar>{}, x).out));
  }
  return got;
}

/// Mamba: 1024 channels, 16 states, rates per channel and state, steps of rank 32.
struct Mamba1 {
  static constexpr std::size_t tokens = 5, channels = 1024, states = 16, rank = 32;
  Projection in{2 * channels, model, 1}, x_proj{rank + 2 * states, channels, 2};
  Projection dt_proj{channels, rank, 3}, out_proj{model, channels, 4};
  Convolution conv{channels, 5};
  Rows dt_bias = drawn(channels, 6, -5, -2), a = drawn(states * channels, 7, -16, -1);
  Rows d = drawn(channels, 8, 0.5f, 1.5f), state = Rows(states * channels, 0.0f);

  template <class Ops>
  Answer run(const Ops& ops, const Rows& rows) const {
    const Rows xz = ops.project(in, rows), z = columns(xz, 2 * channels, channels, channels);
    const Rows before = columns(xz, 2 * channels, 0, channels), x = ops.convolve(conv, before);
    const Rows dbc = ops.project(x_proj, x);
    constexpr std::size_t width = rank + 2 * states;
    const Rows dt = plus(ops.project(dt_proj, columns(dbc, width, 0, rank)), dt_bias);
    const Rows b = columns(dbc, width, rank, states),
               c = columns(dbc, width, rank + states, states);
    reference::Scan s = {channels, 1,         1,        states,   tokens,  true,
                         x.data(), dt.data(), a.data(), b.data(), c.data()};
    s.d = d.data(), s.z = z.data(), s.state = state.data();
    const Rows y = ops.scan(s);
    return {before, y, ops.project(out_proj, y)};
  }
};

TEST(SsmModels, Mamba1) {
  expect_right(Mamba1(), drawn(Mamba1::tokens * model, 9, -2, 2), of_codes);
}

/// Mamba-2 2.7B: 80 heads of 64, 128 states, one group, gated norm of the whole row.
struct Mamba2 {
  static constexpr std::size_t tokens = 3, heads = 80, dim = 64, states = 128;
  static constexpr std::size_t own = heads * dim, channels = own + 2 * states;
  static constexpr std::size_t width = own + channels + heads;
  Projection in{width, model, 1}, out_proj{model, own, 2};
  Convolution conv{channels, 3};
  Rows dt_bias = drawn(heads, 4, -5, -2), a = drawn(heads, 5, -16, -1);
  Rows d = drawn(heads, 6, 0.5f, 1.5f), norm = drawn(own, 7, 0.5f, 1.5f);
  Rows state = Rows(states * own, 0.0f);

  template <class Ops>
  Rows steps_of(const Ops& ops, const Rows& rows) const {
    return plus(columns(ops.project(in, rows), width, own + channels, heads), dt_bias);
  }
  template <class Ops>
  Answer run(const Ops& ops, const Rows& rows) const {
    const Rows all = ops.project(in, rows), z = columns(all, width, 0, own);
    const Rows before = columns(all, width, own, channels);
    const Rows dt = plus(columns(all, width, own + channels, heads), dt_bias);
    const Rows xbc = ops.convolve(conv, before), x = columns(xbc, channels, 0, own);
    const Rows b = columns(xbc, channels, own, states);
    const Rows c = columns(xbc, channels, own + states, states);
    reference::Scan s = {heads,    dim,       1,        states,   tokens,  false,
                         x.data(), dt.data(), a.data(), b.data(), c.data()};
    s.d = d.data(), s.state = state.data();
    const Rows y = ops.scan(s);
    return {before, y, ops.project(out_proj, ops.norm(y, z, norm, true))};
  }
};

TEST(SsmModels, Mamba2) {
  const Mamba2 layer;
  const Rows x = drawn(Mamba2::tokens * model, 9, -2, 2);
  const Answer got = expect_right(layer, x, of_floats);
  // The same tokens one by one.
  const Rows dt = layer.steps_of(Kernels<B>{}, x);
  Rows y(got.core.size()), state = layer.state, conv_state(3 * Mamba2::channels, 0.0f);
  for (std::size_t t = 0; t < Mamba2::tokens; ++t) {
    const tessera::Sequence one = {t, 1, 0};
    tessera::Mamba2StepArgs a;
    a.state_size = Mamba2::states;
    a.xbc = tessera::time_major(got.before.data(), Mamba2::tokens, Mamba2::channels);
    a.weight = tessera::time_major(layer.conv.weight.data(), 4, Mamba2::channels);
    a.bias = layer.conv.bias.data();
    a.conv_states = {conv_state.data(), 1, 0, Mamba2::channels, 1};
    a.dt = tessera::time_major(dt.data(), Mamba2::tokens, Mamba2::heads);
    a.a = tessera::time_major(layer.a.data(), 1, Mamba2::heads), a.d = layer.d.data();
    a.y = Kernels<B>::heads(y.data(), Mamba2::heads, Mamba2::tokens, Mamba2::dim);
    a.sequences = {&one, 1}, a.states = {state.data(), 1, 0};
    Kernels<B>::call(a, [](const auto& p) { return tessera::mamba2_step<B>(p); });
  }
  EXPECT_TRUE(same_bits(y, got.core));
}

/// Qwen3-Next's linear-attention layer: 16 key heads, 32 value heads of 128, width 4 over q, k and v.
struct DeltaNet {
  static constexpr std::size_t tokens = 3, key_heads = 16, heads = 32, dim = 128;
  static constexpr std::size_t keys = key_heads * dim, own = heads * dim, channels = 2 * keys + own;
  Projection qkv{channels, model, 1}, gate{own, model, 2}, ba{2 * heads, model, 3};
  Projection out_proj{model, own, 4};
  Convolution conv{channels, 5};
  Rows dt_bias = drawn(heads, 6, -4, 1), rate = drawn(heads, 7, -16, -0.1f);
  Rows norm = drawn(dim, 8, 0.5f, 1.5f), state = Rows(heads * dim * dim, 0.0f);
  float scale = 1 / std::sqrt(static_cast<float>(dim));

  template <class Ops>
  Rows beta_of(const Ops& ops, const Rows& rows) const {
    return ops.activate(reference::Activation::sigmoid, columns(rows, 2 * heads, 0, heads));
  }
  template <class Ops>
  Rows log_gate_of(const Ops& ops, const Rows& rows) const {
    Rows g = ops.activate(reference::Activation::softplus,
                          plus(columns(rows, 2 * heads, heads, heads), dt_bias));
    for (std::size_t i = 0; i < g.size(); ++i) g[i] *= rate[i % heads];
    return g;
  }
  template <class Ops>
  Answer run(const Ops& ops, const Rows& rows) const {
    const Rows before = ops.project(qkv, rows), after = ops.convolve(conv, before);
    const Rows q = ops.unit(columns(after, channels, 0, keys), dim);
    const Rows k = ops.unit(columns(after, channels, keys, keys), dim);
    const Rows v = columns(after, channels, 2 * keys, own);
    const Rows gates = ops.project(ba, rows);
    const Rows beta = beta_of(ops, gates), log_gate = log_gate_of(ops, gates);
    reference::Recurrence r = {reference::Recurring::delta,
                               heads,
                               key_heads,
                               dim,
                               dim,
                               tokens,
                               false,
                               q.data(),
                               k.data(),
                               v.data(),
                               log_gate.data(),
                               1};
    r.beta = beta.data(), r.scale = double{scale}, r.state = state.data();
    const Rows y = ops.recur(r);
    const Rows gated = ops.norm(y, ops.project(gate, rows), norm, false);
    return {before, y, ops.project(out_proj, gated)};
  }
};

TEST(SsmModels, Qwen3NextDeltaNet) {
  const DeltaNet layer;
  const Rows x = drawn(DeltaNet::tokens * model, 9, -2, 2);
  const Answer got = expect_right(layer, x, of_floats);
  // The same tokens one by one.
  const Kernels<B> ops;
  const Rows gates = ops.project(layer.ba, x);
  const Rows beta = layer.beta_of(ops, gates), log_gate = layer.log_gate_of(ops, gates);
  Rows y(got.core.size()), state = layer.state, conv_state(3 * DeltaNet::channels, 0.0f);
  for (std::size_t t = 0; t < DeltaNet::tokens; ++t) {
    const tessera::Sequence one = {t, 1, 0};
    tessera::GatedDeltaNetStepArgs a = {tessera::HeadMap::blocks()};
    a.key_heads = DeltaNet::key_heads, a.key_size = DeltaNet::dim;
    a.qkv = tessera::time_major(got.before.data(), DeltaNet::tokens, DeltaNet::channels);
    a.weight = tessera::time_major(layer.conv.weight.data(), 4, DeltaNet::channels);
    a.bias = layer.conv.bias.data();
    a.conv_states = {conv_state.data(), 1, 0, DeltaNet::channels, 1};
    a.log_gate = Kernels<B>::heads(log_gate.data(), DeltaNet::heads, DeltaNet::tokens, 1);
    a.beta = tessera::time_major(beta.data(), DeltaNet::tokens, DeltaNet::heads);
    a.out = Kernels<B>::heads(y.data(), DeltaNet::heads, DeltaNet::tokens, DeltaNet::dim);
    a.scale = layer.scale;
    a.sequences = {&one, 1}, a.states = {state.data(), 1, 0};
    Kernels<B>::call(a, [](const auto& p) { return tessera::gated_delta_net_step<B>(p); });
  }
  EXPECT_TRUE(same_bits(y, got.core));
}

}  // namespace
}  // namespace tessera_test
#endif
