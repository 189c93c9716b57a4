// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// attention over every format and with every option, on every backend: float64 reference, scalar's
// bits, splits of the keys, what must not be read. Over a cache in tiles: attention_tiles_test.cpp.
#include <string>

#include "tests/kernels/attention_answers.hpp"

namespace tessera_test {
namespace {

using tessera::Query;

template <class B>
class AttentionCases : public OnBackend<B> {};
TYPED_TEST_SUITE(AttentionCases, TestedBackends, BackendName);

template <class B>
void expect_right(const std::string& name, AttentionProblem& p) {
  const auto& want = expected_of(name, p);
  ASSERT_TRUE(same_bits(p.answer<B>(), want)) << name;
}

constexpr FormatId pairs[][2] = {
    {FormatId::f32, FormatId::f32},     {FormatId::f16, FormatId::f16},
    {FormatId::bf16, FormatId::bf16},   {FormatId::q8_0, FormatId::q8_0},
    {FormatId::q4_0, FormatId::q4_0},   {FormatId::q8_0, FormatId::q4_0},
    {FormatId::q5_0, FormatId::iq4_nl}, {FormatId::iq4_nl, FormatId::q5_0},
    {FormatId::q4_1, FormatId::q5_1},   {FormatId::q5_1, FormatId::q4_1},
    {FormatId::q4_0, FormatId::f16},    {FormatId::f16, FormatId::q8_0}};

TYPED_TEST(AttentionCases, EveryPairOfFormats) {
  const std::size_t shapes[][6] = {// heads, key heads, queries, keys, dk, dv
                                   {1, 1, 1, 1, 32, 32},    {3, 1, 2, 63, 64, 32},
                                   {4, 2, 1, 64, 32, 96},   {6, 3, 5, 65, 96, 64},
                                   {2, 2, 11, 130, 64, 64}, {9, 1, 8, 70, 32, 32}};
  for (const auto& pair : pairs)
    for (std::size_t i = 0; i < std::size(shapes); ++i)
      for (const Query query : {Query::quantized, Query::full}) {
        const auto& s = shapes[i];
        AttentionCase c{s[0], s[1], s[2], s[3], s[4], s[5], pair[0], pair[1], query};
        if (query == Query::full && c.k != FormatId::q8_0 && c.k != FormatId::iq4_nl &&
            c.k != FormatId::q5_1)
          continue;
        c.causal = i % 2 == 1;
        c.offset = static_cast<std::ptrdiff_t>(c.keys) - static_cast<std::ptrdiff_t>(c.queries);
        c.token_major = i % 3 == 1, c.padding = i % 2;
        AttentionProblem p(c);
        expect_right<TypeParam>("pair " + std::to_string(static_cast<int>(c.k)) + " " +
                                    std::to_string(static_cast<int>(c.v)) + " " +
                                    std::to_string(i) + (query == Query::full ? " full" : ""),
                                p);
      }
}

/// Each option alone, all together, over floats and over codes.
TYPED_TEST(AttentionCases, EveryOption) {
  for (const FormatId format : {FormatId::f32, FormatId::q8_0})
    for (int option = 0; option < 12; ++option) {
      AttentionCase c{6, 2, 7, 150, 32, 32, format, format};
      c.sequences = 2;
      c.offset = 100;
      const bool all = option == 11;
      if (option == 0 || all) c.soft_cap = 2.0f;
      if (option == 1 || all) c.causal = true;
      if (option == 2 || all) c.before = 70;
      if (option == 3) c.before = c.after = 5;
      if (option == 4) c.page_tokens = 16;
      if (all) c.page_tokens = 33;
      AttentionProblem p(c);
      if (option == 5) p.with_mask(true);
      if (option == 6) p.with_mask(false, 3, 2);
      if (option == 7) p.with_slopes();
      if (all) p.with_mask(true, 6, 1).with_slopes();
      if (option == 8 || all) p.with_sinks();
      if (option == 9 || all) p.with_gate();
      if (option == 10 || all) p.lengths = {150, 37}, p.offsets = {143, 30};
      p.with_lse();
      expect_right<TypeParam>(
          "option " + std::to_string(option) + (format == FormatId::f32 ? " f32" : " q8_0"), p);
    }
}

/// Sequences of 0, 1 and 17 keys; what lies beyond is poison, and so are pages nobody names.
TYPED_TEST(AttentionCases, RaggedSequences) {
  for (const std::size_t page_tokens : {0, 8}) {
    AttentionCase c{2, 1, 3, 17, 32, 32, FormatId::q4_0, FormatId::f16};
    c.sequences = 3, c.page_tokens = page_tokens;
    AttentionProblem p(c);
    p.lengths = {0, 1, 17};
    p.with_lse();
    const std::string name = "ragged " + std::to_string(page_tokens);
    const auto& want = expected_of(name, p);
    for (std::size_t i = 0; i < 6 * 32; ++i) ASSERT_EQ(tessera::bits_of(want[i]), 0u);
    for (std::size_t i = 0; i < 6; ++i) ASSERT_EQ(want[18 * 32 + i], -inf);
    for (std::size_t s = 0; s < 3; ++s)
      for (std::size_t t = static_cast<std::size_t>(p.lengths[s]); t < 17; ++t) {
        const std::size_t outer =
            page_tokens == 0 ? s : static_cast<std::size_t>(p.table[3 * s + t / 8]);
        p.k.poison(outer, 0, page_tokens == 0 ? t : t % 8);
        p.v.poison(outer, 0, page_tokens == 0 ? t : t % 8);
      }
    ASSERT_TRUE(same_bits(p.answer<TypeParam>(), want)) << name;
  }
}

/// A masked key may hold anything, in a block that others see and in one that nobody does.
TYPED_TEST(AttentionCases, MaskedKeysHoldNaN) {
  for (const FormatId format : {FormatId::f32, FormatId::f16, FormatId::q8_0}) {
    AttentionCase c{4, 2, 3, 200, 32, 32, format, format};
    AttentionProblem p(c);
    p.with_mask(true, 1, 1, 0);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 200; ++j)
        if (j % 7 == 3 || (j >= 64 && j < 128) || (i == 1 && j > 150)) p.mask32[i * 200 + j] = -inf;
    p.set_mask(true).with_lse();
    const std::string name = "masked " + std::to_string(static_cast<int>(format));
    const auto want = expected_of(name, p);
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t j = 0; j < 200; ++j)
        if (j % 7 == 3 || (j >= 64 && j < 128)) p.k.poison(0, h, j), p.v.poison(0, h, j);
    ASSERT_TRUE(same_bits(p.answer<TypeParam>(), want)) << name;
    // A value that one of the queries does not see is NaN to the others alone.
    p.v.poison(0, 0, 180);
    const auto got = p.answer<TypeParam>();
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = (h * 3 + i) * 32 + 5;
        ASSERT_EQ(std::isnan(got[at]), i != 1) << h << " " << i;
        ASSERT_TRUE(i != 1 || same_bits(got[at], want[at]));
      }
  }
}

