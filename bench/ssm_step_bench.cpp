// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Decode steps on states that rotate over 80 MB: a delta-net layer (16 key heads, 32 value heads of 128,
// width 4) and Mamba-2 (80 heads of 64, 128 states), as one call and as its parts; beside what memory allows.
#include "tessera/ssm_step.hpp"

#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/head_norm.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  bool delta;
  std::size_t heads = delta ? 32 : 80, dim = delta ? 128 : 64, shared = delta ? 16 : 1;
  std::size_t own = heads * dim, channels = own + 2 * shared * size, slots = delta ? 40 : 32;
  Buffer<float> x{channels}, weight{width * channels}, bias{channels}, row{channels}, y{own};
  Buffer<float> dt{heads}, rate{heads}, z{own}, conv_states{slots * (width - 1) * channels};
  Buffer<float> states{slots * own * size};
  Buffer<std::byte> scratch{1 << 20}, space{1 << 16};
  tessera::Sequence sequence = {0, 1, 0};
  static constexpr std::size_t width = 4, size = 128;

  explicit Problem(bool d) : delta(d) {
    std::uint32_t seed = 0;
    for (auto* b : {&x, &weight, &bias, &dt, &rate, &z, &conv_states, &states})
      fill(b->span(), ++seed);
    for (float& v : dt.span()) v = v * 0.5f + 0.5f;    // beta, or a step
    for (float& v : rate.span()) v = v * 0.5f - 0.6f;  // log gate, or a
  }
  static std::ptrdiff_t n(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
  tessera::Workspace workspace() { return {space.span(), scratch.span()}; }
  tessera::HeadView<const float> rows(const float* p, std::size_t h, std::size_t d) const {
    return {p, h, 1, d, n(d), 0};
  }
  template <class Args>
  Args& convolve(Args& a) {
    a.weight = tessera::time_major<const float>(weight.data(), width, channels);
    a.bias = bias.data(), a.sequences = {&sequence, 1}, a.workspace = workspace();
    return a;
  }
  tessera::ConvStates conv() {
    return {conv_states.data(), slots, n((width - 1) * channels), n(channels), 1};
  }
  template <class Args>
  Args& scan(Args& a) {
    a.dt = tessera::time_major<const float>(dt.data(), 1, heads);
    a.a = tessera::time_major<const float>(rate.data(), 1, heads);
    a.z = rows(z.data(), heads, dim), a.y = {y.data(), heads, 1, dim, n(dim), 0};
    return carry(a);
  }
  template <class Args>
  Args& rule(Args& a) {
    a.log_gate = rows(rate.data(), heads, 1), a.scale = 0.088388347648318447f;
    a.beta = tessera::time_major<const float>(dt.data(), 1, heads);
    a.out = {y.data(), heads, 1, dim, n(dim), 0};
    return carry(a);
  }
  template <class Args>
  Args& carry(Args& a) {
    a.sequences = {&sequence, 1}, a.workspace = workspace();
    a.states = {states.data(), slots, n(own * size)};
    return a;
  }
  void next() { sequence.slot = (sequence.slot + 1) % slots; }
};

const tessera::HeadMap map = tessera::HeadMap::blocks();

template <class B>
void step(Problem& p) {
  const auto x = tessera::time_major<const float>(p.x.data(), 1, p.channels);
  if (p.delta) {
    tessera::GatedDeltaNetStepArgs a = {map};
    a.key_heads = p.shared, a.key_size = Problem::size, a.qkv = x, a.conv_states = p.conv();
    return require(tessera::gated_delta_net_step<B>(p.rule(p.convolve(a))), "step");
  }
  tessera::Mamba2StepArgs a;
  a.groups = p.shared, a.state_size = Problem::size, a.xbc = x, a.conv_states = p.conv();
  require(tessera::mamba2_step<B>(p.scan(p.convolve(a))), "step");
}

template <class B>
void parts(Problem& p) {
  tessera::SsmConvArgs conv;
  conv.x = tessera::time_major<const float>(p.x.data(), 1, p.channels), conv.silu = true;
  conv.y = tessera::time_major(p.row.data(), 1, p.channels), conv.states = p.conv();
  require(tessera::ssm_conv<B>(p.convolve(conv)), "ssm_conv");
  const std::size_t shared = p.shared * Problem::size;
  if (p.delta) {
    tessera::L2NormArgs unit;
    unit.y = {p.row.data(), 2 * p.shared, 1, Problem::size, Problem::n(Problem::size), 0};
    unit.x = unit.y;
    require(tessera::l2_norm<B>(unit), "l2_norm");
    tessera::GatedDeltaNetArgs a = {map};
    a.q = p.rows(p.row.data(), p.shared, Problem::size);
    a.k = p.rows(p.row.data() + shared, p.shared, Problem::size);
    a.v = p.rows(p.row.data() + 2 * shared, p.heads, p.dim);
    return require(tessera::gated_delta_net<B>(p.rule(a)), "gated_delta_net");
  }
  tessera::SsmScanArgs a;
  a.x = p.rows(p.row.data(), p.heads, p.dim);
  a.b = p.rows(p.row.data() + p.own, p.shared, Problem::size);
  a.c = p.rows(p.row.data() + p.own + shared, p.shared, Problem::size);
  require(tessera::ssm_scan<B>(p.scan(a)), "ssm_scan");
}

/// What the memory allows: scales the same states in place.
void scale_states(Problem& p) {
  const std::size_t n = p.own * Problem::size;
  float* slot = p.states.data() + p.sequence.slot * n;
  for (std::size_t i = 0; i < n; ++i) slot[i] *= 0.999f;
  benchmark::ClobberMemory();
}

template <class Run>
void add(const std::string& what, bool delta, Run run) {
  const std::string name =
      "ssm_step/" + what + (delta ? "/delta_S128_H32_Hk16_W4" : "/mamba2_N128_P64_H80_W4");
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(delta);
        const auto elements = static_cast<double>(p.own * Problem::size);
        Limited(state, Peak::read, 4 * elements).run([&] { run(p), p.next(); });
        count(state, (delta ? 8 : 5) * elements, 8 * elements);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for (const bool delta : {true, false}) {
    add("scale_states", delta, scale_states);
    for_backends([&](auto b, const std::string& backend) {
      using B = typename decltype(b)::type;
      Problem p(delta), other(delta);
      step<B>(p), parts<tessera::backend::scalar>(other);
      require_same(p.y.span(), other.y.span(), backend);
      require_same(p.states.span(), other.states.span(), backend);
      require_same(p.conv_states.span(), other.conv_states.span(), backend);
      add(backend, delta, step<B>);
      add(backend + "_parts", delta, parts<B>);
    });
  }
}
