// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tessera/gated_delta_net.hpp"

#include <cmath>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/gated_delta_net.hpp"

namespace op {
namespace {

struct Deltas {
  std::size_t dim, values, heads, key_heads, tokens;
  bool modulo, per_key, chunked;
  float scale;
  std::vector<float> q, k, v, gate, beta, before;
  tessera::Sequence sequence = {0, tokens, 0};

  template <class T>
  tessera::HeadView<T> view(T* data, std::size_t h, std::size_t n) const {
    return {data, h, tokens, n, static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(h * n)};
  }
  template <class B>
  Outcome run(const Cut& cut, bool check_only) const {
    Outcome out;
    auto state = before;
    auto values_out = untouched_values(tokens * heads * values);
    tessera::GatedDeltaNetArgs args = {modulo ? tessera::HeadMap::modulo()
                                              : tessera::HeadMap::blocks()};
    args.q = view(q.data(), key_heads, dim), args.k = view(k.data(), key_heads, dim);
    args.v = view(v.data(), heads, values), args.out = view(values_out.data(), heads, values);
    args.log_gate = view(gate.data(), heads, per_key ? dim : 1);
    args.beta = tessera::time_major<const float>(beta.data(), tokens, heads);
    args.scale = scale;
    if (chunked) args.algorithm = tessera::DeltaNetAlgorithm::chunked;
    args.sequences = {&sequence, 1};
    args.states = {state.data(), 1, static_cast<std::ptrdiff_t>(state.size())};
    out.workspace = tessera::workspace_size(args);
    AlignedBytes scratch(out.workspace.scratch);
    args.workspace.scratch = scratch.span();
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args), [&](tessera::UnitRange range) {
      return tessera::gated_delta_net<B>(args, range);
    });
    out.values = std::move(values_out);
    if (!cut.given) out.values.insert(out.values.end(), state.begin(), state.end());
    return out;
  }
  reference::Expected expected(bool with_state) const {
    reference::Recurrence r = {reference::Recurring::delta,
                               heads,
                               key_heads,
                               dim,
                               values,
                               tokens,
                               modulo,
                               q.data(),
                               k.data(),
                               v.data(),
                               gate.data(),
                               per_key ? dim : 1};
    r.beta = beta.data(), r.scale = double{scale}, r.state = before.data();
    auto want = reference::gated_delta_net(r);
    if (!with_state) {
      want.value.resize(tokens * heads * values);
      want.limit.resize(want.value.size());
    }
    return want;
  }
};

/// Rows of unit length.
std::vector<float> unit_rows(std::vector<float> x, std::size_t n) {
  for (std::size_t i = 0; i < x.size(); i += n) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += double{x[i + j]} * double{x[i + j]};
    for (std::size_t j = 0; j < n && sum > 0; ++j)
      x[i + j] = static_cast<float>(double{x[i + j]} / std::sqrt(sum));
  }
  return x;
}

Deltas deltas_of(const Options& options) {
  Deltas p{};
  p.dim = options.size("dim", 16);
  p.values = options.size("dim-v", p.dim);
  p.heads = options.size("heads", 4);
  p.key_heads = options.size("key-heads", p.heads);
  p.tokens = options.size("tokens", 8);
  p.modulo = options.choice("map", {"modulo", "blocks"}) == 0;
  p.per_key = options.choice("gates", {"head", "key"}) == 1;
  p.chunked = options.choice("algorithm", {"sequential", "chunked"}) == 1;
  p.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(p.dim)));
  elements(elements(p.heads, p.values, "heads"), p.dim, "dim");
  elements(elements(p.heads, p.tokens, "tokens"), p.values, "dim-v");
  p.q = unit_rows(operand(options, "q", {p.tokens, p.key_heads, p.dim}, 0), p.dim);
  p.k = unit_rows(operand(options, "k", {p.tokens, p.key_heads, p.dim}, 1), p.dim);
  p.v = operand(options, "v", {p.tokens, p.heads, p.values}, 2);
  p.gate = operand(options, "gate", {p.tokens, p.heads, p.per_key ? p.dim : 1}, 3);
  for (float& g : p.gate) g = -std::fabs(g);
  p.beta = operand(options, "beta", {p.tokens, p.heads}, 4);
  for (float& b : p.beta) b = 1 / (1 + std::exp(-b));
  p.before = operand(options, "before", {p.heads, p.dim, p.values}, 5);
  p.sequence.tokens = p.tokens;
  return p;
}

}  // namespace

int run_gated_delta_net(int argc, char** argv) {
  const Options options(
      argc, argv, "gated_delta_net",
      {"dim", "dim-v", "heads", "key-heads", "tokens", "map", "gates", "algorithm"});
  const Deltas p = deltas_of(options);
  const Cut cut = cut_of(options);
  Question q;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    q.instance = std::string("gated_delta_net ") + B::name + " (" + B::vector_via + ")";
    q.atom = "vectors";
    q.outcome = p.run<B>(cut, options.flag("check-only"));
  });
  q.shape = std::to_string(p.heads) + "/" + std::to_string(p.key_heads) + " heads dim " +
            std::to_string(p.dim) + "x" + std::to_string(p.values) + " tokens " +
            std::to_string(p.tokens);
  q.macs = 3 * p.tokens * p.heads * p.dim * p.values;
  q.out_shape = {q.outcome.values.size()};
  q.scalar = [&] { return p.run<tessera::backend::scalar>({}, false).values; };
  q.reference = [&] { return p.expected(!cut.given); };
  return answer(options, q);
}

}  // namespace op
