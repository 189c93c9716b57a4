// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Rows of unit length: 32 heads of 128, 512 tokens.
#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/head_norm.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr std::size_t heads = 32, dim = 128, tokens = 512, row = heads * dim;
  Buffer<float> x{tokens * row}, y{tokens * row};
  Problem() { fill(x.span(), 1); }
  tessera::L2NormArgs args() {
    return {{x.data(), heads, tokens, dim, dim, row}, {y.data(), heads, tokens, dim, dim, row}};
  }
};

template <class B>
void add(const std::string& backend) {
  const std::string name = "l2_norm/" + backend + "/D128_H32_T512";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p, reference;
        require(tessera::l2_norm<B>(p.args()), name);
        require(tessera::l2_norm<tessera::backend::scalar>(reference.args()), name);
        require_same(p.y.span(), reference.y.span(), name);
        constexpr auto elements = static_cast<double>(Problem::tokens * Problem::row);
        constexpr double bytes = 2.0 * sizeof(float) * elements;
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(tessera::l2_norm<B>(p.args()), name);
        });
        count(state, elements, bytes);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends(
      [](auto b, const std::string& backend) { add<typename decltype(b)::type>(backend); });
}
