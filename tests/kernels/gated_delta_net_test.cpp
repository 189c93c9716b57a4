// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// gated_delta_net on every backend: gates per head, per key and none, both head maps, refusals.
#include "tessera/gated_delta_net.hpp"

#include <cmath>
#include <type_traits>

#include "tests/kernels/recurrence_harness.hpp"
#include "tests/support/slowed.hpp"

namespace tessera_test {
namespace {

template <class B>
class GatedDeltaNet : public OnBackend<B> {};
TYPED_TEST_SUITE(GatedDeltaNet, FloatBackends, BackendName);

constexpr auto delta = Recurring::delta;
constexpr RecurringShape delta_shapes[] = {
    {delta, 1, 1, 1, 1, 2},
    {delta, 4, 2, 16, 16, 5},
    {delta, 4, 2, 7, 33, 19, 1, false},
    {delta, 2, 2, 64, 64, 20},
    {delta, 3, 1, 16, 16, 4, 16},
    {delta, 2, 1, 33, 70, 18, 33},
    {delta, 2, 2, 5, 300, 3, 0},
    {delta, 1, 1, 128, 128, 35},
    {delta, 6, 3, 8, 15, 33, 0},
    {delta, 32, 16, 16, 16, 2, 16},
};

TYPED_TEST(GatedDeltaNet, EveryShape) {
  for (const RecurringShape& s : delta_shapes) expect_right<TypeParam>(s);
}

TYPED_TEST(GatedDeltaNet, SequencesAndSnapshots) {
  expect_sequences_apart<TypeParam>({delta, 4, 2, 6, 9, 21});
  expect_sequences_apart<TypeParam>({delta, 4, 2, 6, 9, 21, 6, false});
}

// Which map a model has must be said.
static_assert(!std::is_default_constructible_v<tessera::HeadMap>);
static_assert(!std::is_default_constructible_v<tessera::GatedDeltaNetArgs>);

/// Two key heads, four value heads: the state says which key head wrote it.
TYPED_TEST(GatedDeltaNet, BothHeadMaps) {
  for (const bool modulo : {true, false}) {
    Recurring1 p({delta, 4, 2, 1, 1, 1, 0, modulo});
    p.write = {0.25f, 0.5f};
    p.value.assign(4, 1.0f), p.beta.assign(4, 1.0f), p.before.assign(4, 0.0f);
    p.restore();
    const auto got = p.template run<TypeParam>().results();
    for (std::size_t h = 0; h < 4; ++h)
      ASSERT_EQ(got[4 + h], (modulo ? h % 2 : h / 2) == 0 ? 0.25f : 0.5f);
  }
}

TYPED_TEST(GatedDeltaNet, NonFiniteStaysInItsHead) {
  const RecurringShape s = {delta, 4, 4, 8, 8, 3};
  const auto clean = Recurring1(s).run<TypeParam>().results();
  Recurring1 p(s);
  p.beta[4 + 1] = nan;  // head 1, token 1
  const auto got = p.template run<TypeParam>().results();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool state = i >= 3 * 32;
    const std::size_t head = state ? (i - 96) / 64 : i / 8 % 4;
    if (head == 1 && i >= 32) {
      ASSERT_TRUE(std::isnan(got[i])) << i;
    } else {
      ASSERT_TRUE(same_bits(got[i], clean[i])) << i;
    }
  }
}

Recurring1 in_chunks(const RecurringShape& s, RecurringLayout l = {},
                     std::vector<Sequence> list = {}, std::size_t slots = 1) {
  Recurring1 p(s, l, std::move(list), slots);
  p.algorithm = tessera::DeltaNetAlgorithm::chunked;
  return p;
}

TYPED_TEST(GatedDeltaNet, ChunkedAgreesWithSequential) {
  for (const std::size_t tokens : lengths_around(tessera::delta_net_chunk))
    for (const RecurringShape& s : {RecurringShape{delta, 2, 1, 17, 19, tokens, 0},
                                    RecurringShape{delta, 2, 2, 9, 19, tokens, 9},
                                    RecurringShape{delta, 2, 1, 130, 5, tokens, 1}}) {
      const auto want = Recurring1(s).template run<TypeParam>().results();
      const auto got = in_chunks(s).template run<TypeParam>().results();
      ASSERT_TRUE(matches(got, Recurring1(s).expected())) << s;
      ASSERT_TRUE(within_norm(got, want, 2e-6)) << s;
      ASSERT_TRUE(same_bits(got, in_chunks(s).template run<tessera::backend::scalar>().results()))
          << s;
      ASSERT_TRUE(same_bits(
          got, in_chunks(s, {StateOrder::reduction, true}).template run<TypeParam>(2).results()))
          << s;
    }
}

/// Gates and betas as models have them, over many tokens.
TYPED_TEST(GatedDeltaNet, ChunkedOverManyTokens) {
  for (const std::size_t gates : {1, 8}) {
    const RecurringShape s = {delta, 1, 1, 8, 8, 8192, gates};
    const auto want = Recurring1(s).template run<TypeParam>().results();
    const auto got = in_chunks(s).template run<TypeParam>().results();
    ASSERT_TRUE(within_norm(got, want, 2e-6)) << s;
  }
}

/// All gates the same, from everything kept to nothing; with one repeated key of unit length, so that a
/// chunk's deltas all hang on each other.
TYPED_TEST(GatedDeltaNet, ChunkedAtTheExtremes) {
  for (const float log : {0.0f, -1e-6f, -10.0f, -316.0f})
    for (const float beta : {1e-3f, 0.999f}) {
      Recurring1 want({delta, 1, 1, 8, 5, 64}), got = in_chunks(want.s);
      for (Recurring1* p : {&want, &got}) {
        p->gate.assign(p->gate.size(), log), p->beta.assign(p->beta.size(), beta);
        for (std::size_t i = 8; i < p->write.size(); ++i) p->write[i] = p->write[i % 8];
        p->template run<TypeParam>();
      }
      for (const float v : got.results()) ASSERT_TRUE(std::isfinite(v)) << log << " " << beta;
      ASSERT_TRUE(within_norm(got.results(), want.results(), 2e-6)) << log << " " << beta;
    }
}

TYPED_TEST(GatedDeltaNet, ChunkedUnitsAndSequences) {
  const RecurringShape s = {delta, 4, 2, 6, 300, 60};
  const std::vector<Sequence> list = {{55, 5, 2}, {0, 53, 0}, {54, 0, 1}};
  const auto whole = in_chunks(s, {}, list, 3).template run<TypeParam>(5).results();
  for (const Sequence& one : list) {
    const auto alone = in_chunks(s, {}, {one}, 3).template run<TypeParam>().results();
    const std::size_t row = s.heads * s.values, size = s.heads * s.keys * s.values;
    ASSERT_TRUE(same_bits(std::span(alone).subspan(one.first * row, one.tokens * row),
                          std::span(whole).subspan(one.first * row, one.tokens * row)));
    ASSERT_TRUE(same_bits(std::span(alone).subspan(s.tokens * row + one.slot * size, size),
                          std::span(whole).subspan(s.tokens * row + one.slot * size, size)));
  }
}

TYPED_TEST(GatedDeltaNet, ChunkedNonFiniteStaysBehind) {
  const RecurringShape s = {delta, 2, 2, 8, 8, 20};
  const auto clean = in_chunks(s).template run<TypeParam>().results();
  for (const int which : {0, 1, 2, 3, 4}) {
    Recurring1 p = in_chunks(s);  // head 1, token 10
    std::vector<float>* operands[] = {&p.read, &p.write, &p.value, &p.gate, &p.beta};
    const std::size_t dims[] = {8, 8, 8, 1, 1};
    (*operands[which])[(10 * 2 + 1) * dims[which]] = nan;
    const auto got = p.template run<TypeParam>().results();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool state = i >= 20 * 16;
      const std::size_t head = state ? (i - 320) / 64 : i / 8 % 2;
      if (head == 0 || i < 10 * 16) {
        ASSERT_TRUE(same_bits(got[i], clean[i])) << which << " " << i;
      }
    }
    ASSERT_TRUE(std::isnan(got[10 * 16 + 8])) << which;
  }
}

