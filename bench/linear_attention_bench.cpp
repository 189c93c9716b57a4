// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// RWKV-7, the rule with the most operations: 32 heads of 64, 64 tokens.
#include "tessera/linear_attention.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr std::size_t heads = 32, dim = 64, tokens = 64;
  static constexpr std::size_t row = heads * dim, size = heads * dim * dim;
  Buffer<float> inputs{6 * tokens * row}, out{tokens * row}, state{size};
  Buffer<std::byte> scratch{0};
  tessera::Sequence sequence = {0, tokens, 0};

  Problem() {
    fill(inputs.span(), 1);
    for (float& x : inputs.span()) x *= 0.2f;
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  tessera::HeadView<const float> input(std::size_t i) {
    return {inputs.data() + i * tokens * row, heads, tokens, dim, dim, row};
  }
  tessera::Rwkv7Args args() {
    tessera::Rwkv7Args a;
    a.receptance = input(0), a.k = input(1), a.v = input(2), a.decay = input(3);
    a.a = input(4), a.b = input(5);
    a.out = {out.data(), heads, tokens, dim, dim, row};
    a.sequences = {&sequence, 1};
    a.states = {state.data(), 1, 0};
    a.workspace.scratch = scratch.span();
    return a;
  }
};

template <class B>
void add(const std::string& backend) {
  const std::string name = "linear_attention/rwkv7/" + backend + "/S64_H32_T64";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p, reference;
        require(tessera::rwkv7<B>(p.args()), name);
        require(tessera::rwkv7<tessera::backend::scalar>(reference.args()), name);
        require_same(p.out.span(), reference.out.span(), name);
        constexpr auto elements = static_cast<double>(Problem::size);
        constexpr double operations = 9 * elements * static_cast<double>(Problem::tokens);
        Limited(state, Peak::fma, operations).run([&] {
          require(tessera::rwkv7<B>(p.args()), name);
        });
        count(state, operations, 8 * elements);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends(
      [](auto b, const std::string& backend) { add<typename decltype(b)::type>(backend); });
}
