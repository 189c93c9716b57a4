// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A cache in tiles of 2 key heads x 2048 tokens of 128: filled by a prompt, and read by 8 query heads.
#include "bench/support/bench.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/attention.hpp"
#include "tessera/formats/q8_0.hpp"
#include "tessera/kv_cache.hpp"

namespace {

using namespace tessera_bench;

constexpr std::size_t dim = 128, heads = 8, key_heads = 2, keys = 2048;

template <class T>
struct Cache {
  tessera::KvShape shape{1, key_heads, keys, dim, dim};
  Buffer<std::byte> memory{tessera::kv_cache_size(shape)};
  Buffer<float> k{key_heads * keys * dim}, v{key_heads * keys * dim};
  tessera::KvHeld held = {};

  Cache() { fill(k.span(), 2), fill(v.span(), 3); }
  tessera::HeadView<const float> view(Buffer<float>& x) {
    return {x.data(), key_heads, keys, dim, dim * keys, dim};
  }
  tessera::KvAppendArgs<T> args() { return {{memory.span(), shape}, view(k), view(v), {&held, 1}}; }
};

template <class B>
void add_append(const std::string& backend) {
  using T = tessera::kv_tile<B>;
  const std::string name = "kv_append/f32/" + backend + "/D128_Hkv2_T2048";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Cache<T> cache;
        const auto elements = static_cast<double>(cache.k.size());
        const double bytes = 2.0 * (4 + 34.0 / 32) * elements;
        Limited(state, static_cast<std::size_t>(bytes / 2), bytes).run([&] {
          require(tessera::kv_append(cache.args()), name);
        });
        count(state, 4.0 * elements, bytes);
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

template <class B>
void add_attention(const std::string& backend, std::size_t queries) {
  using T = tessera::kv_tile<B>;
  const std::string name =
      "attention_kv/q8_0/" + backend + "/D128_H8_Hkv2_Q" + std::to_string(queries) + "_K2048";
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        Cache<T> cache;
        require(tessera::kv_append(cache.args()), name);
        cache.held = tessera::kv_held_after(cache.held, keys, keys);
        Buffer<float> q(heads * queries * dim), out(q.size()), scalar(q.size());
        fill(q.span(), 1);
        const auto per_head = static_cast<std::ptrdiff_t>(queries * dim);
        tessera::KvAttentionArgs<T> args;
        args.q = {q.data(), heads, queries, dim, per_head, dim};
        args.cache = {cache.memory.span(), cache.shape};
        args.held = {&cache.held, 1};
        args.out = {out.data(), heads, queries, dim, per_head, dim};
        args.scale = 0.088388347648318447f;
        Buffer<std::byte> scratch(tessera::workspace_size(args).scratch);
        args.workspace.scratch = scratch.span();
        auto definition = args;
        definition.out.data = scalar.data();
        require(tessera::attention<tessera::backend::scalar>(definition), name);
        require(tessera::attention<B>(args), name);
        require_same(out.span(), scalar.span(), name);
        const double operations =
            4.0 * static_cast<double>(heads * queries) * static_cast<double>(keys * dim);
        Limited(state, Peak::byte_dot, operations).run([&] {
          require(tessera::attention<B>(args), name);
        });
        count(state, operations, static_cast<double>(cache.memory.size()));
      })
      ->Unit(benchmark::kMicrosecond)
      ->UseRealTime();
}

}  // namespace

void register_benches() {
  for_backends([](auto b, const std::string& backend) {
    using B = typename decltype(b)::type;
    add_append<B>(backend);
    for (const std::size_t queries : {64, 1}) add_attention<B>(backend, queries);
  });
}
