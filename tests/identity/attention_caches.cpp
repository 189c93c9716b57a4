// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Attention over caches of every format, with what biases and limits the scores.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tessera/attention.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/kv_cache.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/activations.hpp"
#include "tests/reference/attention.hpp"

namespace identity {
namespace {

/// Rows of one format, and the values they hold.
template <class F>
struct Cache {
  std::vector<typename F::Block> blocks;
  std::vector<float> values;

  Cache(std::size_t count, std::uint64_t seed)
      : blocks(count / F::group), values(draw(count, Fill::gaussian, seed)) {
    if constexpr (F::is_float) {
      F::quantize(values.data(), count, blocks.data());
      F::dequantize(blocks.data(), count, values.data());
    } else {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        F::quantize_block(values.data() + i * F::group, blocks[i]);
        F::dequantize_block(blocks[i], values.data() + i * F::group);
      }
    }
  }

  /// What meets row `row` of a query, which becomes what it is quantised to.
  const std::vector<float>& meeting(std::vector<float>& row, std::size_t, bool full) const {
    if (!F::is_float && !full) {
      const auto quantized = reference::quantize_row(row.data(), row.size());
      for (std::size_t d = 0; d < row.size(); ++d) row[d] = static_cast<float>(quantized.value[d]);
    }
    return values;
  }
};

/// Rows of codes whose scales lie apart: one, or one per head and channel.
template <class F>
struct ScaledCache {
  std::vector<typename F::Block> blocks;
  std::vector<float> scales;
  std::vector<float> codes;
  std::vector<float> values;

  ScaledCache(std::size_t heads, std::size_t tokens, std::size_t dim, bool per_channel,
              std::uint64_t seed)
      : blocks(heads * tokens * dim / F::group),
        scales(draw(per_channel ? heads * dim : 1, Fill::uniform, seed)),
        codes(draw(heads * tokens * dim, Fill::gaussian, seed)),
        values(codes.size()) {
    constexpr float most = F::group == 1 ? 127.0f : 7.0f;
    for (float& scale : scales) scale = (scale + 2.0f) * 0.5f / most;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      codes[i] = std::clamp(std::nearbyint(codes[i] * most / 2), -most - 1, most);
      const std::size_t channel = i / (tokens * dim) * dim + i % dim;
      values[i] = codes[i] * scales[per_channel ? channel : 0];
      const int code = static_cast<int>(codes[i]);
      if constexpr (F::group == 1)
        blocks[i] = static_cast<std::int8_t>(code);
      else
        blocks[i / 2] = static_cast<std::uint8_t>(blocks[i / 2] | (code + 8) << i % 2 * 4);
    }
  }

  /// The query is multiplied by the scales before it is quantised, and then meets the codes.
  const std::vector<float>& meeting(std::vector<float>& row, std::size_t head, bool full) const {
    if (full) return values;
    for (std::size_t d = 0; d < row.size(); ++d)
      row[d] *= scales[scales.size() == 1 ? 0 : head * row.size() + d];
    const auto quantized = reference::quantize_row(row.data(), row.size());
    for (std::size_t d = 0; d < row.size(); ++d) row[d] = static_cast<float>(quantized.value[d]);
    return codes;
  }
};

/// Head by head.
template <class T>
tessera::HeadView<T> view(T* data, std::size_t heads, std::size_t tokens, std::size_t dim) {
  const auto row = static_cast<std::ptrdiff_t>(dim);
  return {data, heads, tokens, dim, row * static_cast<std::ptrdiff_t>(tokens), row};
}

