// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One problem of either decode step between guard pages, answered by the step and by its parts.
#ifndef TESSERA_TESTS_KERNELS_STEP_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_STEP_HARNESS_HPP_

#include <ostream>
#include <vector>

#include "tessera/head_norm.hpp"
#include "tessera/ssm_step.hpp"
#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/ssm_step.hpp"

namespace tessera_test {

using tessera::Sequence;
using tessera::StateOrder;

struct StepShape {
  bool delta;
  std::size_t heads, dim;
  std::size_t shared, size;  ///< groups of so many states, or key heads of so many keys
  std::size_t width = 4;
  bool rest = true;       ///< bias; Mamba-2: d and z
  std::size_t gates = 1;  ///< delta: 0 none, 1, or size
  bool modulo = false;
  friend std::ostream& operator<<(std::ostream& out, const StepShape& s) {
    return out << (s.delta ? "delta " : "mamba2 ") << s.heads << "x" << s.dim << " shared "
               << s.shared << "x" << s.size << " width " << s.width << " gates " << s.gates;
  }
};

struct StepLayout {
  bool channel_major = false;  ///< inputs and the convolution's states
  StateOrder order = StateOrder::outputs;
};

struct Stepping {
  StepShape s;
  StepLayout l;
  std::size_t tokens, slots;
  std::vector<Sequence> sequences;
  std::size_t own = s.heads * s.dim, shared = s.shared * s.size, channels = own + 2 * shared;
  std::size_t history = (s.width - 1) * channels, state_size = own * s.size;
  std::vector<float> x, weight, bias, dt, a, d, z, gate, before, conv_before;
  GuardedBuffer<float> input{tokens * channels};
  GuardedBuffer<float> y{tokens * own};
  GuardedBuffer<float> states{slots * state_size};
  GuardedBuffer<float> conv_states{slots * history};

