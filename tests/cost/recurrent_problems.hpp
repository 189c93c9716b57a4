// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Calls of the recurrent kernels with everything that they need, to be counted or timed.
#ifndef TESSERA_TESTS_COST_RECURRENT_PROBLEMS_HPP_
#define TESSERA_TESTS_COST_RECURRENT_PROBLEMS_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tessera/gated_delta_net.hpp"
#include "tessera/ssm.hpp"
#include "tests/cost/problem.hpp"

namespace tessera_cost {

inline std::vector<float> drawn(std::size_t n, float low, float high) {
  static tessera_test::Random random(1);
  std::vector<float> x(n);
  for (float& v : x) v = random.uniform(low, high);
  return x;
}

template <class T>
tessera::HeadView<T> rows(T* data, std::size_t heads, std::size_t tokens, std::size_t dim) {
  return {data,
          heads,
          tokens,
          dim,
          static_cast<std::ptrdiff_t>(dim),
          static_cast<std::ptrdiff_t>(heads * dim)};
}

template <class Args>
tessera::Status with_scratch(Args& args, Work work, std::size_t elements, Measure measure) {
  const Bytes scratch(tessera::workspace_size(args).scratch);
  args.workspace.scratch = scratch.span();
  return measure(work, &args, elements);
}

template <class B>
tessera::Status scan(Measure measure, std::size_t heads, std::size_t dim, std::size_t states,
                     bool per_state, std::size_t tokens,
                     tessera::ScanAlgorithm algorithm = tessera::ScanAlgorithm::sequential) {
  const std::size_t columns = heads * dim;
  const auto x = drawn(tokens * columns, -1, 1), dt = drawn(tokens * heads, -5, 0);
  const auto a = drawn((per_state ? states : 1) * heads, -1, -0.5f);
  const auto b = drawn(tokens * states, -1, 1), c = drawn(tokens * states, -1, 1);
  std::vector<float> y(x.size()), state(states * columns);
  const tessera::Sequence sequence = {0, tokens, 0};
  tessera::SsmScanArgs args;
  args.x = rows(x.data(), heads, tokens, dim), args.y = rows(y.data(), heads, tokens, dim);
  args.b = rows(b.data(), 1, tokens, states), args.c = rows(c.data(), 1, tokens, states);
  args.dt = tessera::time_major(dt.data(), tokens, heads);
  args.a = tessera::time_major(a.data(), per_state ? states : 1, heads);
  args.algorithm = algorithm;
  args.sequences = {&sequence, 1}, args.states = {state.data(), 1, 0};
  return with_scratch(
      args,
      [](const void* p) { return tessera::ssm_scan<B>(*static_cast<const decltype(args)*>(p)); },
      tokens * columns * states, measure);
}

template <class B>
tessera::Status delta(
    Measure measure, std::size_t tokens, bool per_key,
    tessera::DeltaNetAlgorithm algorithm = tessera::DeltaNetAlgorithm::sequential) {
  constexpr std::size_t heads = 2, dim = 128;
  const auto q = drawn(tokens * heads * dim, -0.1f, 0.1f);
  const auto k = drawn(tokens * heads * dim, -0.1f, 0.1f);
  const auto v = drawn(tokens * heads * dim, -1, 1), beta = drawn(tokens * heads, 0, 1);
  const auto gate = drawn(tokens * heads * (per_key ? dim : 1), -2, -0.1f);
  std::vector<float> out(v.size()), state(heads * dim * dim);
  const tessera::Sequence sequence = {0, tokens, 0};
  tessera::GatedDeltaNetArgs args = {tessera::HeadMap::modulo()};
  args.q = rows(q.data(), heads, tokens, dim), args.k = rows(k.data(), heads, tokens, dim);
  args.v = rows(v.data(), heads, tokens, dim), args.out = rows(out.data(), heads, tokens, dim);
  args.log_gate = rows(gate.data(), heads, tokens, per_key ? dim : 1);
  args.beta = tessera::time_major(beta.data(), tokens, heads);
  args.algorithm = algorithm;
  args.sequences = {&sequence, 1}, args.states = {state.data(), 1, 0};
  return with_scratch(
      args,
      [](const void* p) {
        return tessera::gated_delta_net<B>(*static_cast<const decltype(args)*>(p));
      },
      tokens * heads * dim * dim, measure);
}

template <class B>
tessera::Status conv(Measure measure, std::size_t tokens) {
  constexpr std::size_t channels = 512, width = 4;
  const auto x = drawn(tokens * channels, -1, 1), weight = drawn(width * channels, -1, 1);
  const auto bias = drawn(channels, -1, 1);
  std::vector<float> y(x.size()), state((width - 1) * channels);
  const tessera::Sequence sequence = {0, tokens, 0};
  tessera::SsmConvArgs args;
  args.x = tessera::time_major(x.data(), tokens, channels);
  args.y = tessera::time_major(y.data(), tokens, channels);
  args.weight = tessera::time_major(weight.data(), width, channels);
  args.bias = bias.data();
  args.sequences = {&sequence, 1}, args.states = {state.data(), 1, 0, channels, 1};
  return with_scratch(
      args,
      [](const void* p) { return tessera::ssm_conv<B>(*static_cast<const decltype(args)*>(p)); },
      tokens * channels, measure);
}

/// Measures a kernel over so many tokens; none for another name. Its work: the elements that it updates, of a state, or outputs
/// of a convolution.
template <class B>
std::optional<tessera::Status> measure_recurrent(const std::string& kernel, std::size_t tokens,
                                                 Measure measure) {
  using Scan = tessera::ScanAlgorithm;
  using Delta = tessera::DeltaNetAlgorithm;
  if (kernel == "mamba2") return scan<B>(measure, 8, 64, 128, false, tokens);
  if (kernel == "mamba2_chunked") return scan<B>(measure, 8, 64, 128, false, tokens, Scan::chunked);
  if (kernel == "mamba1") return scan<B>(measure, 256, 1, 16, true, tokens);
  if (kernel == "delta") return delta<B>(measure, tokens, false);
  if (kernel == "delta_keys") return delta<B>(measure, tokens, true);
  if (kernel == "delta_chunked") return delta<B>(measure, tokens, false, Delta::chunked);
  if (kernel == "delta_keys_chunked") return delta<B>(measure, tokens, true, Delta::chunked);
  if (kernel == "conv") return conv<B>(measure, tokens);
  return std::nullopt;
}

}  // namespace tessera_cost

#endif  // TESSERA_TESTS_COST_RECURRENT_PROBLEMS_HPP_
