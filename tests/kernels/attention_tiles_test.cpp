// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// attention over a cache in tiles, on every backend: the bits of the rows it stands for, refusals, decoded blocks.
#include <string>
#include <type_traits>
#include <utility>

#include "tests/kernels/attention_answers.hpp"
#include "tests/kernels/kv_problem.hpp"

namespace tessera_test {
namespace {

AttentionCase kv_case(std::size_t heads, std::size_t key_heads, std::size_t queries,
                      std::size_t keys, std::size_t dk, std::size_t dv) {
  AttentionCase c{heads, key_heads, queries, keys, dk, dv, FormatId::q8_0, FormatId::q8_0};
  c.offset = static_cast<std::ptrdiff_t>(keys) - static_cast<std::ptrdiff_t>(queries);
  return c;
}

constexpr int kv_problems = 9;

KvProblem kv_problem(int i) {
  AttentionCase c = kv_case(2, 1, 3, 100, 64, 96);
  switch (i) {
    case 0:  // fewer tokens than a block, and no ring
      return {kv_case(1, 1, 1, 1, 32, 32), 1};
    case 1:
      return {kv_case(8, 1, 1, 200, 128, 128), 200};
    case 2:  // a ring that wraps within a block; slopes and windows by position
      c = kv_case(4, 2, 3, 300, 32, 160);
      c.causal = true, c.before = 120;
      return {c, 128};
    case 3:  // what is not held is not seen, without any window
      c = kv_case(3, 1, 9, 250, 96, 32);
      c.causal = true;
      return std::move(KvProblem(c, 128).hide(false));
    case 4:  // the same under a mask, for the full-precision query
      c = kv_case(4, 2, 5, 150, 64, 64);
      c.query = tessera::Query::full;
      return std::move(KvProblem(c, 64).hide(true));
    case 5:  // sequences of unequal length
      c = kv_case(2, 2, 3, 230, 64, 288);
      c.sequences = 3, c.causal = true;
      break;
    case 6:  // many rows: full tiles, and queries in the past of the ring
      c = kv_case(2, 1, 70, 180, 32, 32);
      c.causal = true, c.soft_cap = 4.0f;
      return std::move(KvProblem(c, 128).hide(false));
    case 7:  // a symmetric window
      c = kv_case(2, 1, 7, 190, 32, 32);
      c.before = c.after = 9, c.offset = 120;
      return {c, 128};
    default:  // a single row over a ring
      c = kv_case(1, 1, 1, 333, 128, 96);
      c.before = 100, c.causal = true;
      return {c, 128};
  }
  KvProblem p(c, 128);
  p.rows.lengths = {230, 0, 97}, p.rows.offsets = {227, 0, 94};
  return std::move(p.hide(false));
}

/// Options that the rows' mask leaves alone.
void with_options(int i, AttentionProblem& p) {
  p.with_lse();
  if (i == 2) p.with_slopes().with_sinks();
  if (i == 1 || i == 5) p.with_gate();
}

template <class B>
class AttentionTiles : public OnBackend<B> {};
TYPED_TEST_SUITE(AttentionTiles, TestedBackends, BackendName);

/// In the backend's own order and in another.
TYPED_TEST(AttentionTiles, HaveTheBitsOfRows) {
  using Own = tessera::kv_tile<TypeParam>;
  using Other = std::conditional_t<std::is_same_v<Own, tessera::tile::ime1_int8>,
                                   tessera::tile::ime2_int8, tessera::tile::ime1_int8>;
  for (int i = 0; i < kv_problems; ++i) {
    KvProblem p = kv_problem(i);
    with_options(i, p.rows);
    const auto& want = expected_of("kv " + std::to_string(i), p.rows);
    const bool masked = !p.rows.mask32.empty();
    if (masked && i != 4) p.rows.mask = {};  // the ring itself knows
    ASSERT_TRUE(same_bits(p.answer<TypeParam, Own>(i % 2 == 0 ? 1000 : 23), want)) << i;
    if (i < 3 || i > 6) continue;
    const auto other = p.answer<TypeParam, Other>(i == 4 ? 1 : 100, i < 5);
    ASSERT_TRUE(same_bits(other, want)) << i;
  }
}

TEST(KvAttentionRefused, WhatTheCacheAddsToTheArguments) {
  using B = tessera::backend::scalar;
  using T = tessera::tile::ime1_int8;
  KvMemory<T> m({2, 1, 100, 64, 32});
  Heads q(4, 3, 64), out(4, 3, 32);
  tessera::KvAttentionArgs<T> a;
  const auto restore = [&] {
    m.held = {{0, 5}, {200, 328}};
    a = {};
    a.q = q.input(), a.out = out.view(), a.cache = m.cache(), a.held = m.held;
    a.q.heads = a.out.heads = 2;
    a.sequences.count = 2;
    a.sequences.q_stride = 2 * a.q.head_stride, a.sequences.out_stride = 2 * a.out.head_stride;
  };
  restore();
  GuardedWorkspace workspace(tessera::workspace_size(a));
  const auto refused = [&](Status want) {
    if (a.workspace.scratch.empty()) a.workspace = workspace.get();
    EXPECT_EQ(tessera::check<B>(a), want);
    EXPECT_EQ(tessera::attention<B>(a), want);
    EXPECT_TRUE(out.buffer().untouched());
    EXPECT_TRUE(workspace.untouched());
    restore();
  };
  a.workspace = workspace.get();
  ASSERT_EQ(tessera::check<B>(a), Status::ok);
  a.cache.shape.dk = 33;
  refused(Status::group_multiple);
  a.cache.shape.capacity = std::size_t{1} << 62;
  refused(Status::shape_too_large);
  a.cache.memory = a.cache.memory.first(a.cache.memory.size() - 1);
  refused(Status::cache_too_small);
  a.cache.memory = {};
  refused(Status::null_pointer);
  a.q.dim = 32;
  refused(Status::shape_mismatch);
  a.out.dim = 64, a.out.head_stride = 400, a.out.token_stride = 64;
  refused(Status::shape_mismatch);
  a.held = a.held.first(1);
  refused(Status::shape_mismatch);
  a.sequences.count = 1;
  refused(Status::shape_mismatch);
  const std::int32_t lengths[] = {5, 5};
  a.sequences.key_lengths = lengths;
  refused(Status::shape_mismatch);
  for (const tessera::KvHeld held : {tessera::KvHeld{2, 1}, tessera::KvHeld{0, 129},
                                     tessera::KvHeld{SIZE_MAX - 9, SIZE_MAX - 8}}) {
    m.held[1] = held;
    refused(Status::position_range);
  }
  for (const void* read :
       {static_cast<const void*>(m.bytes.data()), static_cast<const void*>(m.held.data())}) {
    a.out.data = static_cast<float*>(const_cast<void*>(read));
    refused(Status::overlap);
  }
}

/// Keys in the backend's own tiles are not decoded; other blocks once per key head and tile of queries.
TEST(KvAttentionDecodes, OncePerKeyHeadAndTileOfQueries) {
  using Emulated = tessera::backend::emu<tessera::ime::k1, Decodes>;
  KvProblem p(kv_case(8, 2, 32, 64, 64, 32), 64);
  Decodes::blocks = 0;
  p.answer<Emulated, tessera::tile::ime1_int8>(64);
  EXPECT_EQ(Decodes::blocks, 2u * 2 * 64 * (32 / 32));
  Decodes::blocks = 0;
  p.answer<Emulated, tessera::tile::ime2_int8>(64);
  EXPECT_EQ(Decodes::blocks, 2u * 2 * 64 * (64 + 32) / 32);
}

}  // namespace
}  // namespace tessera_test
