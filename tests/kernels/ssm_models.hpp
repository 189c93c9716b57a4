// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The operations of state-space layers, by kernels and in double, under the same names: a layer is written
/// once and run on both. Rows are dense, token by token; what goes from one operation to the next is float.
#ifndef TESSERA_TESTS_KERNELS_SSM_MODELS_HPP_
#define TESSERA_TESTS_KERNELS_SSM_MODELS_HPP_

#include <vector>

#include "tessera/activation.hpp"
#include "tessera/ssm.hpp"
#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/activation_functions.hpp"
#include "tests/reference/gated_rms_norm.hpp"
#include "tests/reference/l2_norm.hpp"
#include "tests/reference/matmul.hpp"
#include "tests/reference/recurrence.hpp"
#include "tests/reference/ssm_conv.hpp"
#include "tests/reference/ssm_scan.hpp"

namespace tessera_test {

using Rows = std::vector<float>;

inline Rows drawn(std::size_t n, std::uint64_t seed, float low, float high) {
  Random random(seed);
  Rows x(n);
  for (float& v : x) v = random.uniform(low, high);
  return x;
}
inline Rows floats(const std::vector<double>& x) {
  Rows y;
  for (const double v : x) y.push_back(static_cast<float>(v));
  return y;
}
/// Columns [first, first + n) of rows of `width`.
inline Rows columns(const Rows& x, std::size_t width, std::size_t first, std::size_t n) {
  Rows y;
  for (std::size_t at = first; at < x.size(); at += width)
    y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(at),
             x.begin() + static_cast<std::ptrdiff_t>(at + n));
  return y;
}
/// x + one row, at every row.
inline Rows plus(Rows x, const Rows& row) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += row[i % row.size()];
  return x;
}

/// n x k weights in q8_0 whose rows have about unit length.
struct Projection {
  Weights w;
  Projection(std::size_t n, std::size_t k, std::uint64_t seed)
      : w{n, k, drawn(n * k, seed, -1, 1)} {
    const float scale = std::sqrt(3.0f / static_cast<float>(k));
    for (float& v : w.values) v *= scale;
  }
};

/// A causal convolution from a state of zeros.
struct Convolution {
  static constexpr std::size_t width = 4;
  std::size_t channels;
  Rows weight, bias;
  Convolution(std::size_t n, std::uint64_t seed)
      : channels(n), weight(drawn(width * n, seed, -1, 1)), bias(drawn(n, seed + 1, -0.5f, 0.5f)) {}
};

struct Exact {
  using F = tessera::format::q8_0;

  Rows project(const Projection& p, const Rows& x) const {
    const auto a = reference::activations<F>(x.data(), x.size() / p.w.k, p.w.k,
                                             static_cast<std::ptrdiff_t>(p.w.k));
    return floats(
        reference::matmul<F>(a.seen, reference::stored<F>(p.w.values.data(), p.w.n, p.w.k)).value);
  }
  Rows convolve(const Convolution& c, const Rows& x) const {
    reference::Expected y;
    for (std::size_t t = 0; t < x.size() / c.channels; ++t)
      for (std::size_t j = 0; j < c.channels; ++j) {
        float in[Convolution::width], taps[Convolution::width];
        for (std::size_t k = 0; k < Convolution::width; ++k) {
          in[k] = t + k < 3 ? 0.0f : x[(t + k - 3) * c.channels + j];
          taps[k] = c.weight[k * c.channels + j];
        }
        reference::ssm_conv(in, taps, Convolution::width, c.bias[j], true, y);
      }
    return floats(y.value);
  }
  Rows unit(const Rows& x, std::size_t n) const {
    reference::Expected y;
    for (std::size_t i = 0; i < x.size(); i += n) reference::l2_norm(x.data() + i, n, 1e-6f, y);
    return floats(y.value);
  }
  Rows activate(reference::Activation f, const Rows& x) const {
    reference::Expected y;
    reference::activation(f, x.data(), x.size(), y);
    return floats(y.value);
  }
  Rows norm(const Rows& x, const Rows& z, const Rows& w, bool gate_first) const {
    reference::Expected y;
    for (std::size_t i = 0; i < x.size(); i += w.size())
      reference::gated_rms_norm(x.data() + i, z.data() + i, w.data(), w.size(), 1e-5f, gate_first,
                                y);
    return floats(y.value);
  }
  Rows scan(const reference::Scan& s) const {
    auto y = reference::ssm_scan(s).value;
    y.resize(s.tokens * s.heads * s.dim);
    return floats(y);
  }
  Rows recur(const reference::Recurrence& r) const {
    auto y = reference::recurrence(r).value;
    y.resize(r.tokens * r.heads * r.values);
    return floats(y);
  }
};

template <class B>
struct Kernels {
  using F = tessera::format::q8_0;