TYPED_TEST(AttentionCases, FullyMaskedRows) {
  for (const bool sink : {false, true}) {
    AttentionCase c{2, 1, 2, 70, 32, 32};
    AttentionProblem p(c);
    p.with_mask(false, 1, 1, 8).with_lse();
    p.mask32[70 + 69] = 0.0f;  // the second query sees the last key alone
    if (sink) p.with_sinks();
    const auto got = p.answer<TypeParam>();
    ASSERT_TRUE(matches(got, p.expected()));
    for (std::size_t h = 0; h < 2; ++h) {
      for (std::size_t d = 0; d < 32; ++d) ASSERT_EQ(tessera::bits_of(got[h * 64 + d]), 0u);
      ASSERT_EQ(got[4 * 32 + h * 2], sink ? p.sinks[h] : -inf);
    }
  }
}

/// Any cut at multiples of the block, in any order, gives the bits of one call; others are refused.
TYPED_TEST(AttentionCases, SplitsOfTheKeys) {
  for (const FormatId format : {FormatId::f32, FormatId::q8_0}) {
    AttentionCase c{4, 2, 3, 300, 32, 32, format, format};
    c.causal = true, c.offset = 250, c.sequences = 2;
    AttentionProblem p(c);
    p.lengths = {300, 100};
    p.with_mask(true).with_sinks().with_gate().with_lse();
    const auto want = expected_of("split " + std::to_string(static_cast<int>(format)), p);
    for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{0, 300},
                                                 {0, 64, 300},
                                                 {0, 128, 128, 192, 500},
                                                 {0, 64, 128, 192, 256, 300},
                                                 {0, 0, 256, 300, 300}}) {
      p.out.buffer().poison();
      for (float& x : p.lse) x = nan;
      p.with_args([&](auto& a) {
        const std::size_t parts = cuts.size() - 1;
        std::vector<GuardedBuffer<float>> partials;
        std::vector<tessera::AttentionPart> all;
        for (std::size_t i = 0; i < parts; ++i)
          partials.emplace_back(tessera::partial_size(a, {cuts[i], cuts[i + 1]}));
        const std::size_t n = tessera::units(a);
        for (std::size_t i = parts; i-- > 0;)
          for (std::size_t u = n; u-- > 0;)
            ASSERT_EQ(tessera::attention_blocks<TypeParam>(a, {cuts[i], cuts[i + 1]},
                                                           partials[i].span(), {u, u + 1}),
                      Status::ok);
        ASSERT_TRUE(p.out.buffer().untouched());
        for (std::size_t i = 0; i < parts; ++i) {
          ASSERT_TRUE(partials[i].untouched_outside());
          all.push_back({{cuts[i], cuts[i + 1]}, partials[i].span()});
        }
        const std::size_t m = tessera::merge_units(a);
        ASSERT_EQ(tessera::attention_merge<TypeParam>(a, all, {m / 2, m}), Status::ok);
        ASSERT_EQ(tessera::attention_merge<TypeParam>(a, all, {0, m / 2}), Status::ok);
      });
      ASSERT_TRUE(same_bits(p.answered(), want));
    }
  }
}

