// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// attention on every backend: float64 reference, scalar's bits, masks, layouts, units.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/kernels/attention_harness.hpp"

namespace tessera_test {
namespace {

template <class B>
class Attention : public OnBackend<B> {};
TYPED_TEST_SUITE(Attention, FloatBackends, BackendName);

/// Scalar's values, compared with the float64 reference when first asked for.
const std::vector<float>& expected_values(const AttentionShape& s) {
  static std::map<AttentionShape, std::vector<float>> known;
  auto [at, is_new] = known.try_emplace(s);
  if (!is_new) return at->second;
  const AttentionOperands in(s);
  at->second = attended<tessera::backend::scalar>(s, in);
  EXPECT_TRUE(matches(at->second, expected(s, in))) << s;
  return at->second;
}

TYPED_TEST(Attention, Grid) {
  const std::size_t keys[] = {0, 1, 63, 64, 65, 127, 128, 129, 200};
  const std::size_t queries[] = {0, 1, 3, 33};
  const std::size_t heads[][2] = {{1, 1}, {3, 1}, {28, 4}, {48, 2}};
  const std::size_t dims[][2] = {{8, 8}, {5, 3}, {4, 17}, {1, 1}, {16, 7}, {33, 31}, {40, 64}};
  std::size_t turn = 0;
  for (const auto& h : heads)
    for (const std::size_t q : queries)
      for (const std::size_t n : keys) {
        const bool large = h[0] * q * n > 20000;  // small heads there, for an emulator's sake
#if defined(__riscv)
        if (h[0] * q * n > 110000) continue;  // every edge of keys is there with fewer heads
#endif
        const auto& d = dims[turn % (large ? 3 : std::size(dims))];
        const bool causal = turn % 2 == 1;
        ++turn;
        const AttentionShape s{
            h[0], h[1], q,      n,
            d[0], d[1], causal, static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(q)};
        const AttentionOperands in(s, head_layouts[turn % std::size(head_layouts)]);
        ASSERT_TRUE(
            same_bits(attended<TypeParam>(s, in, head_layouts[turn / 2 % std::size(head_layouts)]),
                      expected_values(s)))
            << s;
      }
}

TYPED_TEST(Attention, AnyHeadSize) {
  for (const std::size_t d : {1, 2, 15, 16, 17, 40, 64, 72, 80, 96, 100, 112, 128, 192, 256}) {
    for (const std::size_t other : {d, std::size_t{9}}) {
      const AttentionShape s{2, 1, 2, 67, d, other, true, 65};
      ASSERT_TRUE(same_bits(attended<TypeParam>(s, AttentionOperands(s)), expected_values(s))) << s;
    }
  }
}

TYPED_TEST(Attention, CausalOffsets) {
  for (const std::ptrdiff_t offset :
       {PTRDIFF_MIN, std::ptrdiff_t{-70}, std::ptrdiff_t{-4}, std::ptrdiff_t{-1}, std::ptrdiff_t{0},
        std::ptrdiff_t{1}, std::ptrdiff_t{59}, std::ptrdiff_t{63}, std::ptrdiff_t{64},
        std::ptrdiff_t{66}, std::ptrdiff_t{69}, std::ptrdiff_t{1000}, PTRDIFF_MAX}) {
    AttentionShape s{3, 1, 5, 70, 8, 8, true, std::min(offset, std::ptrdiff_t{100})};
    s.offset = std::max(s.offset, std::ptrdiff_t{-100});
    const auto& want = expected_values(s);
    const AttentionOperands in(s);
    s.offset = offset;
    ASSERT_TRUE(same_bits(attended<TypeParam>(s, in), want)) << s;
  }
}

/// Two queries of five keys: the last query sees the last key.
TYPED_TEST(Attention, TheSetOfKeysSeen) {
  AttentionShape s{1, 1, 2, 5, 3, 5, true, 3};
  AttentionOperands in(s);
  for (std::size_t j = 0; j < 5; ++j)
    for (std::size_t d = 0; d < 5; ++d) in.v.row(0, j)[d] = j == d ? 1.0f : 0.0f;
  const auto out = attended<TypeParam>(s, in);
  for (std::size_t t = 0; t < 2; ++t)
    for (std::size_t j = 0; j < 5; ++j)
      EXPECT_EQ(out[t * 5 + j] > 0, j <= t + 3) << "query " << t << " key " << j;
}

/// Rows of K and V that do not count, and keys a query does not see, hold NaN.
TYPED_TEST(Attention, UnseenKeysDoNotMatter) {
  const AttentionShape s{4, 2, 3, 65, 8, 8, true, 40};
  const auto& want = expected_values(s);
  AttentionOperands in(s, {false, 0, 63});
  for (std::size_t h = 0; h < 2; ++h)
    for (std::size_t t = 43; t < 65; ++t)
      for (std::size_t d = 0; d < 8; ++d) in.k.row(h, t)[d] = nan, in.v.row(h, t)[d] = nan;
  ASSERT_TRUE(same_bits(attended<TypeParam>(s, in), want));
}

TYPED_TEST(Attention, NoKeysGiveZeros) {
  for (const AttentionShape& s :
       {AttentionShape{3, 1, 4, 0, 8, 6}, AttentionShape{3, 1, 4, 70, 8, 6, true, -4}})
    for (const float x : attended<TypeParam>(s, AttentionOperands(s)))
      ASSERT_EQ(tessera::bits_of(x), 0u) << s;
}

TYPED_TEST(Attention, NaNAndInfinity) {
  const AttentionShape s{2, 2, 2, 100, 4, 3};
  const auto& clean = expected_values(s);
  const auto expect_nan_in_head_0 = [&](const AttentionOperands& in, std::size_t columns) {
    const auto out = attended<TypeParam>(s, in);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (i < 6 && i % 3 < columns)
        EXPECT_TRUE(std::isnan(out[i])) << i;
      else
        EXPECT_TRUE(same_bits(out[i], clean[i])) << i;
  };
  for (const std::size_t key : {0, 63, 64, 99}) {
    AttentionOperands score(s);
    score.k.row(0, key)[2] = nan;
    expect_nan_in_head_0(score, 3);
    AttentionOperands value(s);
    value.v.row(0, key)[0] = nan;
    expect_nan_in_head_0(value, 1);
    AttentionOperands large(s);  // +inf for both queries
    for (std::size_t t = 0; t < 2; ++t) large.q.row(0, t)[1] = std::fabs(large.q.row(0, t)[1]);
    large.k.row(0, key)[1] = inf;
    expect_nan_in_head_0(large, 3);
  }
  AttentionOperands masked(s);  // all scores of head 0 are -inf: nothing to attend to
  for (std::size_t t = 0; t < 2; ++t) masked.q.row(0, t)[1] = 1;
  for (std::size_t j = 0; j < 100; ++j) masked.k.row(0, j)[1] = -inf;
  const auto out = attended<TypeParam>(s, masked);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out[i], 0.0f);
  // One valid key among them, in each block.
  for (const std::size_t key : {0, 63, 64, 99}) {
    AttentionOperands one(s);
    for (std::size_t t = 0; t < 2; ++t) one.q.row(0, t)[1] = 1;
    for (std::size_t j = 0; j < 100; ++j)
      if (j != key) one.k.row(0, j)[1] = -inf;
    const auto got = attended<TypeParam>(s, one);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(got[i], one.v.row(0, key)[i % 3]) << key;
  }
}

/// Query heads use contiguous groups: values of key head h are all h.
TYPED_TEST(Attention, GroupsAreContiguous) {
  const std::size_t heads[][2] = {{3, 1}, {28, 4}, {48, 2}, {6, 3}};
  for (const auto& h : heads)
    for (const std::size_t keys : {1, 2, 64, 128}) {
      const AttentionShape s{h[0], h[1], 2, keys, 4, 5};
      AttentionOperands in(s);
      for (std::size_t i = 0; i < h[0]; ++i)  // equal scores: the sums of ones are exact
        for (std::size_t t = 0; t < 2; ++t)
          for (std::size_t d = 0; d < 4; ++d) in.q.row(i, t)[d] = 0;
      for (std::size_t i = 0; i < h[1]; ++i)
        for (std::size_t t = 0; t < keys; ++t)
          for (std::size_t d = 0; d < 5; ++d) in.v.row(i, t)[d] = static_cast<float>(i);
      const auto out = attended<TypeParam>(s, in);
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], static_cast<float>(i / 10 / (h[0] / h[1]))) << s;
    }
}

