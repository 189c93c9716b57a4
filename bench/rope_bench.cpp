// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Rotation of 32 heads of 128 for 512 tokens with a table, both pairings.
#include "tessera/rope.hpp"

#include <vector>

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"

namespace {

using namespace tessera_bench;
using tessera::Pairing;

struct Problem {
  static constexpr std::size_t dim = 128, heads = 32, tokens = 512, pairs = dim / 2;
  Buffer<float> x{heads * tokens * dim}, y{heads * tokens * dim};
  Buffer<float> cosine{tokens * pairs}, sine{tokens * pairs};

  Problem() {
    fill(x.span(), 1);
    std::vector<std::int32_t> positions(tokens);
    for (std::size_t i = 0; i < tokens; ++i) positions[i] = static_cast<std::int32_t>(i);
    require(tessera::rope_table({positions, 1e4, tessera::matrix(cosine.data(), tokens, pairs),
                                 tessera::matrix(sine.data(), tokens, pairs)}),
            "rope_table");
  }
  tessera::RopeArgs<> args(Pairing pairing) {
    constexpr std::ptrdiff_t head = dim, token = heads * dim;
    return {{x.data(), heads, tokens, dim, head, token},
            {y.data(), heads, tokens, dim, head, token},
            tessera::matrix<const float>(cosine.data(), tokens, pairs),
            tessera::matrix<const float>(sine.data(), tokens, pairs),
            pairing};
  }
};

template <class B>
void add(const std::string& backend, Pairing pairing, const char* spelling) {
  const std::string name = std::string("rope/") + spelling + "/" + backend + "/D128_H32_T512";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p, reference;
        require(tessera::rope<B>(p.args(pairing)), name);
        require(tessera::rope<tessera::backend::scalar>(reference.args(pairing)), name);
        require_same(p.y.span(), reference.y.span(), name);
        const double elements = Problem::heads * Problem::tokens * Problem::dim;
        const double bytes = elements * 2 * sizeof(float);
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(tessera::rope<B>(p.args(pairing)), name);
        });
        count(state, elements, bytes);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    add<B>(backend, Pairing::interleaved, "interleaved");
    add<B>(backend, Pairing::half, "half");
  });
}
