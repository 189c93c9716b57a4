// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Convolution of width 4 over 3328 channels, 512 tokens; the same as a plain loop, for comparison.
#include "tessera/ssm_conv.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr std::size_t channels = 3328, width = 4, tokens = 512;
  Buffer<float> x{tokens * channels}, w{width * channels}, bias{channels}, y{tokens * channels};
  Buffer<float> state{(width - 1) * channels};
  Buffer<std::byte> scratch{0};
  tessera::Sequence sequence = {0, tokens, 0};

  Problem() {
    fill(x.span(), 1);
    fill(w.span(), 2);
    fill(bias.span(), 3);
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  tessera::SsmConvArgs args() {
    tessera::SsmConvArgs a;
    a.x = tessera::time_major<const float>(x.data(), tokens, channels);
    a.weight = tessera::time_major<const float>(w.data(), width, channels);
    a.bias = bias.data();
    a.y = tessera::time_major(y.data(), tokens, channels);
    a.sequences = {&sequence, 1};
    a.states = {state.data(), 1, 0, static_cast<std::ptrdiff_t>(channels), 1};
    a.workspace.scratch = scratch.span();
    return a;
  }
};

/// What one writes first: channel by channel.
void plain_loop(Problem& p) {
  constexpr std::size_t channels = Problem::channels, width = Problem::width;
  const auto row = [&](std::size_t i) {
    return i < width - 1 ? p.state.data() + i * channels
                         : p.x.data() + (i - (width - 1)) * channels;
  };
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t t = 0; t < Problem::tokens; ++t) {
      float sum = p.bias[c];
      for (std::size_t k = 0; k < width; ++k) sum += row(t + k)[c] * p.w[k * channels + c];
      p.y[t * channels + c] = sum;
    }
  benchmark::ClobberMemory();
}

constexpr double outputs = static_cast<double>(Problem::channels * Problem::tokens);

template <class Run>
void add(const std::string& name, Run run) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p;
        run(p);
        constexpr double bytes = 2 * 4 * outputs;
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] { run(p); });
        count(state, 2 * Problem::width * outputs, bytes);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

template <class B>
void add_kernel(const std::string& backend) {
  const std::string name = "ssm_conv/" + backend + "/W4_C3328_T512";
  Problem p, reference;
  require(tessera::ssm_conv<B>(p.args()), name);
  require(tessera::ssm_conv<tessera::backend::scalar>(reference.args()), name);
  require_same(p.y.span(), reference.y.span(), name);
  add(name, [=](Problem& q) { require(tessera::ssm_conv<B>(q.args()), name); });
}

}  // namespace

void register_benches() {
  add("ssm_conv/plain_loop/W4_C3328_T512", plain_loop);
  for_backends(
      [](auto b, const std::string& backend) { add_kernel<typename decltype(b)::type>(backend); });
}