/// A dot product of 80000 overflows f16; so does a sum of 65536 ones.
TYPED_TEST(Attention, LargeScoresAndManyKeys) {
  AttentionShape s{1, 1, 1, 65, 128, 2};
  s.scale = 1.0f;
  AttentionOperands in(s);
  for (std::size_t d = 0; d < 128; ++d) {
    in.q.row(0, 0)[d] = 25;
    for (std::size_t j = 0; j < 65; ++j) in.k.row(0, j)[d] = 25;
  }
  EXPECT_TRUE(matches(attended<TypeParam>(s, in), expected(s, in)));

  const AttentionShape many{1, 1, 1, 65536, 1, 1};
  AttentionOperands equal(many);
  for (std::size_t j = 0; j < 65536; ++j) equal.k.row(0, j)[0] = 1, equal.v.row(0, j)[0] = 3;
  EXPECT_EQ(attended<TypeParam>(many, equal)[0], 3.0f);
}

TYPED_TEST(Attention, EveryLayout) {
  const AttentionShape s{6, 2, 5, 70, 9, 7, true, 65};
  const auto& want = expected_values(s);
  for (const HeadLayout in : head_layouts)
    for (const HeadLayout out : head_layouts)
      ASSERT_TRUE(same_bits(attended<TypeParam>(s, AttentionOperands(s, in), out), want));
}

