// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A cache in tiles between guard pages, and attention problems over one and over the rows it stands for.
#ifndef TESSERA_TESTS_KERNELS_KV_PROBLEM_HPP_
#define TESSERA_TESTS_KERNELS_KV_PROBLEM_HPP_

#include <algorithm>
#include <vector>

#include "tessera/attention.hpp"
#include "tessera/kv_cache.hpp"
#include "tests/kernels/attention_problem.hpp"

namespace tessera_test {

/// A cache between guard pages, all ones where nothing was appended: NaN scales.
template <class T>
struct KvMemory {
  tessera::KvShape shape;
  GuardedBuffer<std::byte> bytes;
  std::vector<tessera::KvHeld> held;

  explicit KvMemory(const tessera::KvShape& s)
      : shape(s), bytes(tessera::kv_cache_size(s)), held(s.sequences) {
    bytes.fill_bytes(0xff);
  }
  tessera::KvCache<T, std::byte> cache() { return {bytes.span(), shape}; }
};

/// Appends tokens to each sequence, `step` at a time, until it had `lengths[s]` of k and v.
template <class T>
void append_all(KvMemory<T>& m, const Heads& k, const Heads& v,
                const std::vector<std::int32_t>& lengths, std::size_t step) {
  const std::size_t heads = m.shape.key_heads;
  for (bool more = true; more;) {
    more = false;
    // Sequences advance alike, so that one view has the next tokens of all.
    std::size_t done = SIZE_MAX;
    for (std::size_t s = 0; s < lengths.size(); ++s)
      if (m.held[s].end < static_cast<std::size_t>(lengths[s]))
        done = std::min(done, m.held[s].end);
    if (done == SIZE_MAX) break;
    const std::size_t n = std::min(step, k.tokens() - done);
    std::vector<std::int32_t> counts;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      const auto length = static_cast<std::size_t>(lengths[s]);
      counts.push_back(static_cast<std::int32_t>(length <= done ? 0 : std::min(n, length - done)));
      more = more || length > done + n;
    }
    tessera::KvAppendArgs<T> a{m.cache(), k.input(), v.input(), m.held, counts};
    for (auto* view : {&a.k, &a.v}) {
      view->heads = heads, view->tokens = n;
      view->data += static_cast<std::ptrdiff_t>(done) * view->token_stride;
    }
    a.k_stride = a.k.head_stride * static_cast<std::ptrdiff_t>(heads);
    a.v_stride = a.v.head_stride * static_cast<std::ptrdiff_t>(heads);
    ASSERT_EQ(tessera::check(a), Status::ok);
    const std::size_t units = tessera::units(a);
    for (std::size_t u = units; u-- > 0;) ASSERT_EQ(tessera::kv_append(a, {u, u + 1}), Status::ok);
    for (std::size_t s = 0; s < lengths.size(); ++s)
      m.held[s] =
          tessera::kv_held_after(m.held[s], static_cast<std::size_t>(counts[s]), m.shape.capacity);
  }
  ASSERT_TRUE(m.bytes.untouched_outside());
}

/// A problem over q8_0 rows of all tokens, and the same over a cache that was appended to.
struct KvProblem {
  AttentionProblem rows;
  Heads k;
  Heads v;
  std::size_t capacity;

  KvProblem(const AttentionCase& c, std::size_t of_capacity)
      : rows(c),
        k(c.sequences * c.key_heads, c.keys, c.dk),
        v(c.sequences * c.key_heads, c.keys, c.dv),
        capacity(of_capacity) {
    k.fill_with(11), v.fill_with(12);
    for (std::size_t s = 0; s < c.sequences; ++s)
      for (std::size_t h = 0; h < c.key_heads; ++h)
        for (std::size_t t = 0; t < c.keys; ++t) {
          rows.k.set(s, h, t, k.row(s * c.key_heads + h, t));
          rows.v.set(s, h, t, v.row(s * c.key_heads + h, t));
        }
  }
  /// A mask that hides from the rows what the cache no longer holds, and is otherwise 0 or random.
  KvProblem& hide(bool biased) {
    const std::size_t slots = (capacity + 63) / 64 * 64;
    rows.with_mask(false, 1, rows.c.sequences);
    if (!biased) std::fill(rows.mask32.begin(), rows.mask32.end(), 0.0f);
    for (std::size_t s = 0; s < rows.c.sequences; ++s)
      for (std::size_t i = 0; i < rows.c.queries; ++i)
        for (std::size_t j = 0; j + slots < rows.length(s); ++j)
          rows.mask32[(s * rows.c.queries + i) * rows.c.keys + j] = -inf;
    return *this;
  }
  /// The call over the cache, whole or as merged splits.
  template <class B, class T>
  std::vector<float> answer(std::size_t step, bool split = false) {
    const AttentionCase& c = rows.c;
    KvMemory<T> m({c.sequences, c.key_heads, capacity, c.dk, c.dv});
    std::vector<std::int32_t> lengths = rows.lengths;
    if (lengths.empty()) lengths.assign(c.sequences, static_cast<std::int32_t>(c.keys));
    append_all(m, k, v, lengths, step);
    m.bytes.seal();
    const auto of = rows.args<tessera::format::q8_0, tessera::format::q8_0>();
    tessera::KvAttentionArgs<T> a;
    a.q = of.q, a.cache = m.cache(), a.held = m.held, a.out = of.out, a.scale = of.scale;
    a.causal = of.causal, a.causal_offset = of.causal_offset, a.query = of.query;
    a.soft_cap = of.soft_cap, a.before = of.before, a.after = of.after, a.mask = of.mask;
    a.slopes = of.slopes, a.sinks = of.sinks, a.gate = of.gate;
    a.log_sum_exp = of.log_sum_exp, a.sequences = of.sequences;
    a.sequences.key_lengths = {};
    GuardedWorkspace workspace(tessera::workspace_size(a));
    a.workspace = workspace.get();
    rows.out.buffer().poison();
    if (split) {
      const std::size_t end = c.keys;
      std::vector<float> low(tessera::partial_size(a, {0, 128}));
      std::vector<float> high(tessera::partial_size(a, {128, end}));
      const tessera::UnitRange all{0, tessera::units(a)};
      EXPECT_EQ(tessera::attention_blocks<B>(a, {128, end}, high, all), Status::ok);
      EXPECT_EQ(tessera::attention_blocks<B>(a, {0, 128}, low, all), Status::ok);
      const tessera::AttentionPart parts[] = {{{0, 128}, low}, {{128, end}, high}};
      EXPECT_EQ(tessera::attention_merge<B>(a, parts, {0, tessera::merge_units(a)}), Status::ok);
    } else {
      EXPECT_EQ(tessera::attention<B>(a), Status::ok);
    }
    EXPECT_TRUE(workspace.untouched_outside());
    return rows.answered();
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_KV_PROBLEM_HPP_
