// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Walsh-Hadamard transforms of 32 heads x 512 tokens of 128.
#include "tessera/hadamard.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

void register_benches() {
  using namespace tessera_bench;
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    const std::string name = "hadamard/f32/" + backend + "/D128_H32_T512";
    benchmark::RegisterBenchmark(
        name.c_str(),
        [=](benchmark::State& state) {
          constexpr std::size_t dim = 128, heads = 32, tokens = 512;
          Buffer<float> x(heads * tokens * dim), y(x.size()), scalar(x.size());
          fill(x.span(), 1);
          tessera::HadamardArgs args{{x.data(), heads, tokens, dim, dim * tokens, dim},
                                     {y.data(), heads, tokens, dim, dim * tokens, dim},
                                     0,
                                     {}};
          Buffer<std::byte> scratch(tessera::workspace_size(args).scratch);
          args.workspace.scratch = scratch.span();
          require(tessera::hadamard<B>(args), name);
          auto definition = args;
          definition.y.data = scalar.data();
          require(tessera::hadamard<tessera::backend::scalar>(definition), name);
          require_same(y.span(), scalar.span(), name);
          const double bytes = 2.0 * sizeof(float) * static_cast<double>(x.size());
          Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
            require(tessera::hadamard<B>(args), name);
          });
          count(state, 7.0 * static_cast<double>(x.size()), bytes);
        })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
  });
}
