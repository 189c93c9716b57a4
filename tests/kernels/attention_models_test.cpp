// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// attention in the shapes that models have, by name, and its precision at many keys.
#include <algorithm>
#include <cmath>

#include "tests/kernels/attention_problem.hpp"
#include "tests/support/slowed.hpp"

namespace tessera_test {
namespace {

using tessera::Query;

template <class B>
class AttentionModels : public OnBackend<B> {};
TYPED_TEST_SUITE(AttentionModels, FloatBackends, BackendName);

template <class B>
void expect_right(AttentionProblem& p) {
  const auto got = p.answer<B>();
  ASSERT_TRUE(matches(got, p.expected()));
  ASSERT_TRUE(same_bits(got, p.answer<tessera::backend::scalar>()));
}

/// Queries that are the last tokens.
AttentionCase decoding(std::size_t heads, std::size_t key_heads, std::size_t dim, FormatId format) {
  AttentionCase c{heads, key_heads, 3, 200, dim, dim, format, format};
  c.causal = true;
  c.offset = 197;
  c.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  return c;
}

/// An embedding encoder: no causal mask; five of six layers see 256 keys to both sides.
TYPED_TEST(AttentionModels, EmbeddingEncoder) {
  for (const bool windowed : {true, false})
    for (const FormatId format : {FormatId::f16, FormatId::q8_0}) {
      AttentionCase c{3, 1, 9, 600, 256, 256, format, format};
      c.offset = 290, c.scale = 0.0625f, c.token_major = true;
      if (windowed) c.before = c.after = 256;
      AttentionProblem p(c);
      expect_right<TypeParam>(p);
    }
}

/// Qwen3-30B-A3B: 32 query heads on 4 key heads.
TYPED_TEST(AttentionModels, GroupsOfEight) {
  AttentionProblem p(decoding(32, 4, 128, FormatId::q8_0));
  expect_right<TypeParam>(p);
}

/// A hybrid's full-attention layer: the output is gated.
TYPED_TEST(AttentionModels, GatedHybrid) {
  AttentionProblem p(decoding(16, 2, 256, FormatId::f16));
  p.with_gate();
  expect_right<TypeParam>(p);
}

/// DeepSeek: one latent row of 576 per token is the key, its first 512 elements are the value.
TYPED_TEST(AttentionModels, LatentRows) {
  AttentionCase c = decoding(20, 1, 576, FormatId::q8_0);
  c.dv = 512, c.keys = 100, c.offset = 97;
  AttentionProblem p(c);
  for (std::size_t t = 0; t < c.keys; ++t)
    std::copy_n(p.k.value(0, 0, t), c.dv, p.v.value(0, 0, t));
  using F = tessera::format::q8_0;
  std::vector<float> got;
  const auto run = [&]<class B>(tessera::Type<B>) {
    p.out.buffer().poison();
    auto args = p.args<F, F>();
    args.v = args.k;
    args.v.dim = c.dv / F::group;
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    EXPECT_EQ(tessera::attention<B>(args), Status::ok);
    return p.answered();
  };
  got = run(tessera::Type<TypeParam>{});
  ASSERT_TRUE(matches(got, p.expected()));
  ASSERT_TRUE(same_bits(got, run(tessera::Type<tessera::backend::scalar>{})));
}

TYPED_TEST(AttentionModels, AlibiOfTwelveHeads) {
  AttentionProblem p(decoding(12, 12, 64, FormatId::q8_0));
  p.with_slopes();
  expect_right<TypeParam>(p);
}

/// Sinks, and a window of 128 in every other layer.
TYPED_TEST(AttentionModels, Sinks) {
  for (const bool windowed : {true, false}) {
    AttentionCase c = decoding(16, 2, 64, FormatId::q8_0);
    if (windowed) c.before = 127;
    AttentionProblem p(c);
    p.with_sinks();
    expect_right<TypeParam>(p);
  }
}

/// Head sizes of models: any for floats, whole blocks for others.
TYPED_TEST(AttentionModels, HeadSizes) {
  const std::size_t sizes[][2] = {{40, 40},   {64, 64},   {72, 72},   {80, 80},
                                  {96, 96},   {100, 100}, {112, 112}, {128, 128},
                                  {192, 128}, {320, 256}, {512, 512}};
  for (const auto& s : sizes)
    for (const FormatId format : {FormatId::f16, FormatId::q8_0}) {
      AttentionCase c{2, 1, 2, 66, s[0], s[1], format, format};
      c.scale = 0.1f;
      if (format == FormatId::q8_0 && (s[0] % 32 != 0 || s[1] % 32 != 0)) {
        c.dk = c.dv = 32;
        AttentionProblem p(c);
        auto args = p.args<tessera::format::q8_0, tessera::format::q8_0>();
        args.q.dim = s[0];
        ASSERT_EQ(tessera::check<TypeParam>(args), Status::group_multiple);
        args.q.dim = 32, args.out.dim = s[1], args.out.head_stride = args.out.token_stride = 2000;
        args.out.tokens = args.q.tokens = 1;
        ASSERT_EQ(tessera::check<TypeParam>(args), Status::group_multiple);
        continue;
      }
      AttentionProblem p(c);
      expect_right<TypeParam>(p);
    }
}

/// Against float64 on the same stored data.
TYPED_TEST(AttentionModels, PrecisionAtManyKeys) {
  struct Wanted {
    FormatId format;
    Query query;
    double nmse;
  };
  for (const Wanted& w :
       {Wanted{FormatId::f16, Query::full, 1e-12}, Wanted{FormatId::q8_0, Query::quantized, 3e-6},
        Wanted{FormatId::q8_0, Query::full, 1e-12}}) {
    AttentionCase c{2, 1, 1, slowed ? 2048 : 16384, 128, 128, w.format, w.format, w.query};
    c.scale = 0.088388347f;
    AttentionProblem p(c);
    p.q.fill_with(1, Fill::uniform);
    p.k.fill(2, Fill::uniform);
    p.v.fill(3, Fill::uniform);
    const auto got = p.answer<TypeParam>();
    p.c.query = Query::full;  // the exact answer knows no quantised query
    EXPECT_TRUE(within(worst_row_nmse(got, p.expected().value, 128), w.nmse));
  }
}

}  // namespace
}  // namespace tessera_test
