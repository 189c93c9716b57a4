// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tessera/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tessera/formats/all.hpp"
#include "tessera/kv_cache.hpp"
#include "tests/reference/attention.hpp"

namespace op {
namespace {

/// What keys and values can be made of here; the library takes any two.
using CacheFormats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16,
                      tessera::format::q8_0, tessera::format::q4_0, tessera::format::q4_1,
                      tessera::format::q5_0, tessera::format::q5_1, tessera::format::iq4_nl>;
template <class K, class V>
struct Pair {
  using Keys = K;
  using Values = V;
};
using Pairs = tessera::TypeList<Pair<tessera::format::f32, tessera::format::f32>,
                                Pair<tessera::format::f16, tessera::format::f16>,
                                Pair<tessera::format::bf16, tessera::format::bf16>,
                                Pair<tessera::format::q8_0, tessera::format::q8_0>,
                                Pair<tessera::format::q4_0, tessera::format::q4_0>,
                                Pair<tessera::format::q4_1, tessera::format::q4_1>,
                                Pair<tessera::format::q5_0, tessera::format::q5_0>,
                                Pair<tessera::format::q5_1, tessera::format::q5_1>,
                                Pair<tessera::format::iq4_nl, tessera::format::iq4_nl>,
                                Pair<tessera::format::q8_0, tessera::format::q4_0>,
                                Pair<tessera::format::q8_0, tessera::format::f16>,
                                Pair<tessera::format::f16, tessera::format::q8_0>>;
/// Codes whose scales lie apart, and what they are called here.
using ScaledFormats = tessera::TypeList<tessera::ScaledInt8, tessera::ScaledInt4>;
template <class F>
constexpr const char* scaled_name = F::group == 1 ? "scaled_int8" : "scaled_int4";

/// A tensor in a storage format: what is stored, and the values that it holds.
struct Cache {
  std::string name;
  std::vector<std::byte> bytes;
  std::vector<float> values;
  std::vector<float> given;   ///< before they were stored
  std::vector<float> scales;  ///< of codes whose scales lie apart, one per head and channel
};

struct Attending {
  std::size_t heads;
  std::size_t key_heads;
  std::size_t queries;
  std::size_t keys;
  std::size_t dk;
  std::size_t dv;
  bool causal;
  std::int64_t offset;
  float scale;
  float soft_cap;
  std::size_t before;
  std::size_t after;
  tessera::Query query;
  std::vector<float> q;
  Cache k;
  Cache v;
  bool tiles;  ///< a cache in the backend's own tiles
  std::vector<float> slopes;
  std::vector<float> sinks;

  /// Head by head.
  template <class T>
  static tessera::HeadView<T> view(T* data, std::size_t heads, std::size_t tokens,
                                   std::size_t dim) {
    const auto row = static_cast<std::ptrdiff_t>(dim);
    return {data, heads, tokens, dim, row * static_cast<std::ptrdiff_t>(tokens), row};
  }
  template <class F>
  static auto rows(const Cache& c, std::size_t heads, std::size_t tokens, std::size_t dim) {
    return view(reinterpret_cast<const typename F::Block*>(c.bytes.data()), heads, tokens,
                dim / F::group);
  }