TYPED_TEST(AttentionCases, RefusedSplits) {
  AttentionCase c{1, 1, 1, 130, 32, 32};
  AttentionProblem p(c);
  std::vector<float> partials(3 * 34);
  p.with_args([&](auto& a) {
    using tessera::KeyRange;
    const auto blocks = [&](KeyRange keys, std::size_t floats) {
      return tessera::attention_blocks<TypeParam>(a, keys, std::span(partials).first(floats),
                                                  {0, 1});
    };
    for (const KeyRange keys : {KeyRange{1, 64}, KeyRange{0, 63}, KeyRange{64, 65},
                                KeyRange{128, 64}, KeyRange{32, 130}}) {
      ASSERT_EQ(blocks(keys, 102), Status::key_split);
      ASSERT_EQ(tessera::partial_size(a, keys), 0u);
    }
    ASSERT_EQ(blocks({0, 130}, 101), Status::workspace_too_small);
    ASSERT_EQ(blocks({0, 130}, 102), Status::ok);
    ASSERT_EQ(tessera::attention_blocks<TypeParam>(a, {0, 130}, partials, {0, 2}),
              Status::bad_unit_range);
    ASSERT_EQ(tessera::attention_blocks<TypeParam>(
                  a, {0, 130}, {const_cast<float*>(p.q.row(0, 0)), 102}, {0, 1}),
              Status::overlap);
    const auto merged = [&](std::initializer_list<KeyRange> ranges, std::size_t floats = 102) {
      std::vector<tessera::AttentionPart> parts;
      for (const KeyRange r : ranges) parts.push_back({r, std::span(partials).first(floats)});
      return tessera::attention_merge<TypeParam>(a, parts, {0, 1});
    };
    ASSERT_EQ(merged({}), Status::key_split);
    ASSERT_EQ(merged({{0, 64}}), Status::key_split);
    ASSERT_EQ(merged({{64, 130}}), Status::key_split);
    ASSERT_EQ(merged({{0, 64}, {128, 130}}), Status::key_split);
    ASSERT_EQ(merged({{0, 128}, {64, 130}}), Status::key_split);
    ASSERT_EQ(merged({{0, 128}, {128, 129}}), Status::key_split);
    ASSERT_EQ(merged({{0, 130}}, 101), Status::workspace_too_small);
    ASSERT_TRUE(p.out.buffer().untouched());
    ASSERT_EQ(merged({{0, 130}}), Status::ok);
  });
}

/// Units alone give what all of them give.
TYPED_TEST(AttentionCases, UnitsOfBatches) {
  AttentionCase c{4, 2, 40, 70, 32, 32, FormatId::q8_0, FormatId::q8_0};
  c.sequences = 2, c.causal = true, c.offset = 30;
  AttentionProblem p(c);
  const auto want = expected_of("units", p);
  p.out.buffer().poison();
  p.with_args([&](auto& a) {
    const std::size_t n = tessera::units(a);
    ASSERT_EQ(n, 8u);
    for (std::size_t u = n; u-- > 0;)
      ASSERT_EQ(tessera::attention<TypeParam>(a, {u, u + 1}), Status::ok);
  });
  ASSERT_TRUE(same_bits(p.answered(), want));
}

