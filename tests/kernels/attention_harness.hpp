// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One attention problem, its float64 reference, and a run of it between guard pages.
#ifndef TESSERA_TESTS_KERNELS_ATTENTION_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_ATTENTION_HARNESS_HPP_

#include <vector>

#include "tessera/attention.hpp"
#include "tests/kernels/heads_harness.hpp"
#include "tests/reference/attention.hpp"

namespace tessera_test {

struct AttentionShape {
  std::size_t heads;
  std::size_t key_heads;
  std::size_t queries;
  std::size_t keys;
  std::size_t dk;
  std::size_t dv;
  bool causal = false;
  std::ptrdiff_t offset = 0;
  float scale = 0.4f;
  auto operator<=>(const AttentionShape&) const = default;

  /// Keys that a query sees.
  std::size_t visible(std::size_t query) const {
    if (!causal) return keys;
    std::size_t n = 0;
    while (n < keys &&
           static_cast<std::ptrdiff_t>(n) - offset <= static_cast<std::ptrdiff_t>(query))
      ++n;
    return n;
  }
};

inline std::ostream& operator<<(std::ostream& out, const AttentionShape& s) {
  return out << s.heads << "/" << s.key_heads << " heads, " << s.queries << " queries, " << s.keys
             << " keys, " << s.dk << "/" << s.dv << (s.causal ? " causal " : " ") << s.offset;
}

/// Operands of one shape, the same values in any layout.
struct AttentionOperands {
  Heads q;
  Heads k;
  Heads v;

  explicit AttentionOperands(const AttentionShape& s, HeadLayout in = {})
      : q(s.heads, s.queries, s.dk, in),
        k(s.key_heads, s.keys, s.dk, in),
        v(s.key_heads, s.keys, s.dv, in) {
    q.fill_with(s.keys + 1);
    k.fill_with(s.keys + 2);
    v.fill_with(s.keys + 3);
  }
};

/// The output, head by head.
template <class B>
std::vector<float> attended(const AttentionShape& s, const AttentionOperands& in,
                            HeadLayout layout = {}) {
  Heads out(s.heads, s.queries, s.dv, layout);
  tessera::AttentionArgs args{in.q.input(), in.k.input(), in.v.input(), out.view(),
                              s.scale,      s.causal,     s.offset,     {}};
  GuardedWorkspace workspace(tessera::workspace_size(args));
  args.workspace = workspace.get();
  EXPECT_EQ(tessera::attention<B>(args), Status::ok) << s;
  EXPECT_TRUE(out.untouched_outside()) << s;
  EXPECT_TRUE(workspace.untouched_outside()) << s;
  return out.values();
}

inline reference::Expected expected(const AttentionShape& s, const AttentionOperands& in) {
  reference::Expected want;
  const std::size_t group = s.heads / s.key_heads;
  for (std::size_t h = 0; h < s.heads; ++h)
    for (std::size_t t = 0; t < s.queries; ++t) {
      const reference::Rows k{in.k.row(h / group, 0), in.k.input().token_stride};
      const reference::Rows v{in.v.row(h / group, 0), in.v.input().token_stride};
      reference::attention(in.q.row(h, t), k, v, s.visible(t), s.dk, s.dv, s.scale, want);
    }
  return want;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_ATTENTION_HARNESS_HPP_