  template <class B>
  Outcome run(const Cut& cut, bool check_only) const {
    if (tiles) return run_tiles<B>(cut, check_only);
    Outcome out;
    bool known = false;
    Pairs::for_each([&]<class P>(tessera::Type<P>) {
      if (P::Keys::name != k.name || P::Values::name != v.name) return;
      known = true;
      out = run_on<B, typename P::Keys, typename P::Values>(cut, check_only);
    });
    ScaledFormats::for_each([&]<class F>(tessera::Type<F>) {
      if (scaled_name<F> != k.name || scaled_name<F> != v.name) return;
      known = true;
      out = run_on<B, F, F>(cut, check_only);
    });
    if (!known) throw Refusal("--k " + k.name + " --v " + v.name + ": no such pair is built in");
    return out;
  }
  template <class B, class K, class V>
  Outcome run_on(const Cut& cut, bool check_only) const {
    tessera::AttentionArgs<K, V> args;
    args.k = rows<K>(k, key_heads, keys, dk);
    args.v = rows<V>(v, key_heads, keys, dv);
    args.k_scales = k.scales, args.v_scales = v.scales;
    return run_args<B>(args, cut, check_only);
  }
  template <class B>
  Outcome run_tiles(const Cut& cut, bool check_only) const {
    using T = tessera::kv_tile<B>;
    const tessera::KvShape shape{1, key_heads, std::max<std::size_t>(keys, 1), dk, dv};
    AlignedBytes memory(tessera::kv_cache_size(shape));
    tessera::KvHeld held;
    const tessera::KvAppendArgs<T> tokens{{memory.span(), shape},
                                          view(k.given.data(), key_heads, keys, dk),
                                          view(v.given.data(), key_heads, keys, dv),
                                          {&held, 1}};
    Outcome out;
    out.status = tessera::kv_append(tokens);
    if (out.status != tessera::Status::ok) return out;
    held = tessera::kv_held_after(held, keys, shape.capacity);
    tessera::KvAttentionArgs<T> args;
    args.cache = {memory.span(), shape};
    args.held = {&held, 1};
    return run_args<B>(args, cut, check_only);
  }
  template <class B, class Args>
  Outcome run_args(Args& args, const Cut& cut, bool check_only) const {
    Outcome out;
    out.values = untouched_values(heads * queries * dv);
    args.q = view(q.data(), heads, queries, dk);
    args.out = view(out.values.data(), heads, queries, dv);
    args.scale = scale, args.soft_cap = soft_cap, args.query = query;
    args.causal = causal, args.causal_offset = static_cast<std::ptrdiff_t>(offset);
    args.before = before, args.after = after, args.slopes = slopes, args.sinks = sinks;
    out.workspace = tessera::workspace_size(args);
    AlignedBytes scratch(out.workspace.scratch);
    args.workspace.scratch = scratch.span();
    out.status = tessera::check<B>(args);
    if (out.status != tessera::Status::ok || check_only) return out;
    out.status = run_cut(cut, tessera::units(args), [&](tessera::UnitRange range) {
      return tessera::attention<B>(args, range);
    });
    return out;
  }

