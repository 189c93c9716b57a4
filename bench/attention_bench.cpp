// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Attention over 2048 f32 keys, head size 128, 8 query heads on 2 key heads; 64 queries and one.
#include "tessera/attention.hpp"

#include "bench/support/bench.hpp"

namespace {

using namespace tessera_bench;

struct Problem {
  static constexpr std::size_t dim = 128, heads = 8, key_heads = 2, keys = 2048;
  std::size_t queries;
  Buffer<float> q, k{key_heads * keys * dim}, v{key_heads * keys * dim}, out;
  Buffer<std::byte> scratch{0};

  explicit Problem(std::size_t n) : queries(n), q(heads * n * dim), out(heads * n * dim) {
    fill(q.span(), 1);
    fill(k.span(), 2);
    fill(v.span(), 3);
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  tessera::AttentionArgs args() {
    constexpr std::ptrdiff_t token = dim;
    const auto per_head = static_cast<std::ptrdiff_t>(queries * dim);
    constexpr std::ptrdiff_t per_key_head = keys * dim;
    return {{q.data(), heads, queries, dim, per_head, token},
            {k.data(), key_heads, keys, dim, per_key_head, token},
            {v.data(), key_heads, keys, dim, per_key_head, token},
            {out.data(), heads, queries, dim, per_head, token},
            0.088388347648318447f,
            false,
            0,
            {{}, scratch.span()}};
  }
};

template <class B>
void add(const std::string& backend, std::size_t queries) {
  const std::string name =
      "attention/f32/" + backend + "/D128_H8_Hkv2_Q" + std::to_string(queries) + "_K2048";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Problem p(queries), reference(queries);
        require(tessera::attention<B>(p.args()), name);
        require(tessera::attention<tessera::backend::scalar>(reference.args()), name);
        require_same(p.out.span(), reference.out.span(), name);
        for (auto _ : state) require(tessera::attention<B>(p.args()), name);
        const double products = 2.0 * static_cast<double>(Problem::heads * queries) *
                                static_cast<double>(Problem::keys * Problem::dim);
        count(state, 2.0 * products,
              2.0 * static_cast<double>(Problem::key_heads * Problem::keys * Problem::dim) *
                  sizeof(float));
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    add<B>(backend, 64);
    add<B>(backend, 1);
  });
}
