// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// mamba2_step and gated_delta_net_step, one token of one sequence.
#include <cmath>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tessera/ssm_step.hpp"
#include "tests/reference/ssm_step.hpp"

namespace op {
namespace {

std::ptrdiff_t stride(std::size_t n) {
  return static_cast<std::ptrdiff_t>(n);
}

/// What both steps have. `shared` groups of `size` states, or key heads of `size` keys.
struct Step {
  std::size_t heads, dim, shared, size, width;
  std::size_t own = elements(heads, dim, "heads");
  std::size_t channels = own + 2 * elements(shared, size, "heads");
  std::vector<float> x = {}, weight = {}, bias = {}, conv_before = {}, before = {}, dt = {};
  tessera::Sequence sequence = {0, 1, 0};

  void draw(const Options& options) {
    elements(own, size, "heads"), elements(width, channels, "width");
    x = operand(options, "x", {channels}, 0);
    weight = operand(options, "weight", {width, channels}, 1);
    bias = operand(options, "bias", {channels}, 2);
    conv_before = operand(options, "conv-before", {width - 1, channels}, 3);
    before = operand(options, "before", {size, own}, 4);
    dt = operand(options, "dt", {heads}, 5);
  }
  reference::StepConvolution convolution() const {
    return {width, channels, x.data(), weight.data(), bias.data(), conv_before.data()};
  }
  /// Outputs and states after all phases, each in the slices of `cut`.
  template <class B, class Args, class Kernel>
  Outcome run(Args args, tessera::HeadView<float> Args::* y, const Cut& cut, bool check_only,
              Kernel kernel) const {
    Outcome out;
    auto state = before, conv_state = conv_before;
    out.values = untouched_values(own);
    args.*y = {out.values.data(), heads, 1, dim, stride(dim), 0};
    args.weight = tessera::time_major(weight.data(), width, channels);
    args.bias = bias.data();
    args.conv_states = {conv_state.data(), 1, 0, stride(channels), 1};
    args.states = {state.data(), 1, 0};
    args.sequences = {&sequence, 1};
    out.workspace = tessera::workspace_size(args);
    AlignedBytes shared_bytes(out.workspace.shared), scratch(out.workspace.scratch);
    args.workspace = {shared_bytes.span(), scratch.span()};
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    for (std::size_t p = 0; p < tessera::phases(args) && out.status == tessera::Status::ok; ++p)
      out.status = run_cut(cut, tessera::units(args, p), [&](tessera::UnitRange range) {
        return kernel(tessera::Type<B>{}, args, p, range);
      });
    out.values.insert(out.values.end(), state.begin(), state.end());
    out.values.insert(out.values.end(), conv_state.begin(), conv_state.end());
    return out;
  }
  template <class Args, class Kernel, class Reference>
  int answer_with(const Options& options, const char* name, const Args& args,
                  tessera::HeadView<float> Args::* y, Kernel kernel, Reference reference) const {
    Question q;
    const Cut cut = cut_of(options);
    if (cut.given) throw Refusal("--units: a step has phases; --split cuts both");
    with_backend(options, [&]<class B>(tessera::Type<B>) {
      q.instance = std::string(name) + " " + B::name + " (" + B::vector_via + ")";
      q.atom = "vectors";
      q.outcome = run<B>(args, y, cut, options.flag("check-only"), kernel);
    });
    q.shape = std::to_string(heads) + " heads of " + std::to_string(dim) + " shared " +
              std::to_string(shared) + "x" + std::to_string(size) + " width " +
              std::to_string(width);
    q.macs = width * channels + 3 * own * size;
    q.out_shape = {q.outcome.values.size()};
    q.scalar = [&] { return run<tessera::backend::scalar>(args, y, Cut{}, false, kernel).values; };
    q.reference = reference;
    return answer(options, q);
  }
};

}  // namespace

int run_mamba2_step(int argc, char** argv) {
  const Options options(argc, argv, "mamba2_step",
                        {"state", "head-dim", "heads", "groups", "width", "softplus"});
  Step s{options.size("heads", 4), options.size("head-dim", 8), options.size("groups", 1),
         options.size("state", 16), options.size("width", 4, 2)};
  s.draw(options);
  for (float& v : s.dt) v = v * 0.5f - 2.0f;
  auto a = operand(options, "a", {s.heads}, 6);
  for (float& v : a) v = -std::fabs(v);
  const auto d = operand(options, "d", {s.heads}, 7);
  const auto z = operand(options, "z", {s.own}, 8);
  tessera::Mamba2StepArgs args;
  args.groups = s.shared, args.state_size = s.size;
  args.xbc = tessera::time_major<const float>(s.x.data(), 1, s.channels);
  args.dt = tessera::time_major<const float>(s.dt.data(), 1, s.heads);
  args.a = tessera::time_major<const float>(a.data(), 1, s.heads), args.d = d.data();
  args.z = {z.data(), s.heads, 1, s.dim, stride(s.dim), 0};
  args.softplus = options.choice("softplus", {"yes", "no"}) == 0;
  return s.answer_with(
      options, "mamba2_step", args, &tessera::Mamba2StepArgs::y,
      []<class B>(tessera::Type<B>, const auto& p, std::size_t phase, auto range) {
        return tessera::mamba2_step_phase<B>(p, phase, range);
      },
      [&] {
        reference::Scan r = {s.heads, s.dim,       s.shared, s.size,  1,      false,
                             nullptr, s.dt.data(), a.data(), nullptr, nullptr};
        r.d = d.data(), r.z = z.data(), r.state = s.before.data(), r.softplus = args.softplus;
        return reference::mamba2_step(s.convolution(), r);
      });
}

int run_gated_delta_net_step(int argc, char** argv) {
  const Options options(argc, argv, "gated_delta_net_step",
                        {"dim", "dim-v", "heads", "key-heads", "width", "map"});
  const std::size_t dim = options.size("dim", 16), heads = options.size("heads", 4);
  Step s{heads, options.size("dim-v", dim), options.size("key-heads", heads), dim,
         options.size("width", 4, 2)};
  s.draw(options);
  for (float& v : s.dt) v = 1 / (1 + std::exp(-v));  // beta
  auto gate = operand(options, "gate", {heads}, 6);
  for (float& v : gate) v = -std::fabs(v);
  const bool modulo = options.choice("map", {"modulo", "blocks"}) == 0;
  tessera::GatedDeltaNetStepArgs args = {modulo ? tessera::HeadMap::modulo()
                                                : tessera::HeadMap::blocks()};
  args.key_heads = s.shared, args.key_size = s.size;
  args.qkv = tessera::time_major<const float>(s.x.data(), 1, s.channels);
  args.log_gate = {gate.data(), heads, 1, 1, 1, 0};
  args.beta = tessera::time_major<const float>(s.dt.data(), 1, heads);
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
  return s.answer_with(
      options, "gated_delta_net_step", args, &tessera::GatedDeltaNetStepArgs::out,
      []<class B>(tessera::Type<B>, const auto& p, std::size_t phase, auto range) {
        return tessera::gated_delta_net_step_phase<B>(p, phase, range);
      },
      [&] {
        reference::Recurrence r = {reference::Recurring::delta,
                                   heads,
                                   s.shared,
                                   s.size,
                                   s.dim,
                                   1,
                                   modulo,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   gate.data(),
                                   1};
        r.beta = s.dt.data(), r.scale = double{args.scale}, r.state = s.before.data();
        return reference::gated_delta_net_step(s.convolution(), r, 1e-6f);
      });
}

}  // namespace op