template <class Cached, class Args>
reference::Expected expected(const CacheCase& c, const std::vector<float>& q, const Cached& k,
                             const Cached& v, const std::vector<tessera::Float16>& mask,
                             const Args& args) {
  reference::Expected want;
  reference::Expected sums;
  for (std::size_t h = 0; h < c.heads; ++h)
    for (std::size_t t = 0; t < c.queries; ++t) {
      reference::Scoring how;
      how.scale = args.scale, how.soft_cap = args.soft_cap;
      const auto position = static_cast<double>(t) + static_cast<double>(args.causal_offset);
      for (std::size_t j = 0; j < c.keys; ++j) {
        const double distance = static_cast<double>(j) - position;
        const bool hidden = c.windowed && (distance > 0 || -distance > 50);
        const double bias =
            c.biased ? double{args.slopes[h]} * double{tessera::to_float(mask[t * c.keys + j])}
                     : 0.0;
        how.bias.push_back(hidden ? -std::numeric_limits<double>::infinity() : bias);
      }
      if (c.windowed) how.sink = &args.sinks[h];
      std::vector<float> row(
          q.begin() + static_cast<std::ptrdiff_t>((h * c.queries + t) * c.dk),
          q.begin() + static_cast<std::ptrdiff_t>((h * c.queries + t + 1) * c.dk));
      const std::size_t key_head = h / (c.heads / c.key_heads);
      const std::vector<float>& keys = k.meeting(row, key_head, c.full);
      const std::size_t from = key_head * c.keys;
      reference::attention(row.data(),
                           {keys.data() + from * c.dk, static_cast<std::ptrdiff_t>(c.dk)},
                           {v.values.data() + from * c.dv, static_cast<std::ptrdiff_t>(c.dv)}, c.dk,
                           c.dv, how, want, c.windowed ? &sums : nullptr);
    }
  want.value.insert(want.value.end(), sums.value.begin(), sums.value.end());
  want.limit.insert(want.limit.end(), sums.limit.begin(), sums.limit.end());
  return want;
}

/// The operands of a case that are not the cache, in the order in which they are drawn.
template <class Args>
struct Operands {
  std::vector<float> q;
  std::vector<tessera::Float16> mask;
  std::vector<float> sinks;
  std::vector<float> slopes;
  std::vector<float> out;
  Args args;

  /// Draws from `seed` on; keys and values have the two seeds after the first.
  Operands(const CacheCase& c, std::uint64_t seed)
      : q(draw(c.queries * c.heads * c.dk, Fill::gaussian, seed)),
        sinks(draw(c.heads, Fill::uniform, seed + 4)),
        slopes(c.heads),
        out(c.queries * c.heads * c.dv + (c.windowed ? c.heads * c.queries : 0)) {
    for (const float m : draw(c.queries * c.keys, Fill::uniform, seed + 3))
      mask.push_back(tessera::to_float16(m));
    tessera::alibi_slopes(8.0f, slopes);
    args.q = view<const float>(q.data(), c.heads, c.queries, c.dk);
    args.out = view(out.data(), c.heads, c.queries, c.dv);
    args.scale = 0.25f;
    args.query = c.full ? tessera::Query::full : tessera::Query::quantized;
    args.causal_offset =
        static_cast<std::ptrdiff_t>(c.keys) - static_cast<std::ptrdiff_t>(c.queries);
    if (c.biased) {
      args.soft_cap = 3.0f;
      args.slopes = slopes;
      args.mask.f16 = mask.data();
      args.mask.query_stride = static_cast<std::ptrdiff_t>(c.keys);
    }
    if (c.windowed) {
      args.causal = true, args.before = 50;
      args.sinks = sinks;
      args.log_sum_exp =
          tessera::matrix(out.data() + c.queries * c.heads * c.dv, c.heads, c.queries);
    }
  }
  template <class B>
  void attend(const std::string& name) {
    AlignedBytes scratch(tessera::workspace_size(args).scratch);
    args.workspace.scratch = scratch.span();
    must(tessera::attention<B>(args), name);
  }
};

constexpr std::uint64_t seed_of_caches = 6500;
constexpr std::uint64_t seeds_of_case = 5;

std::string name_of(const char* cache, const CacheCase& c) {
  return std::string("attention ") + cache + " heads " + std::to_string(c.heads) + "/" +
         std::to_string(c.key_heads) + " queries " + std::to_string(c.queries) + " keys " +
         std::to_string(c.keys) + " dim " + std::to_string(c.dk) + "/" + std::to_string(c.dv) +
         (c.full ? " full" : "") + (c.biased ? " biased" : "") + (c.windowed ? " windowed" : "");
}

