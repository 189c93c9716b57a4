// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The decode steps of state-space layers.
#include <cmath>
#include <string>
#include <vector>

#include "tessera/ssm_step.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/ssm_step.hpp"

namespace identity {
namespace {

/// Operands of either step, one token of one sequence.
struct Step {
  StepCase c;
  std::uint64_t seed;
  std::size_t own = c.heads * c.dim, channels = own + 2 * c.shared * c.size;
  std::vector<float> x = gaussian(0, channels), weight = gaussian(1, c.width* channels);
  std::vector<float> bias = gaussian(2, channels), dt = gaussian(3, c.heads);
  std::vector<float> rate = gaussian(4, c.heads), d = gaussian(5, c.heads), z = gaussian(6, own);
  std::vector<float> before = gaussian(7, own* c.size);
  std::vector<float> conv_before = gaussian(8, (c.width - 1) * channels);
  std::vector<float> y = std::vector<float>(own), state = before, conv_state = conv_before;
  tessera::Sequence sequence = {0, 1, 0};

  Step(const StepCase& which, std::uint64_t first) : c(which), seed(first) {
    for (float& v : rate) v = -std::fabs(v) * 4;
    if (c.delta)
      for (float& v : dt) v = std::fabs(v) < 1 ? std::fabs(v) : 0.5f;
  }
  std::vector<float> gaussian(std::uint64_t stream, std::size_t n) const {
    return draw(n, Fill::gaussian, seed + stream);
  }
  static std::ptrdiff_t stride(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

  /// What both have; then `kernel` runs.
  template <class Args, class Kernel>
  void run(Args& a, const std::string& name, Kernel kernel) {
    a.weight = tessera::time_major<const float>(weight.data(), c.width, channels);
    a.bias = bias.data();
    a.conv_states = {conv_state.data(), 1, 0, stride(channels), 1};
    a.sequences = {&sequence, 1};
    a.states = {state.data(), 1, 0};
    const auto need = tessera::workspace_size(a);
    AlignedBytes shared(need.shared), scratch(need.scratch);
    a.workspace = {shared.span(), scratch.span()};
    must(kernel(a), name);
    y.insert(y.end(), state.begin(), state.end());
    y.insert(y.end(), conv_state.begin(), conv_state.end());
  }
  template <class B>
  void answer(const std::string& name) {
    const auto in = tessera::time_major<const float>(x.data(), 1, channels);
    const auto steps = tessera::time_major<const float>(dt.data(), 1, c.heads);
    const tessera::HeadView<float> out = {y.data(), c.heads, 1, c.dim, stride(c.dim), 0};
    if (c.delta) {
      tessera::GatedDeltaNetStepArgs a = {tessera::HeadMap::modulo()};
      a.key_heads = c.shared, a.key_size = c.size, a.qkv = in, a.beta = steps, a.out = out;
      a.log_gate = {rate.data(), c.heads, 1, 1, 1, 0}, a.scale = 0.25f;
      return run(a, name, [](const auto& p) { return tessera::gated_delta_net_step<B>(p); });
    }
    tessera::Mamba2StepArgs a;
    a.groups = c.shared, a.state_size = c.size, a.xbc = in, a.dt = steps, a.y = out;
    a.a = tessera::time_major<const float>(rate.data(), 1, c.heads), a.d = d.data();
    a.z = {z.data(), c.heads, 1, c.dim, stride(c.dim), 0};
    run(a, name, [](const auto& p) { return tessera::mamba2_step<B>(p); });
  }
  reference::Expected expected() const {
    const reference::StepConvolution conv = {c.width,       channels,    x.data(),
                                             weight.data(), bias.data(), conv_before.data()};
    if (c.delta) {
      reference::Recurrence r = {reference::Recurring::delta,
                                 c.heads,
                                 c.shared,
                                 c.size,
                                 c.dim,
                                 1,
                                 true,
                                 nullptr,
                                 nullptr,
                                 nullptr,
                                 rate.data(),
                                 1};
      r.beta = dt.data(), r.scale = 0.25, r.state = before.data();
      return reference::gated_delta_net_step(conv, r, 1e-6f);
    }
    reference::Scan s = {c.heads, c.dim,     c.shared,    c.size,  1,      false,
                         nullptr, dt.data(), rate.data(), nullptr, nullptr};
    s.d = d.data(), s.z = z.data(), s.state = before.data();
    return reference::mamba2_step(conv, s);
  }
};

template <class B>
void add_steps_of(Run& run) {
  std::uint64_t seed = 14000;
  for (const StepCase& c : step_cases) {
    const std::string name = std::string(c.delta ? "gated_delta_net_step " : "mamba2_step ") +
                             std::to_string(c.heads) + "x" + std::to_string(c.dim) + " shared " +
                             std::to_string(c.shared) + "x" + std::to_string(c.size) + " width " +
                             std::to_string(c.width);
    Step s(c, seed += 10);
    s.answer<B>(name);
    run.add(name, s.y, [&] { return s.expected(); });
  }
}

}  // namespace

void add_steps(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) { add_steps_of<B>(run); });
}

}  // namespace identity
