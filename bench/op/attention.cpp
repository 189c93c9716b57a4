// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "tessera/attention.hpp"

#include <algorithm>
#include <cmath>

#include "bench/op/backends.hpp"
#include "bench/op/run.hpp"
#include "tests/reference/attention.hpp"

namespace op {
namespace {

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
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;

  /// Head by head.
  template <class T>
  static tessera::HeadView<T> view(T* data, std::size_t heads, std::size_t tokens,
                                   std::size_t dim) {
    const auto row = static_cast<std::ptrdiff_t>(dim);
    return {data, heads, tokens, dim, row * static_cast<std::ptrdiff_t>(tokens), row};
  }

  template <class B>
  Outcome run(const Cut& cut, bool check_only) const {
    Outcome out;
    out.values = untouched_values(heads * queries * dv);
    tessera::AttentionArgs args{view(q.data(), heads, queries, dk),
                                view(k.data(), key_heads, keys, dk),
                                view(v.data(), key_heads, keys, dv),
                                view(out.values.data(), heads, queries, dv),
                                scale,
                                causal,
                                static_cast<std::ptrdiff_t>(offset),
                                {}};
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

  std::size_t visible(std::size_t query) const {
    if (!causal) return keys;
    const std::int64_t last = static_cast<std::int64_t>(query) + offset;
    if (last < 0) return 0;
    return std::min(static_cast<std::size_t>(last) + 1, keys);
  }
  reference::Expected expected() const {
    reference::Expected want;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < queries; ++t) {
        const std::size_t from = h / (heads / key_heads) * keys;
        reference::attention(q.data() + (h * queries + t) * dk,
                             {k.data() + from * dk, static_cast<std::ptrdiff_t>(dk)},
                             {v.data() + from * dv, static_cast<std::ptrdiff_t>(dv)}, visible(t),
                             dk, dv, scale, want);
      }
    return want;
  }
  std::size_t macs() const {
    std::size_t seen = 0;
    for (std::size_t t = 0; t < queries; ++t) seen += visible(t);
    return heads * seen * (dk + dv);
  }
};

/// --k and --v name a format or an .npy file of f32.
void demand_f32(const Options& options, const std::string& field) {
  if (!names_file(options, field) && options.text(field, "f32") != "f32")
    throw Refusal("--" + field + " " + options.text(field, "") +
                  ": keys and values are f32, or an .npy file of it");
}

Attending attending_of(const Options& options) {
  demand_f32(options, "k");
  demand_f32(options, "v");
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
  elements(elements(a.heads, a.queries, "queries"), a.dv, "dim-v");
  a.q = operand(options, "q", {a.heads, a.queries, a.dk}, 0);
  a.k = operand(options, "k", {a.key_heads, a.keys, a.dk}, 1);
  a.v = operand(options, "v", {a.key_heads, a.keys, a.dv}, 2);
  return a;
}

}  // namespace

int run_attention(int argc, char** argv) {
  const Options options(argc, argv, "attention",
                        {"dim", "dim-v", "heads", "kv-heads", "queries", "keys", "causal", "offset",
                         "scale", "q", "k", "v"});
  const Attending a = attending_of(options);
  const Cut cut = cut_of(options);
  Question question;
  with_backend(options, [&]<class B>(tessera::Type<B>) {
    question.instance = std::string("attention ") + B::name + " f32 (" + B::float_via + ")";
    question.atom = B::FloatAtom::name;
    question.outcome = a.run<B>(cut, options.flag("check-only"));
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