template <class B, class F>
void add_caches_of(Run& run) {
  std::uint64_t seed = seed_of_caches;
  for (const CacheCase& c : cache_cases) {
    if (F::is_float && c.full) continue;
    const std::string name = name_of(F::name, c);
    Operands<tessera::AttentionArgs<F, F>> p(c, seed);
    const Cache<F> k(c.keys * c.key_heads * c.dk, seed + 1);
    const Cache<F> v(c.keys * c.key_heads * c.dv, seed + 2);
    seed += seeds_of_case;
    p.args.k = view(k.blocks.data(), c.key_heads, c.keys, c.dk / F::group);
    p.args.v = view(v.blocks.data(), c.key_heads, c.keys, c.dv / F::group);
    p.template attend<B>(name);
    run.add(name, p.out, [&] { return expected(c, p.q, k, v, p.mask, p.args); });
  }
}

/// Caches of codes with one scale for the keys and one per channel for the values, or the other way.
template <class B, class F>
void add_scaled_of(Run& run, const char* format) {
  std::uint64_t seed = seed_of_caches;
  constexpr bool per_channel = F::group == 2;  // of the keys
  for (const CacheCase& c : cache_cases) {
    const std::string name = name_of(format, c);
    Operands<tessera::AttentionArgs<F, F>> p(c, seed);
    const ScaledCache<F> k(c.key_heads, c.keys, c.dk, per_channel, seed + 1);
    const ScaledCache<F> v(c.key_heads, c.keys, c.dv, !per_channel, seed + 2);
    seed += seeds_of_case;
    p.args.k = view(k.blocks.data(), c.key_heads, c.keys, c.dk / F::group);
    p.args.v = view(v.blocks.data(), c.key_heads, c.keys, c.dv / F::group);
    p.args.k_scales = k.scales, p.args.v_scales = v.scales;
    p.template attend<B>(name);
    run.add(name, p.out, [&] { return expected(c, p.q, k, v, p.mask, p.args); });
  }
}

/// The q8_0 cases over a cache in the backend's own tiles: the same digests.
template <class B>
void add_kv_of(Run& run) {
  using T = tessera::kv_tile<B>;
  std::uint64_t seed = seed_of_caches;
  for (const CacheCase& c : cache_cases) {
    const std::string name = name_of("kv tiles", c);
    Operands<tessera::KvAttentionArgs<T>> p(c, seed);
    const std::vector<float> k = draw(c.keys * c.key_heads * c.dk, Fill::gaussian, seed + 1);
    const auto v = draw(c.keys * c.key_heads * c.dv, Fill::gaussian, seed + 2);
    const tessera::KvShape shape{1, c.key_heads, c.keys, c.dk, c.dv};
    AlignedBytes memory(tessera::kv_cache_size(shape));
    tessera::KvHeld held;
    must(tessera::kv_append(tessera::KvAppendArgs<T>{{memory.span(), shape},
                                                     view(k.data(), c.key_heads, c.keys, c.dk),
                                                     view(v.data(), c.key_heads, c.keys, c.dv),
                                                     {&held, 1}}),
         name);
    held = tessera::kv_held_after(held, c.keys, c.keys);
    p.args.cache = {memory.span(), shape};
    p.args.held = {&held, 1};
    p.template attend<B>(name);
    run.add(name, p.out, [&] {
      const Cache<tessera::format::q8_0> keys(k.size(), seed + 1);
      const Cache<tessera::format::q8_0> values(v.size(), seed + 2);
      return expected(c, p.q, keys, values, p.mask, p.args);
    });
    seed += seeds_of_case;
  }
}

}  // namespace

void add_caches(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_caches_of<B, tessera::format::f16>(run);
    add_caches_of<B, tessera::format::q8_0>(run);
    add_caches_of<B, tessera::format::q4_0>(run);
    add_caches_of<B, tessera::format::q5_1>(run);
    add_kv_of<B>(run);
    add_scaled_of<B, tessera::ScaledInt8>(run, "scaled int8");
    add_scaled_of<B, tessera::ScaledInt4>(run, "scaled int4");
  });
}

}  // namespace identity