/// Blocks of the caches are decoded once per key head and tile of queries, and not where a mask hides
/// them from all of the tile.
TEST(AttentionDecodes, OncePerKeyHeadAndTileOfQueries) {
  using Emulated = tessera::backend::emu<tessera::ime::k1, Decodes>;
  for (const bool masked : {false, true}) {
    AttentionCase c{8, 2, 32, 256, 64, 32, FormatId::q8_0, FormatId::q8_0};
    AttentionProblem p(c);
    if (masked) {
      p.with_mask(true, 1, 1, 0);
      for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 64; j < 192; ++j) p.mask32[i * 256 + j] = -inf;
      p.set_mask(true);
    }
    Decodes::blocks = 0;
    p.answer<Emulated>();
    const std::size_t keys = masked ? 128 : 256;
    const std::size_t tiles = 2;  // 16 queries x 4 heads are 64 rows
    ASSERT_EQ(Decodes::blocks, 2 * tiles * keys * (64 + 32) / 32);
  }
}

/// Rows of codes whose scales lie apart, between guard pages; one more row, which is not read.
template <class F>
struct ScaledRows {
  std::size_t heads;
  std::size_t tokens;
  std::size_t dim;
  GuardedBuffer<typename F::Block> blocks;
  GuardedBuffer<float> scales;

  ScaledRows(std::size_t h, std::size_t t, std::size_t d, bool per_channel, std::uint64_t seed)
      : heads(h),
        tokens(t),
        dim(d),
        blocks(h * t * d / F::group),
        scales(per_channel ? h * d : std::size_t{1}) {
    Random random(seed);
    for (auto& b : blocks) b = static_cast<typename F::Block>(random.below(256));
    for (float& s : scales) s = random.uniform(0.005f, 0.05f);
  }
  tessera::HeadView<const typename F::Block> view() const {
    const auto row = static_cast<std::ptrdiff_t>(dim / F::group);
    return {blocks.data(),
            heads,
            tokens,
            dim / F::group,
            row * static_cast<std::ptrdiff_t>(tokens),
            row};
  }
  float scale(std::size_t h, std::size_t e) const {
    return scales[scales.size() == 1 ? 0 : h * dim + e];
  }
  /// The codes of a head, times their scales or not.
  std::vector<float> values(std::size_t h, bool scaled) const {
    std::vector<float> all;
    for (std::size_t i = h * tokens * dim; i < (h + 1) * tokens * dim; ++i) {
      const int byte = blocks[i / F::group];
      const int code = F::group == 1 ? byte : ((byte >> (i % 2 * 4)) & 15) - 8;
      all.push_back(static_cast<float>(code) * (scaled ? scale(h, i % dim) : 1.0f));
    }
    return all;
  }
};

struct ScaledCase {
  std::size_t heads;
  std::size_t key_heads;
  std::size_t queries;
  std::size_t keys;
  std::size_t dk;
  std::size_t dv;
  bool per_channel;
  Query query;
};

template <class K, class V>
struct ScaledProblem {
  ScaledCase c;
  Heads q;
  ScaledRows<K> k;
  ScaledRows<V> v;
  Heads out;

  explicit ScaledProblem(const ScaledCase& of)
      : c(of),
        q(of.heads, of.queries, of.dk),
        k(of.key_heads, of.keys, of.dk, of.per_channel, 31),
        v(of.key_heads, of.keys, of.dv, of.per_channel, 32),
        out(of.heads, of.queries, of.dv) {
    q.fill_with(33);
  }
  tessera::AttentionArgs<K, V> args() {
    tessera::AttentionArgs<K, V> a;
    a.q = q.input(), a.k = k.view(), a.v = v.view(), a.out = out.view();
    a.scale = 0.1f, a.query = c.query;
    a.k_scales = k.scales.span(), a.v_scales = v.scales.span();
    return a;
  }
  template <class B>
  std::vector<float> answer() {
    auto a = args();
    GuardedWorkspace workspace(tessera::workspace_size(a));
    a.workspace = workspace.get();
    out.buffer().poison();
    EXPECT_EQ(tessera::attention<B>(a), Status::ok);
    EXPECT_TRUE(workspace.untouched_outside());
    EXPECT_TRUE(out.untouched_outside());
    return out.values();
  }
  reference::Expected expected() const {
    reference::Expected want;
    const bool full = c.query == Query::full;
    for (std::size_t h = 0; h < c.heads; ++h) {
      const std::size_t key_head = h / (c.heads / c.key_heads);
      const auto keys = k.values(key_head, full);
      const auto values = v.values(key_head, true);
      for (std::size_t t = 0; t < c.queries; ++t) {
        std::vector<float> row(q.row(h, t), q.row(h, t) + c.dk);
        if (!full) {
          for (std::size_t e = 0; e < c.dk; ++e) row[e] *= k.scale(key_head, e);
          const auto quantized = reference::quantize_row(row.data(), c.dk);
          for (std::size_t e = 0; e < c.dk; ++e) row[e] = static_cast<float>(quantized.value[e]);
        }
        reference::Scoring how;
        how.scale = 0.1f;
        how.bias.assign(c.keys, 0.0);
        reference::attention(row.data(), {keys.data(), static_cast<std::ptrdiff_t>(c.dk)},
                             {values.data(), static_cast<std::ptrdiff_t>(c.dv)}, c.dk, c.dv, how,
                             want);
      }
    }
    return want;
  }
};

