// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Attention, keys and values token-major.
#include "tessera/attention.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "tests/identity/matmul.hpp"
#include "tests/reference/attention.hpp"

namespace identity {
namespace {

/// Token-major: all heads of a token side by side.
template <class T>
tessera::HeadView<T> view(T* data, std::size_t heads, std::size_t tokens, std::size_t dim) {
  return {data,
          heads,
          tokens,
          dim,
          static_cast<std::ptrdiff_t>(dim),
          static_cast<std::ptrdiff_t>(heads * dim)};
}

std::size_t visible(const AttentionCase& c, std::size_t query) {
  if (!c.causal) return c.keys;
  const auto last =
      static_cast<std::ptrdiff_t>(query + c.keys) - static_cast<std::ptrdiff_t>(c.queries);
  return last < 0 ? 0 : static_cast<std::size_t>(last) + 1;
}

/// The float64 answer in the output's order: token, head, element.
reference::Expected expected(const AttentionCase& c, const std::vector<float>& q,
                             const std::vector<float>& k, const std::vector<float>& v,
                             float scale) {
  reference::Expected want;
  const std::size_t group = c.heads / c.key_heads;
  for (std::size_t t = 0; t < c.queries; ++t)
    for (std::size_t h = 0; h < c.heads; ++h)
      reference::attention(
          q.data() + (t * c.heads + h) * c.dk,
          {k.data() + h / group * c.dk, static_cast<std::ptrdiff_t>(c.key_heads * c.dk)},
          {v.data() + h / group * c.dv, static_cast<std::ptrdiff_t>(c.key_heads * c.dv)},
          visible(c, t), c.dk, c.dv, scale, want);
  return want;
}

template <class B>
void add_attention_of(Run& run) {
  std::uint64_t seed = 6000;
  for (const AttentionCase& c : attention_cases) {
    const std::string name = "attention heads " + std::to_string(c.heads) + "/" +
                             std::to_string(c.key_heads) + " queries " + std::to_string(c.queries) +
                             " keys " + std::to_string(c.keys) + " dim " + std::to_string(c.dk) +
                             "/" + std::to_string(c.dv) + (c.causal ? " causal" : "");
    const auto q = draw(c.queries * c.heads * c.dk, Fill::gaussian, seed++);
    const auto k = draw(c.keys * c.key_heads * c.dk, Fill::gaussian, seed++);
    const auto v = draw(c.keys * c.key_heads * c.dv, Fill::gaussian, seed++);
    std::vector<float> out(c.queries * c.heads * c.dv);
    tessera::AttentionArgs args;
    args.q = view(q.data(), c.heads, c.queries, c.dk);
    args.k = view(k.data(), c.key_heads, c.keys, c.dk);
    args.v = view(v.data(), c.key_heads, c.keys, c.dv);
    args.out = view(out.data(), c.heads, c.queries, c.dv);
    args.scale = 0.5f;
    args.causal = c.causal;
    args.causal_offset =
        static_cast<std::ptrdiff_t>(c.keys) - static_cast<std::ptrdiff_t>(c.queries);
    AlignedBytes scratch(tessera::workspace_size(args).scratch);
    args.workspace.scratch = scratch.span();
    must(tessera::attention<B>(args), name);
    run.add(name, out, [&] { return expected(c, q, k, v, args.scale); });
  }
}

}  // namespace

void add_attention(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) { add_attention_of<B>(run); });
}

}  // namespace identity
