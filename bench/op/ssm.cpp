// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// ssm_conv and ssm_scan.
#include "tessera/ssm.hpp"

#include <cmath>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/ssm_conv.hpp"
#include "tests/reference/ssm_scan.hpp"

namespace op {
namespace {

/// Fills in an instance, runs it on the backend asked for and on scalar. `run(Type<B>, cut, check_only)`.
template <class Run>
int ask(const Options& options, Question q, const std::string& kernel, Run run) {
  const Cut cut = cut_of(options);
  with_backend(options, [&]<class B>(tessera::Type<B> type) {
    q.instance = kernel + " " + B::name + " (" + B::vector_via + ")";
    q.atom = "vectors";
    q.outcome = run(type, cut, options.flag("check-only"));
  });
  q.scalar = [=] { return run(tessera::Type<tessera::backend::scalar>{}, Cut{}, false).values; };
  return answer(options, q);
}

/// check, then the units of `cut`, then the new state behind the outputs.
template <class B, class Args, class Kernel>
Outcome run_carried(Args args, const Cut& cut, bool check_only, std::vector<float> state,
                    std::vector<float> y, Kernel kernel) {
  Outcome out;
  args.y.data = y.data();
  args.states.data = state.data();
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

std::ptrdiff_t stride(std::size_t n) {
  return static_cast<std::ptrdiff_t>(n);
}

}  // namespace

int run_ssm_conv(int argc, char** argv) {
  const Options options(argc, argv, "ssm_conv", {"width", "channels", "tokens", "silu", "x"});
  const std::size_t width = options.size("width", 4, 2);
  const std::size_t channels = dimension(options, "channels", 64, "x", 1);
  const std::size_t tokens = dimension(options, "tokens", 8, "x", 0);
  elements(channels, tokens, "tokens");
  const bool silu = options.choice("silu", {"no", "yes"}) == 1;
  const auto x = operand(options, "x", {tokens, channels}, 0);
  const auto weight = operand(options, "weight", {width, channels}, 1);
  const auto bias = operand(options, "bias", {channels}, 2);
  const auto state = operand(options, "state", {width - 1, channels}, 3);
  const tessera::Sequence sequence = {0, tokens, 0};
  tessera::SsmConvArgs args;
  args.x = tessera::time_major(x.data(), tokens, channels);
  args.weight = tessera::time_major(weight.data(), width, channels);
  args.bias = bias.data();
  args.y = tessera::time_major<float>(nullptr, tokens, channels);
  args.silu = silu;
  args.sequences = {&sequence, 1};
  args.states = {nullptr, 1, 0, stride(channels), 1};
  Question q;
  q.shape =
      std::to_string(tokens) + "x" + std::to_string(channels) + " width " + std::to_string(width);
  q.macs = tokens * channels * width;
  q.out_shape = {tokens + (options.given("units") ? 0 : width - 1), channels};
  q.reference = [&] {
    auto rows = state;
    rows.insert(rows.end(), x.begin(), x.end());
    reference::Expected want;
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        std::vector<float> in, taps;
        for (std::size_t k = 0; k < width; ++k) {
          in.push_back(rows[(t + k) * channels + c]);
          taps.push_back(weight[k * channels + c]);
        }
        reference::ssm_conv(in.data(), taps.data(), width, bias[c], silu, want);
      }
    if (!options.given("units"))
      for (std::size_t i = tokens * channels; i < rows.size(); ++i)
        want.value.push_back(double{rows[i]}), want.limit.push_back(0);
    return want;
  };
  return ask(options, q, "ssm_conv",
             [=]<class B>(tessera::Type<B>, const Cut& cut, bool check_only) {
               return run_carried<B>(
                   args, cut, check_only, state, untouched_values(tokens * channels),
                   [](const auto& a, auto range) { return tessera::ssm_conv<B>(a, range); });
             });
}

int run_ssm_scan(int argc, char** argv) {
  const Options options(
      argc, argv, "ssm_scan",
      {"state", "head-dim", "heads", "groups", "tokens", "rates", "softplus", "algorithm"});
  const std::size_t states = options.size("state", 16);
  const std::size_t dim = options.size("head-dim", 8);
  const std::size_t heads = options.size("heads", 4);
  const std::size_t groups = options.size("groups", 1);
  const std::size_t tokens = options.size("tokens", 8);
  const bool per_state = options.choice("rates", {"head", "state"}) == 1;
  const std::size_t columns = elements(heads, dim, "head-dim");
  elements(columns, states, "state"), elements(columns, tokens, "tokens");
  const auto x = operand(options, "x", {tokens, columns}, 0);
  auto dt = operand(options, "dt", {tokens, heads}, 1);
  auto a = operand(options, "a", {per_state ? states : 1, heads}, 2);
  for (float& v : dt) v = v * 0.5f - 2.0f;
  for (float& v : a) v = -std::fabs(v);
  const auto b = operand(options, "b", {tokens, groups, states}, 3);
  const auto c = operand(options, "c", {tokens, groups, states}, 4);
  const auto d = operand(options, "d", {heads}, 5);
  const auto before = operand(options, "before", {states, columns}, 6);
  const tessera::Sequence sequence = {0, tokens, 0};
  tessera::SsmScanArgs args;
  args.x = {x.data(), heads, tokens, dim, stride(dim), stride(columns)};
  args.y = {nullptr, heads, tokens, dim, stride(dim), stride(columns)};
  args.b = {b.data(), groups, tokens, states, stride(states), stride(groups * states)};
  args.c = {c.data(), groups, tokens, states, stride(states), stride(groups * states)};
  args.dt = tessera::time_major<const float>(dt.data(), tokens, heads);
  args.a = tessera::time_major<const float>(a.data(), per_state ? states : 1, heads);
  args.d = d.data();
  args.softplus = options.choice("softplus", {"yes", "no"}) == 0;
  args.algorithm = options.choice("algorithm", {"sequential", "chunked"}) == 1
                       ? tessera::ScanAlgorithm::chunked
                       : tessera::ScanAlgorithm::sequential;
  args.sequences = {&sequence, 1};
  args.states = {nullptr, 1, stride(states * columns)};
  Question q;
  q.shape = std::to_string(heads) + " heads of " + std::to_string(dim) + " groups " +
            std::to_string(groups) + " states " + std::to_string(states) + " tokens " +
            std::to_string(tokens);
  q.macs = 2 * tokens * columns * states;
  q.out_shape = {tokens + (options.given("units") ? 0 : states), columns};
  q.reference = [&] {
    reference::Scan r = {heads,    dim,       groups,   states,   tokens,  per_state,
                         x.data(), dt.data(), a.data(), b.data(), c.data()};
    r.d = d.data(), r.state = before.data(), r.softplus = args.softplus;
    auto want = reference::ssm_scan(r);
    if (options.given("units"))
      want.value.resize(tokens * columns), want.limit.resize(tokens * columns);
    return want;
  };
  return ask(options, q, "ssm_scan",
             [=]<class B>(tessera::Type<B>, const Cut& cut, bool check_only) {
               return run_carried<B>(
                   args, cut, check_only, before, untouched_values(tokens * columns),
                   [](const auto& p, auto range) { return tessera::ssm_scan<B>(p, range); });
             });
}

}  // namespace op