  bool visible(std::size_t query_index, std::size_t key) const {
    const double distance = static_cast<double>(key) -
                            static_cast<double>(static_cast<std::int64_t>(query_index) + offset);
    return !(causal && distance > 0) && distance <= static_cast<double>(after) &&
           -distance <= static_cast<double>(before);
  }
  /// Quantised queries are the kernel's choice, not the question's: no limit then, only the nmse.
  bool quantizes_queries() const {
    bool floats = k.scales.empty();
    CacheFormats::for_each([&]<class K>(tessera::Type<K>) {
      if (K::name == k.name) floats = K::is_float;
    });
    return !floats && query == tessera::Query::quantized;
  }
  reference::Expected expected() const {
    reference::Expected want;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < queries; ++t) {
        const std::size_t from = h / (heads / key_heads) * keys;
        reference::Scoring how;
        how.scale = scale, how.soft_cap = soft_cap;
        for (std::size_t j = 0; j < keys; ++j) {
          const double distance = std::fabs(static_cast<double>(j) - static_cast<double>(t) -
                                            static_cast<double>(offset));
          how.bias.push_back(!visible(t, j)   ? -std::numeric_limits<double>::infinity()
                             : slopes.empty() ? 0.0
                                              : -double{slopes[h]} * distance);
        }
        if (!sinks.empty()) how.sink = &sinks[h];
        reference::attention(q.data() + (h * queries + t) * dk,
                             {k.values.data() + from * dk, static_cast<std::ptrdiff_t>(dk)},
                             {v.values.data() + from * dv, static_cast<std::ptrdiff_t>(dv)}, dk, dv,
                             how, want);
      }
    if (quantizes_queries())
      for (double& limit : want.limit) limit = std::numeric_limits<double>::infinity();
    return want;
  }
  std::size_t macs() const {
    std::size_t seen = 0;
    for (std::size_t t = 0; t < queries; ++t)
      for (std::size_t j = 0; j < keys; ++j) seen += visible(t, j);
    return heads * seen * (dk + dv);
  }
};

/// Codes with one scale per head and channel: its largest magnitude is the largest code.
template <class F>
void scale_cache(Cache& c, std::size_t heads, std::size_t tokens, std::size_t dim) {
  constexpr float most = F::group == 1 ? 127.0f : 7.0f;
  c.scales.assign(heads * dim, 0.0f);
  c.bytes.resize(c.values.size() / F::group);
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    float& scale = c.scales[i / (tokens * dim) * dim + i % dim];
    scale = std::max(scale, std::fabs(c.values[i]) / most);
  }
  for (std::size_t i = 0; i < c.values.size(); ++i) {
    const float scale = c.scales[i / (tokens * dim) * dim + i % dim];
    const float code = scale == 0.0f ? 0.0f : std::nearbyint(c.values[i] / scale);
    c.values[i] = std::clamp(code, -most, most) * scale;
    const int level = static_cast<int>(std::clamp(code, -most, most));
    if constexpr (F::group == 1)
      c.bytes[i] = static_cast<std::byte>(level);
    else
      c.bytes[i / 2] |= static_cast<std::byte>((level + 8) << i % 2 * 4);
  }
}

/// --k and --v name a format, or an .npy file of f32.
Cache cache_of(const Options& options, const std::string& field,
               const std::vector<std::size_t>& shape, std::uint64_t stream, bool tiles) {
  Cache c;
  std::vector<std::string> known;
  CacheFormats::for_each([&]<class F>(tessera::Type<F>) { known.push_back(F::name); });
  ScaledFormats::for_each([&]<class F>(tessera::Type<F>) { known.push_back(scaled_name<F>); });
  c.name = tiles ? "q8_0" : "f32";
  if (!names_file(options, field) && options.given(field))
    c.name = known[options.choice(field, known)];
  if (tiles && c.name != "q8_0")
    throw Refusal("--" + field + " " + c.name + ": a cache in tiles is of q8_0");
  c.values = operand(options, field, shape, stream);
  if (tiles) c.given = c.values;
  ScaledFormats::for_each([&]<class F>(tessera::Type<F>) {
    if (scaled_name<F> != c.name) return;
    if (shape[2] % F::group != 0)
      throw Refusal("--" + field + " " + c.name + ": the head size is odd");
    scale_cache<F>(c, shape[0], shape[1], shape[2]);
  });
  CacheFormats::for_each([&]<class F>(tessera::Type<F>) {
    if (F::name != c.name) return;
    if (shape[2] % F::group != 0)
      throw Refusal("--" + field + " " + F::name + ": the head size is not a multiple of " +
                    std::to_string(F::group));
    c.bytes.resize(c.values.size() / F::group * sizeof(typename F::Block));
    auto* blocks = reinterpret_cast<typename F::Block*>(c.bytes.data());
    if constexpr (F::is_float) {
      F::quantize(c.values.data(), c.values.size(), blocks);
      F::dequantize(blocks, c.values.size(), c.values.data());
    } else {
      for (std::size_t i = 0; i < c.values.size() / F::group; ++i) {
        F::quantize_block(c.values.data() + i * F::group, blocks[i]);
        F::dequantize_block(blocks[i], c.values.data() + i * F::group);
      }
    }
  });
  return c;
}