  static std::ptrdiff_t n(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
  template <class T>
  static tessera::HeadView<T> heads(T* p, std::size_t count, std::size_t tokens, std::size_t dim) {
    return {p, count, tokens, dim, n(dim), n(count * dim)};
  }
  template <class Args, class Kernel>
  static void call(Args& args, Kernel kernel) {
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    ASSERT_EQ(kernel(args), Status::ok);
  }

  Rows project(const Projection& p, const Rows& x) const {
    const Packed<F, tessera::tile_for<F, B>> packed(p.w);
    return matmul_values<B>(tessera::matrix(x.data(), x.size() / p.w.k, p.w.k), packed.weights());
  }
  Rows convolve(const Convolution& c, const Rows& x) const {
    Rows y(x.size()), state((Convolution::width - 1) * c.channels);
    const std::size_t tokens = x.size() / c.channels;
    const tessera::Sequence all = {0, tokens, 0};
    tessera::SsmConvArgs a;
    a.x = tessera::time_major(x.data(), tokens, c.channels);
    a.y = tessera::time_major(y.data(), tokens, c.channels);
    a.weight = tessera::time_major(c.weight.data(), Convolution::width, c.channels);
    a.bias = c.bias.data(), a.silu = true, a.sequences = {&all, 1};
    a.states = {state.data(), 1, 0, n(c.channels), 1};
    call(a, [](const auto& p) { return tessera::ssm_conv<B>(p); });
    return y;
  }
  Rows unit(const Rows& x, std::size_t dim) const {
    Rows y(x.size());
    const tessera::L2NormArgs a = {heads(x.data(), 1, x.size() / dim, dim),
                                   heads(y.data(), 1, x.size() / dim, dim)};
    EXPECT_EQ(tessera::l2_norm<B>(a), Status::ok);
    return y;
  }
  Rows activate(reference::Activation f, const Rows& x) const {
    Rows y(x.size());
    const tessera::ActivationArgs a = {tessera::matrix(x.data(), 1, x.size()),
                                       tessera::matrix(y.data(), 1, x.size())};
    EXPECT_EQ(
        f == reference::Activation::sigmoid ? tessera::sigmoid<B>(a) : tessera::softplus<B>(a),
        Status::ok);
    return y;
  }
  Rows norm(const Rows& x, const Rows& z, const Rows& w, bool gate_first) const {
    Rows y(x.size());
    const std::size_t rows = x.size() / w.size();
    tessera::GatedRmsNormArgs a;
    a.x = heads(x.data(), 1, rows, w.size()), a.z = heads(z.data(), 1, rows, w.size());
    a.y = heads(y.data(), 1, rows, w.size()), a.weight = tessera::matrix(w.data(), 1, w.size());
    if (gate_first) a.order = tessera::GateOrder::before;
    EXPECT_EQ(tessera::gated_rms_norm<B>(a), Status::ok);
    return y;
  }
  Rows scan(const reference::Scan& s) const {
    const std::size_t columns = s.heads * s.dim;
    Rows y(s.tokens * columns), state(s.state, s.state + s.states * columns);
    const tessera::Sequence all = {0, s.tokens, 0};
    tessera::SsmScanArgs a;
    a.x = heads(s.x, s.heads, s.tokens, s.dim), a.y = heads(y.data(), s.heads, s.tokens, s.dim);
    a.b = heads(s.b, s.groups, s.tokens, s.states), a.c = heads(s.c, s.groups, s.tokens, s.states);
    a.dt = tessera::time_major(s.dt, s.tokens, s.heads);
    a.a = tessera::time_major(s.a, s.rate_per_state ? s.states : 1, s.heads), a.d = s.d;
    if (s.z != nullptr) a.z = heads(s.z, s.heads, s.tokens, s.dim);
    a.sequences = {&all, 1}, a.states = {state.data(), 1, 0};
    call(a, [](const auto& p) { return tessera::ssm_scan<B>(p); });
    return y;
  }
  Rows recur(const reference::Recurrence& r) const {
    Rows y(r.tokens * r.heads * r.values), state(r.state, r.state + r.heads * r.keys * r.values);
    const tessera::Sequence all = {0, r.tokens, 0};
    tessera::GatedDeltaNetArgs a = {r.modulo ? tessera::HeadMap::modulo()
                                             : tessera::HeadMap::blocks()};
    a.q = heads(r.read, r.key_heads, r.tokens, r.keys);
    a.k = heads(r.write, r.key_heads, r.tokens, r.keys);
    a.v = heads(r.value, r.heads, r.tokens, r.values);
    a.log_gate = heads(r.gate, r.heads, r.tokens, 1);
    a.beta = tessera::time_major(r.beta, r.tokens, r.heads);
    a.out = heads(y.data(), r.heads, r.tokens, r.values);
    a.scale = static_cast<float>(r.scale);
    a.sequences = {&all, 1}, a.states = {state.data(), 1, 0};
    call(a, [](const auto& p) { return tessera::gated_delta_net<B>(p); });
    return y;
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_SSM_MODELS_HPP_