TYPED_TEST(GatedDeltaNet, Refused) {
  using Args = tessera::GatedDeltaNetArgs;
  Recurring1 p({delta, 4, 2, 8, 6, 5}, {StateOrder::outputs, false, 1}, {{0, 2, 1}, {2, 3, 0}}, 2);
  GuardedWorkspace workspace(tessera::workspace_size(p.delta_args()));
  const auto refused = [&](Status want, auto spoil) {
    p.restore();
    Args a = p.delta_args();
    a.workspace = workspace.get();
    spoil(a);
    EXPECT_EQ(tessera::check<TypeParam>(a), want);
    EXPECT_EQ(tessera::gated_delta_net<TypeParam>(a), want);
    EXPECT_TRUE(p.out.untouched());
    EXPECT_TRUE(p.kept.untouched());
    EXPECT_TRUE(workspace.untouched());
    EXPECT_TRUE(same_bits(std::span<const float>(p.states.span()), p.before));
  };
  refused(Status::ok, [&](Args& a) { a.sequences = {}; });
  refused(Status::empty_shape, [](Args& a) { a.v.heads = 0; });
  refused(Status::empty_shape, [](Args& a) { a.k.dim = 0; });
  refused(Status::shape_mismatch, [](Args& a) { a.q.heads = 4; });
  refused(Status::shape_mismatch, [](Args& a) { a.log_gate.dim = 7; });
  refused(Status::shape_mismatch, [](Args& a) { a.beta.channels = 2; });
  refused(Status::shape_mismatch, [](Args& a) { a.out.dim = 5; });
  refused(Status::head_ratio, [](Args& a) { a.k.heads = a.q.heads = 3; });
  for (const auto field : {&Args::q, &Args::k, &Args::v, &Args::log_gate}) {
    if (field != &Args::log_gate)
      refused(Status::null_pointer, [&](Args& a) { (a.*field).data = nullptr; });
    refused(Status::misaligned, [&](Args& a) { (a.*field).data = shifted((a.*field).data, 1); });
    refused(Status::shape_too_large, [&](Args& a) { (a.*field).token_stride = PTRDIFF_MAX; });
    refused(Status::overlap, [&](Args& a) { (a.*field).data = a.out.data; });
    refused(Status::overlap, [&](Args& a) { (a.*field).data = a.states.data; });
    refused(Status::overlap, [&](Args& a) { (a.*field).data = a.snapshots.data; });
  }
  refused(Status::null_pointer, [](Args& a) { a.beta.data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.out.data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.states.data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.snapshots.data = nullptr; });
  refused(Status::overlap, [](Args& a) { a.beta.data = a.states.data; });
  refused(Status::stride_too_small, [](Args& a) { a.out.token_stride = 23; });
  refused(Status::stride_too_small, [](Args& a) { a.states.slot_stride = 191; });
  refused(Status::stride_too_small, [](Args& a) { a.snapshots.sequence_stride = 0; });
  refused(Status::position_range, [](Args& a) { a.states.slots = 1; });
  refused(Status::position_range,  // with snapshots
          [](Args& a) { a.algorithm = tessera::DeltaNetAlgorithm::chunked; });
  refused(Status::not_finite, [](Args& a) { a.scale = nan; });
  refused(Status::not_finite, [](Args& a) { a.scale = -inf; });
  refused(Status::scratch_too_small, [](Args& a) { a.workspace.scratch = {}; });
}

}  // namespace
}  // namespace tessera_test