  explicit Stepping(const StepShape& shape, StepLayout layout = {}, std::size_t t = 1,
                    std::size_t n = 1, std::vector<Sequence> list = {{0, 1, 0}})
      : s(shape), l(layout), tokens(t), slots(n), sequences(std::move(list)) {
    Random random(own * 3 + shared);
    const auto drawn = [&](std::size_t count, float low, float high) {
      std::vector<float> v(count);
      for (float& e : v) e = random.uniform(low, high);
      return v;
    };
    x = drawn(tokens * channels, -2, 2);
    weight = drawn(s.width * channels, -1, 1), bias = drawn(channels, -1, 1);
    dt = drawn(tokens * s.heads, s.delta ? 0.0f : -3.0f, s.delta ? 1.0f : 2.0f);  // or beta
    a = drawn(s.heads, -4, -0.1f), d = drawn(s.heads, -1, 1), z = drawn(tokens * own, -2, 2);
    gate = drawn(tokens * s.heads * s.gates, -2, -0.01f);
    before = drawn(slots * state_size, -1, 1), conv_before = drawn(slots * history, -2, 2);
    restore();
  }
  static std::ptrdiff_t n(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

  /// Where element i of the states in StateOrder::outputs lies.
  std::size_t place(std::size_t i) const {
    if (l.order == StateOrder::outputs) return i;
    const std::size_t columns = s.delta ? s.dim : own, size = columns * s.size, in = i % size;
    return i - in + in % columns * s.size + in / columns;
  }
  std::size_t conv_place(std::size_t i) const {
    if (!l.channel_major) return i;
    const std::size_t in = i % history;
    return i - in + in % channels * (s.width - 1) + in / channels;
  }
  void restore() {
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        input[l.channel_major ? c * tokens + t : t * channels + c] = x[t * channels + c];
    for (std::size_t i = 0; i < before.size(); ++i) states[place(i)] = before[i];
    for (std::size_t i = 0; i < conv_before.size(); ++i)
      conv_states[conv_place(i)] = conv_before[i];
    y.poison();
  }
  tessera::ChannelView<const float> rows() const {
    return l.channel_major ? tessera::channel_major(input.data(), tokens, channels)
                           : tessera::time_major(input.data(), tokens, channels);
  }
  tessera::HeadView<const float> heads(const float* p, std::size_t count, std::size_t dim,
                                       std::size_t row) const {
    return {p, count, tokens, dim, n(dim), n(row)};
  }
  tessera::HeadView<float> out() { return {y.data(), s.heads, tokens, s.dim, n(s.dim), n(own)}; }
  /// What both steps' arguments and ssm_conv's have.
  template <class Args>
  void set_carried(Args& args) {
    args.weight = tessera::time_major<const float>(weight.data(), s.width, channels);
    if (s.rest) args.bias = bias.data();
    args.sequences = sequences;
  }
  tessera::ConvStates conv_view() {
    return {conv_states.data(), slots, n(history), l.channel_major ? 1 : n(channels),
            l.channel_major ? n(s.width - 1) : 1};
  }
  tessera::Mamba2StepArgs mamba2() {
    tessera::Mamba2StepArgs args;
    set_carried(args);
    args.groups = s.shared, args.state_size = s.size, args.xbc = rows();
    args.conv_states = conv_view();
    set_scan(args);
    return args;
  }
  /// What the step's arguments and ssm_scan's have.
  template <class Args>
  void set_scan(Args& args) {
    args.dt = tessera::time_major<const float>(dt.data(), tokens, s.heads);
    args.a = tessera::time_major<const float>(a.data(), 1, s.heads);
    if (s.rest) args.d = d.data(), args.z = heads(z.data(), s.heads, s.dim, own);
    args.dt_min = 0.01f, args.dt_max = 1.5f;
    args.y = out(), args.sequences = sequences;
    args.states = {states.data(), slots, n(state_size), l.order};
  }
  tessera::GatedDeltaNetStepArgs delta() {
    tessera::GatedDeltaNetStepArgs args = {map()};
    set_carried(args);
    args.key_heads = s.shared, args.key_size = s.size, args.qkv = rows();
    args.conv_states = conv_view();
    set_rule(args);
    return args;
  }
  tessera::HeadMap map() const {
    return s.modulo ? tessera::HeadMap::modulo() : tessera::HeadMap::blocks();
  }
  template <class Args>
  void set_rule(Args& args) {
    if (s.gates != 0) args.log_gate = heads(gate.data(), s.heads, s.gates, s.heads * s.gates);
    args.beta = tessera::time_major<const float>(dt.data(), tokens, s.heads);
    args.scale = 0.25f, args.out = out(), args.sequences = sequences;
    args.states = {states.data(), slots, n(state_size), l.order};
  }

  /// Calls f(args, kernel, phase kernel) of the step that this is.
  template <class B, class F>
  void with_step(F&& f) {
    if (s.delta)
      f(
          delta(), [](const auto& p) { return tessera::gated_delta_net_step<B>(p); },
          [](const auto& p, std::size_t phase, auto range) {
            return tessera::gated_delta_net_step_phase<B>(p, phase, range);
          });
    else
      f(
          mamba2(), [](const auto& p) { return tessera::mamba2_step<B>(p); },
          [](const auto& p, std::size_t phase, auto range) {
            return tessera::mamba2_step_phase<B>(p, phase, range);
          });
  }
  template <class B>
  std::vector<float> fused(std::size_t slices = 0) {
    restore();
    with_step<B>([&](auto args, auto kernel, auto phase_kernel) {
      GuardedWorkspace workspace(tessera::workspace_size(args));
      args.workspace = workspace.get();
      if (slices == 0) {
        ASSERT_EQ(kernel(args), Status::ok) << s;
      }
      for (std::size_t phase = 0; slices != 0 && phase < tessera::phases(args); ++phase)
        for (std::size_t i = slices; i-- > 0;)
          ASSERT_EQ(
              phase_kernel(args, phase, tessera::Slice{i, slices}.of(tessera::units(args, phase))),
              Status::ok);
      ASSERT_TRUE(workspace.untouched_outside());
    });
    return results();
  }
  /// The calls that the step stands for, on the backend whose bits are everybody's.
  std::vector<float> parts() {
    using B = tessera::backend::scalar;
    restore();
    std::vector<float> row(tokens * channels, 0.0f);
    tessera::SsmConvArgs conv;
    set_carried(conv);
    conv.x = rows(), conv.y = tessera::time_major(row.data(), tokens, channels);
    conv.silu = true, conv.states = conv_view();
    call(conv, [](const auto& p) { return tessera::ssm_conv<B>(p); });
    if (s.delta) {
      tessera::L2NormArgs unit;
      unit.y = {row.data(), 2 * s.shared, tokens, s.size, n(s.size), n(channels)};
      unit.x = unit.y;
      EXPECT_EQ(tessera::l2_norm<B>(unit), Status::ok);
      tessera::GatedDeltaNetArgs rule = {map()};
      set_rule(rule);
      rule.q = heads(row.data(), s.shared, s.size, channels);
      rule.k = heads(row.data() + shared, s.shared, s.size, channels);
      rule.v = heads(row.data() + 2 * shared, s.heads, s.dim, channels);
      call(rule, [](const auto& p) { return tessera::gated_delta_net<B>(p); });
    } else {
      tessera::SsmScanArgs scan;
      set_scan(scan);
      scan.x = heads(row.data(), s.heads, s.dim, channels);
      scan.b = heads(row.data() + own, s.shared, s.size, channels);
      scan.c = heads(row.data() + own + shared, s.shared, s.size, channels);
      call(scan, [](const auto& p) { return tessera::ssm_scan<B>(p); });
    }
    return results();
  }
  template <class Args, class Kernel>
  void call(Args& args, Kernel kernel) {
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    ASSERT_EQ(kernel(args), Status::ok) << s;
  }
  /// Outputs of all tokens, then both states in the usual order.
  std::vector<float> results() const {
    std::vector<float> all(y.begin(), y.end());
    for (std::size_t i = 0; i < before.size(); ++i) all.push_back(states[place(i)]);
    for (std::size_t i = 0; i < conv_before.size(); ++i) all.push_back(conv_states[conv_place(i)]);
    return all;
  }
  /// Of the one token of one sequence.
  reference::Expected expected() const {
    const reference::StepConvolution conv = {
        s.width,           channels, x.data(), weight.data(), s.rest ? bias.data() : nullptr,
        conv_before.data()};
    if (!s.delta) {
      reference::Scan r = {s.heads, s.dim,     s.shared, s.size,  1,      false,
                           nullptr, dt.data(), a.data(), nullptr, nullptr};
      if (s.rest) r.d = d.data(), r.z = z.data();
      r.state = before.data(), r.dt_min = double{0.01f}, r.dt_max = 1.5;
      return reference::mamba2_step(conv, r);
    }
    reference::Recurrence r = {reference::Recurring::delta,
                               s.heads,
                               s.shared,
                               s.size,
                               s.dim,
                               1,
                               s.modulo,
                               nullptr,
                               nullptr,
                               nullptr,
                               s.gates == 0 ? nullptr : gate.data(),
                               s.gates};
    r.beta = dt.data(), r.scale = 0.25, r.state = before.data();
    return reference::gated_delta_net_step(conv, r, 1e-6f);
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_STEP_HARNESS_HPP_