template <class B, class K, class V>
void expect_scaled(const ScaledCase& c) {
  ScaledProblem<K, V> p(c);
  static std::map<std::size_t, std::vector<float>> known;
  auto [at, is_new] = known.try_emplace(c.dk * 1000 + c.keys);
  if (is_new) {
    at->second = p.template answer<tessera::backend::scalar>();
    EXPECT_TRUE(matches(at->second, p.expected())) << c.dk << " " << c.keys;
  }
  ASSERT_TRUE(same_bits(p.template answer<B>(), at->second)) << c.dk << " " << c.keys;
}

TYPED_TEST(AttentionCases, CodesWhoseScalesLieApart) {
  using B = TypeParam;
  using Int8 = tessera::ScaledInt8;
  using Int4 = tessera::ScaledInt4;
  expect_scaled<B, Int8, Int8>({4, 2, 5, 130, 64, 96, true, Query::quantized});
  expect_scaled<B, Int8, Int8>({2, 1, 2, 65, 77, 33, false, Query::full});
  expect_scaled<B, Int4, Int4>({3, 1, 1, 70, 96, 34, false, Query::quantized});
  expect_scaled<B, Int4, Int4>({2, 2, 3, 66, 78, 100, true, Query::full});
  expect_scaled<B, Int8, tessera::ScaledInt4>({8, 1, 9, 64, 32, 80, true, Query::quantized});
}

TEST(ScaledCodes, RefusedAndCounted) {
  using tessera::ScaledInt4;
  using tessera::ScaledInt8;
  ScaledProblem<ScaledInt8, ScaledInt4> p({8, 2, 32, 64, 64, 32, true, Query::quantized});
  auto a = p.args();
  GuardedWorkspace workspace(tessera::workspace_size(a));
  const auto restore = [&] { a = p.args(), a.workspace = workspace.get(); };
  const auto refused = [&](Status want) {
    EXPECT_EQ(tessera::attention<tessera::backend::scalar>(a), want);
    EXPECT_TRUE(p.out.buffer().untouched());
    EXPECT_TRUE(workspace.untouched());
    restore();
  };
  restore();
  for (auto* scales : {&a.k_scales, &a.v_scales}) {
    *scales = {};
    refused(Status::null_pointer);
    *scales = scales->first(scales->size() - 1);
    refused(Status::shape_mismatch);
    *scales = scales->first(2);
    refused(Status::shape_mismatch);
    *scales = {shifted(scales->data(), 1), 1};
    refused(Status::misaligned);
    *scales = {p.out.row(0, 3), 1};
    refused(Status::overlap);
  }
  a.q.dim = a.k.dim = 33;  // no whole group, but whole bytes
  a.k_scales = a.k_scales.first(1);
  refused(Status::group_multiple);
  a.v.dim -= 1;
  refused(Status::shape_mismatch);
  AttentionCase c{1, 1, 1, 1, 32, 32, FormatId::q8_0, FormatId::q8_0};
  AttentionProblem rows(c);
  rows.with_args([&](auto& of) {
    of.k_scales = p.k.scales.span();
    EXPECT_EQ(tessera::check<tessera::backend::scalar>(of), Status::shape_mismatch);
  });
  using Emulated = tessera::backend::emu<tessera::ime::k1, Decodes>;
  Decodes::blocks = 0;
  p.answer<Emulated>();
  EXPECT_EQ(Decodes::blocks, 2u * 2 * 64 * (64 + 32 / 2));  // key heads, tiles of queries
}

/// Slopes by hand: 12 heads are 8 with the powers of 2^-1 and 4 between them.
TEST(AlibiSlopes, TwelveHeads) {
  std::vector<float> slopes(12);
  tessera::alibi_slopes(8.0f, slopes);
  for (std::size_t h = 0; h < 8; ++h)
    EXPECT_EQ(slopes[h], std::ldexp(1.0f, -static_cast<int>(h) - 1));
  for (std::size_t h = 8; h < 12; ++h)
    EXPECT_EQ(slopes[h],
              static_cast<float>(std::pow(2.0, -0.5 * (2.0 * static_cast<double>(h - 8) + 1))));
  tessera::alibi_slopes(0.0f, slopes);
  for (const float s : slopes) EXPECT_EQ(s, 1.0f);
}

}  // namespace
}  // namespace tessera_test