/// A query's bits do not depend on the others, nor a head's.
TYPED_TEST(Attention, QueriesAndHeadsDoNotSeeEachOther) {
  const AttentionShape s{6, 2, 37, 70, 8, 5, true, 33};
  const auto& want = expected_values(s);
  const AttentionOperands in(s);
  for (const std::size_t t : {0, 1, 31, 32, 36})
    for (const std::size_t h : {0, 2, 3, 5}) {
      const AttentionShape one{1, 1, 1, 70, 8, 5, true, s.offset + static_cast<std::ptrdiff_t>(t)};
      AttentionOperands alone(one);
      std::copy_n(in.q.row(h, t), 8, alone.q.row(0, 0));
      for (std::size_t j = 0; j < 70; ++j) {
        std::copy_n(in.k.row(h / 3, j), 8, alone.k.row(0, j));
        std::copy_n(in.v.row(h / 3, j), 5, alone.v.row(0, j));
      }
      ASSERT_TRUE(same_bits(attended<TypeParam>(one, alone),
                            std::span(want).subspan((h * s.queries + t) * 5, 5)))
          << "head " << h << " query " << t;
    }
}

TYPED_TEST(Attention, UnitsInAnyOrder) {
  for (const AttentionShape& s :
       {AttentionShape{6, 2, 37, 70, 8, 5, true, 33}, AttentionShape{1, 1, 150, 20, 8, 5},
        AttentionShape{48, 1, 3, 20, 4, 3}}) {
    const auto& want = expected_values(s);
    const AttentionOperands in(s);
    Heads out(s.heads, s.queries, s.dv);
    tessera::AttentionArgs args{in.q.input(), in.k.input(), in.v.input(), out.view(),
                                s.scale,      s.causal,     s.offset,     {}};
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    const std::size_t n = tessera::units(args);
    ASSERT_GE(n, 3u);
    std::vector<int> written(out.buffer().size());
    for (std::size_t u = n; u-- > 0;) {
      out.buffer().poison();
      workspace.scratch().fill_bytes(0x7f);
      ASSERT_EQ(tessera::attention<TypeParam>(args, {u, u + 1}), Status::ok);
      for (std::size_t i = 0; i < written.size(); ++i) written[i] += !is_poison(out.buffer()[i]);
    }
    for (const int times : written) ASSERT_EQ(times, 1) << s;
    for (std::size_t count = 1; count <= 17; ++count) {
      out.buffer().poison();
      for (std::size_t i = count; i-- > 0;)
        ASSERT_EQ(tessera::attention<TypeParam>(args, tessera::Slice{i, count}.of(n)), Status::ok);
      ASSERT_TRUE(same_bits(out.values(), want)) << s << " " << count << " slices";
    }
    out.buffer().poison();
    for (const tessera::UnitRange range :
         {tessera::UnitRange{0, n + 1}, tessera::UnitRange{n + 1, n + 1}, tessera::UnitRange{1, 0}})
      ASSERT_EQ(tessera::attention<TypeParam>(args, range), Status::bad_unit_range);
    ASSERT_TRUE(out.buffer().untouched());
  }
}

}  // namespace
}  // namespace tessera_test
