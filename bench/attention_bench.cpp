// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Attention over 2048 keys, head size 128, 8 query heads on 2 key heads; 64 queries and one; keys and
// values f32, f16 and q8_0. The limit is the FMA rate, also where products are integer ones.
#include "tessera/attention.hpp"

#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/formats/all.hpp"

namespace {

using namespace tessera_bench;

template <class F>
struct Problem {
  static constexpr std::size_t dim = 128, heads = 8, key_heads = 2, keys = 2048;
  using Block = typename F::Block;
  std::size_t queries;
  Buffer<float> q, out;
  Buffer<Block> k{key_heads * keys * dim / F::group}, v{key_heads * keys * dim / F::group};
  Buffer<std::byte> scratch{0};

  explicit Problem(std::size_t n) : queries(n), q(heads * n * dim), out(heads * n * dim) {
    fill(q.span(), 1);
    encode(k, 2);
    encode(v, 3);
    scratch = Buffer<std::byte>(tessera::workspace_size(args()).scratch);
  }
  static void encode(Buffer<Block>& to, std::uint32_t seed) {
    Buffer<float> x(to.size() * F::group);
    fill(x.span(), seed);
    if constexpr (F::is_float) {
      F::quantize(x.data(), x.size(), to.data());
    } else {
      for (std::size_t i = 0; i < to.size(); ++i) F::quantize_block(x.data() + i * F::group, to[i]);
    }
  }
  tessera::AttentionArgs<F, F> args() {
    constexpr std::ptrdiff_t token = dim;
    constexpr std::ptrdiff_t row = dim / F::group;
    const auto per_head = static_cast<std::ptrdiff_t>(queries * dim);
    tessera::AttentionArgs<F, F> a;
    a.q = {q.data(), heads, queries, dim, per_head, token};
    a.k = {k.data(), key_heads, keys, dim / F::group, row * keys, row};
    a.v = {v.data(), key_heads, keys, dim / F::group, row * keys, row};
    a.out = {out.data(), heads, queries, dim, per_head, token};
    a.scale = 0.088388347648318447f;
    a.workspace.scratch = scratch.span();
    return a;
  }
};

template <class B, class F>
void add(const std::string& backend, std::size_t queries) {
  const std::string name = std::string("attention/") + F::name + "/" + backend + "/D128_H8_Hkv2_Q" +
                           std::to_string(queries) + "_K2048";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        using P = Problem<F>;
        P p(queries), reference(queries);
        require(tessera::attention<B>(p.args()), name);
        require(tessera::attention<tessera::backend::scalar>(reference.args()), name);
        require_same(p.out.span(), reference.out.span(), name);
        const double products =
            2.0 * static_cast<double>(P::heads * queries) * static_cast<double>(P::keys * P::dim);
        Limited(state, F::is_float ? Peak::fma : Peak::byte_dot, 2.0 * products).run([&] {
          require(tessera::attention<B>(p.args()), name);
        });
        count(state, 2.0 * products,
              2.0 * static_cast<double>(P::key_heads * P::keys * P::dim / F::group) *
                  static_cast<double>(F::block_bytes));
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    for (const std::size_t queries : {64, 1}) {
      add<B, tessera::format::f32>(backend, queries);
      add<B, tessera::format::f16>(backend, queries);
      add<B, tessera::format::q8_0>(backend, queries);
    }
  });
}
