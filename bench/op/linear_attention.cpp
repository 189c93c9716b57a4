// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Gated linear attention, RWKV-6 and RWKV-7.
#include "tessera/linear_attention.hpp"

#include <cmath>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/linear_attention.hpp"

namespace op {
namespace {

/// One sequence of tokens; `look` and `extra` as the rules of tests/reference/recurrence.hpp name them.
struct Linear {
  reference::Recurring rule;
  std::size_t dim, values, heads, tokens;
  float scale = 1;
  std::vector<float> read = {}, k = {}, v = {}, gate = {}, look = {}, extra = {}, before = {};
  tessera::Sequence sequence = {0, tokens, 0};

  template <class T>
  tessera::HeadView<T> view(T* data, std::size_t n) const {
    return {data,
            heads,
            tokens,
            n,
            static_cast<std::ptrdiff_t>(n),
            static_cast<std::ptrdiff_t>(heads * n)};
  }
  template <class B, class Args, class Kernel>
  Outcome run_with(Args args, const Cut& cut, bool check_only, Kernel kernel) const {
    Outcome out;
    auto state = before;
    auto y = untouched_values(tokens * heads * values);
    args.k = view(k.data(), dim), args.v = view(v.data(), values);
    args.out = view(y.data(), values);
    args.sequences = {&sequence, 1}, args.states = {state.data(), 1, 0};
    out.workspace = tessera::workspace_size(args);
    AlignedBytes scratch(out.workspace.scratch);
    args.workspace.scratch = scratch.span();
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args),
                         [&](tessera::UnitRange range) { return kernel(args, range); });
    out.values = std::move(y);
    if (!cut.given) out.values.insert(out.values.end(), state.begin(), state.end());
    return out;
  }
  template <class B>
  Outcome run(const Cut& cut, bool check_only) const {
    if (rule == reference::Recurring::linear) {
      tessera::GatedLinearAttentionArgs a;
      a.q = view(read.data(), dim), a.gate = view(gate.data(), dim), a.scale = scale;
      return run_with<B>(a, cut, check_only, [](const auto& p, auto range) {
        return tessera::gated_linear_attention<B>(p, range);
      });
    }
    if (rule == reference::Recurring::rwkv6) {
      tessera::Rwkv6Args a;
      a.receptance = view(read.data(), dim), a.decay = view(gate.data(), dim);
      a.bonus = tessera::matrix(extra.data(), heads, dim);
      return run_with<B>(a, cut, check_only,
                         [](const auto& p, auto range) { return tessera::rwkv6<B>(p, range); });
    }
    tessera::Rwkv7Args a;
    a.receptance = view(read.data(), dim), a.decay = view(gate.data(), dim);
    a.a = view(look.data(), dim), a.b = view(extra.data(), dim);
    return run_with<B>(a, cut, check_only,
                       [](const auto& p, auto range) { return tessera::rwkv7<B>(p, range); });
  }
  reference::Expected expected(bool with_state) const {
    reference::Recurrence r = {rule,  heads,       heads,    dim,      values,      tokens,
                               false, read.data(), k.data(), v.data(), gate.data(), dim};
    r.look = look.data(), r.extra = extra.data(), r.scale = double{scale}, r.state = before.data();
    auto want = reference::recurrence(r);
    if (!with_state) {
      want.value.resize(tokens * heads * values);
      want.limit.resize(want.value.size());
    }
    return want;
  }
};

int run_rule(int argc, char** argv, const char* name, reference::Recurring rule) {
  const Options options(argc, argv, name, {"dim", "dim-v", "heads", "tokens"});
  const std::size_t dim = options.size("dim", 16);
  Linear p{rule, dim, options.size("dim-v", dim), options.size("heads", 4),
           options.size("tokens", 8)};
  elements(elements(p.heads, p.values, "heads"), p.dim, "dim");
  elements(elements(p.heads, p.tokens, "tokens"), p.dim + p.values, "dim-v");
  const bool rwkv6 = rule == reference::Recurring::rwkv6;
  if (rule == reference::Recurring::linear)
    p.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
  p.read = operand(options, "q", {p.tokens, p.heads, dim}, 0);
  p.k = operand(options, "k", {p.tokens, p.heads, dim}, 1);
  p.v = operand(options, "v", {p.tokens, p.heads, p.values}, 2);
  p.gate = operand(options, "gate", {p.tokens, p.heads, dim}, 3);
  for (float& g : p.gate) g = 1 / (1 + std::exp(-g));
  p.look = operand(options, "a", {p.tokens, p.heads, dim}, 4);
  p.extra = operand(options, "b", {rwkv6 ? 1 : p.tokens, p.heads, dim}, 5);
  for (auto* rows : {&p.look, &p.extra})
    for (float& x : *rows) x *= 0.1f;
  p.before = operand(options, "before", {p.heads, dim, p.values}, 6);
  const Cut cut = cut_of(options);
  Question q;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    q.instance = std::string(name) + " " + B::name + " (" + B::vector_via + ")";
    q.atom = "vectors";
    q.outcome = p.run<B>(cut, options.flag("check-only"));
  });
  q.shape = std::to_string(p.heads) + " heads dim " + std::to_string(dim) + "x" +
            std::to_string(p.values) + " tokens " + std::to_string(p.tokens);
  q.macs = 2 * p.tokens * p.heads * dim * p.values;
  q.out_shape = {q.outcome.values.size()};
  q.scalar = [&] { return p.run<tessera::backend::scalar>({}, false).values; };
  q.reference = [&] { return p.expected(!cut.given); };
  return answer(options, q);
}

}  // namespace

int run_gated_linear_attention(int argc, char** argv) {
  return run_rule(argc, argv, "gated_linear_attention", reference::Recurring::linear);
}
int run_rwkv6(int argc, char** argv) {
  return run_rule(argc, argv, "rwkv6", reference::Recurring::rwkv6);
}
int run_rwkv7(int argc, char** argv) {
  return run_rule(argc, argv, "rwkv7", reference::Recurring::rwkv7);
}

}  // namespace op