/// Keys before or after a query's position; no limit unless given.
std::size_t window(const Options& options, const std::string& field) {
  return options.given(field) ? options.size(field, 0, 0) : tessera::unlimited;
}

Attending attending_of(const Options& options) {
  Attending a;
  a.heads = dimension(options, "heads", 4, "q", 0);
  a.queries = dimension(options, "queries", 1, "q", 1, 0);
  a.dk = dimension(options, "dim", 64, "q", 2);
  a.key_heads = dimension(options, "kv-heads", a.heads, "k", 0);
  a.keys = dimension(options, "keys", 256, "k", 1, 0);
  a.dv = dimension(options, "dim-v", a.dk, "v", 2);
  a.causal = options.choice("causal", {"no", "yes"}) == 1;
  a.offset = options.integer(
      "offset", static_cast<std::int64_t>(a.keys) - static_cast<std::int64_t>(a.queries));
  if (a.offset > INT32_MAX || a.offset < INT32_MIN)
    throw Refusal("--offset " + std::to_string(a.offset) + ": must be within 32 bits");
  a.scale = static_cast<float>(options.number("scale", 1.0 / std::sqrt(static_cast<double>(a.dk))));
  a.soft_cap = static_cast<float>(options.number("soft-cap", 0));
  a.before = window(options, "before");
  a.after = window(options, "after");
  a.query = options.choice("query", {"quantized", "full"}) == 1 ? tessera::Query::full
                                                                : tessera::Query::quantized;
  elements(elements(a.heads, a.queries, "queries"), a.dv, "dim-v");
  a.q = operand(options, "q", {a.heads, a.queries, a.dk}, 0);
  a.tiles = options.choice("cache", {"rows", "tiles"}) == 1;
  a.k = cache_of(options, "k", {a.key_heads, a.keys, a.dk}, 1, a.tiles);
  a.v = cache_of(options, "v", {a.key_heads, a.keys, a.dv}, 2, a.tiles);
  const double alibi = options.number("alibi", 0);
  if (alibi < 0 || alibi > 64) throw Refusal("--alibi: the largest bias is between 0 and 64");
  if (alibi > 0) {
    a.slopes.resize(a.heads);
    tessera::alibi_slopes(static_cast<float>(alibi), a.slopes);
  }
  if (options.choice("sinks", {"no", "yes"}) == 1) a.sinks.assign(a.heads, 1.0f);
  return a;
}

}  // namespace

int run_attention(int argc, char** argv) {
  const Options options(
      argc, argv, "attention",
      {"dim", "dim-v", "heads", "kv-heads", "queries", "keys", "causal", "offset", "scale",
       "soft-cap", "before", "after", "query", "alibi", "sinks", "cache", "q", "k", "v"});
  const Attending a = attending_of(options);
  const Cut cut = cut_of(options);
  Question question;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    const bool codes = a.quantizes_queries();
    question.instance = std::string("attention ") + B::name + " " + a.k.name + "/" + a.v.name +
                        (a.tiles ? " in tiles" : "") + " (" + (codes ? B::dot_via : B::float_via) +
                        ")";
    question.atom = codes ? B::KeyAtom::name : B::FloatAtom::name;
    question.outcome = a.run<B>(cut, options.flag("check-only"));
    question.decodes =
        requires { B::decoded(0); } ? std::to_string(CountRetired::decodes) : "not counted";
  });
  question.shape = std::to_string(a.heads) + "/" + std::to_string(a.key_heads) + " heads " +
                   std::to_string(a.queries) + " queries " + std::to_string(a.keys) + " keys dim " +
                   std::to_string(a.dk) + "/" + std::to_string(a.dv);
  question.macs = a.macs();
  question.out_shape = {a.heads, a.queries, a.dv};
  question.scalar = [&] { return a.run<tessera::backend::scalar>({}, false).values; };
  question.reference = [&] { return a.expected(); };
  return answer(options, question);
}

}  // namespace op
