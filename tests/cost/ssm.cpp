// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// One run of a recurrent kernel, to be counted: tessera_cost_ssm_rvv KERNEL TOKENS. It runs inside the function
// tessera_cost_kernel. Prints as its work how many elements it updates (of a state, or outputs of a convolution).
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tessera/ssm.hpp"
#include "tests/support/random.hpp"

namespace {

using B = tessera::backend::rvv;
using Work = tessera::Status (*)(const void* args);

}  // namespace

// Called through a pointer: the function of exactly this name is what is counted.
extern "C" [[gnu::noinline]] tessera::Status tessera_cost_kernel(Work work, const void* args) {
  return work(args);
}

namespace {

std::vector<float> drawn(std::size_t n, float low, float high) {
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

struct Aligned {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};

template <class Args>
int counted(Args& args, Work work, std::size_t elements) {
  const std::size_t size = tessera::workspace_size(args).scratch;
  const std::unique_ptr<std::byte[], Aligned> scratch(
      static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
  args.workspace.scratch = {scratch.get(), size};
  if (const auto status = tessera_cost_kernel(work, &args); status != tessera::Status::ok) {
    std::fprintf(stderr, "refused: %s\n", tessera::message(status));
    return 2;
  }
  std::printf("work %zu\n", elements);
  return 0;
}

int scan(std::size_t heads, std::size_t dim, std::size_t states, bool per_state, std::size_t tokens,
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
  return counted(
      args,
      [](const void* p) { return tessera::ssm_scan<B>(*static_cast<const decltype(args)*>(p)); },
      tokens * columns * states);
}

int delta(std::size_t tokens, bool per_key,
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
  return counted(
      args,
      [](const void* p) {
        return tessera::gated_delta_net<B>(*static_cast<const decltype(args)*>(p));
      },
      tokens * heads * dim * dim);
}

int conv(std::size_t tokens) {
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
  return counted(
      args,
      [](const void* p) { return tessera::ssm_conv<B>(*static_cast<const decltype(args)*>(p)); },
      tokens * channels);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kernel = argc == 3 ? argv[1] : "";
  const std::size_t tokens = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
  if (kernel == "mamba2") return scan(8, 64, 128, false, tokens);
  if (kernel == "mamba2_chunked")
    return scan(8, 64, 128, false, tokens, tessera::ScanAlgorithm::chunked);
  if (kernel == "mamba1") return scan(256, 1, 16, true, tokens);
  if (kernel == "delta") return delta(tokens, false);
  if (kernel == "delta_keys") return delta(tokens, true);
  if (kernel == "delta_chunked") return delta(tokens, false, tessera::DeltaNetAlgorithm::chunked);
  if (kernel == "delta_keys_chunked")
    return delta(tokens, true, tessera::DeltaNetAlgorithm::chunked);
  if (kernel == "conv") return conv(tokens);
  std::fprintf(
      stderr,
      "usage: mamba2|mamba2_chunked|mamba1|delta|delta_keys|delta_chunked|delta_keys_chunked|"
      "conv TOKENS\n");
  return 2;
}
