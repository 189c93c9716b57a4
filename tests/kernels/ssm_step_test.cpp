// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The decode steps on one backend per flavour: the bits of their parts, float64 reference, sequences, units,
// refusals. Their parts have tests on every backend, the identity suite has the steps on all.
#include "tessera/ssm_step.hpp"

#include <cmath>
#include <functional>
#include <type_traits>

#include "tests/kernels/step_harness.hpp"

namespace tessera_test {
namespace {

static_assert(!std::is_default_constructible_v<tessera::GatedDeltaNetStepArgs>);  // its head map

using B = tessera::default_backend;

constexpr StepShape step_shapes[] = {
    {false, 1, 1, 1, 1, 2},          {false, 4, 16, 2, 8},
    {false, 6, 50, 3, 5, 3, false},  {false, 5, 80, 1, 16, 9},
    {true, 1, 1, 1, 1, 2},           {true, 4, 16, 2, 16},
    {true, 4, 33, 2, 7, 5, false},   {true, 4, 8, 2, 8, 4, true, 8, true},
    {true, 2, 300, 1, 5, 3, true, 0}};

TEST(SsmStep, BitsOfItsParts) {
  for (const StepShape& s : step_shapes) {
    Stepping p(s);
    const auto got = p.fused<B>();
    ASSERT_TRUE(matches(got, p.expected())) << s;
    ASSERT_TRUE(same_bits(got, p.parts())) << s;
    for (const std::size_t slices : {1, 2, 7})
      ASSERT_TRUE(same_bits(got, p.fused<B>(slices))) << s << " slices " << slices;
    for (const bool channel_major : {true, false})
      ASSERT_TRUE(same_bits(got, Stepping(s, {channel_major, StateOrder::reduction}).fused<B>()))
          << s;
  }
}

/// Tokens and slots in any order; a sequence without a token and a token of no sequence.
TEST(SsmStep, Sequences) {
  const std::vector<Sequence> list = {{2, 1, 1}, {0, 1, 3}, {1, 0, 0}, {3, 1, 2}};
  for (const StepShape& s : {StepShape{false, 6, 50, 2, 4}, StepShape{true, 4, 9, 2, 6}})
    for (const bool channel_major : {false, true}) {
      Stepping p(s, {channel_major, StateOrder::outputs}, 4, 5, list);
      for (std::size_t c = 0; c < p.channels; ++c) p.x[c] = nan;  // of slot 3 alone
      const auto want = p.parts();
      const auto got = p.fused<B>(3);
      ASSERT_TRUE(same_bits(got, want)) << s;
      ASSERT_TRUE(is_poison(p.y[p.own]));
      ASSERT_TRUE(std::isnan(got[0]));
      ASSERT_FALSE(std::isnan(got[2 * p.own]));
    }
}

template <class Args>
void expect_refused(Stepping& p, Status want, const std::function<void(Args&)>& spoil) {
  p.restore();
  p.with_step<B>([&](auto args, auto kernel, auto phase_kernel) {
    if constexpr (std::is_same_v<decltype(args), Args>) {
      GuardedWorkspace workspace(tessera::workspace_size(args));
      args.workspace = workspace.get();
      const auto before = p.results();
      spoil(args);
      EXPECT_EQ(tessera::check<B>(args), want);
      EXPECT_EQ(kernel(args), want);
      EXPECT_EQ(phase_kernel(args, 1, tessera::UnitRange{0, 1}), want);
      EXPECT_TRUE(p.y.untouched());
      EXPECT_TRUE(same_bits(p.results(), before));
      EXPECT_TRUE(workspace.untouched());
    }
  });
}

/// What both refuse. `in` is the view of the channels, `out` that of the outputs.
template <class Args>
void expect_both_refuse(Stepping& p, tessera::ChannelView<const float> Args::* in,
                        tessera::HeadView<float> Args::* out,
                        tessera::ChannelView<const float> Args::* step) {
  const auto refused = [&](Status want, const std::function<void(Args&)>& spoil) {
    expect_refused<Args>(p, want, spoil);
  };
  refused(Status::empty_shape, [=](Args& a) { (a.*out).heads = 0; });
  refused(Status::shape_too_large, [=](Args& a) { (a.*out).heads = SIZE_MAX / 8; });
  refused(Status::shape_mismatch, [=](Args& a) { (a.*in).channels -= 1; });
  refused(Status::shape_mismatch, [=](Args& a) { (a.*in).tokens = 3; });
  refused(Status::shape_mismatch, [](Args& a) { a.weight.channels -= 1; });
  refused(Status::shape_mismatch, [=](Args& a) { (a.*step).channels = 3; });
  refused(Status::position_range, [](Args& a) { a.weight.tokens = 10; });
  refused(Status::position_range, [](Args& a) { a.conv_states.slots = 1; });
  refused(Status::position_range, [](Args& a) { a.states.slots = 1; });
  refused(Status::null_pointer, [=](Args& a) { (a.*in).data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.weight.data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.conv_states.data = nullptr; });
  refused(Status::null_pointer, [](Args& a) { a.states.data = nullptr; });
  refused(Status::null_pointer, [=](Args& a) { (a.*out).data = nullptr; });
  refused(Status::misaligned, [=](Args& a) { (a.*step).data = shifted((a.*step).data, 1); });
  refused(Status::misaligned, [](Args& a) { a.bias = shifted(a.bias, 2); });
  refused(Status::stride_too_small, [=](Args& a) { (a.*out).token_stride = 1; });
  refused(Status::stride_too_small, [](Args& a) { a.conv_states.row_stride = 1; });
  refused(Status::stride_too_small, [](Args& a) { a.states.slot_stride = 1; });
  refused(Status::overlap, [=](Args& a) { (a.*in).data = (a.*out).data; });
  refused(Status::overlap, [](Args& a) { a.states.data = a.conv_states.data; });
  refused(Status::overlap, [=](Args& a) { (a.*out).data = a.states.data; });
  refused(Status::overlap, [](Args& a) { a.bias = a.conv_states.data; });
  refused(Status::workspace_too_small, [](Args& a) { a.workspace.shared = {}; });
  refused(Status::scratch_too_small, [](Args& a) { a.workspace.scratch = {}; });
  const Sequence two[] = {{0, 2, 0}}, same[] = {{0, 1, 1}, {1, 1, 1}};
  refused(Status::position_range, [&](Args& a) { a.sequences = two; });
  refused(Status::overlap, [&](Args& a) { a.sequences = same; });
}

TEST(SsmStep, Mamba2Refused) {
  using Args = tessera::Mamba2StepArgs;
  Stepping p({false, 4, 8, 2, 4}, {}, 2, 2, {{0, 1, 1}, {1, 1, 0}});
  expect_both_refuse(p, &Args::xbc, &Args::y, &Args::dt);
  const auto refused = [&](Status want, const std::function<void(Args&)>& spoil) {
    expect_refused<Args>(p, want, spoil);
  };
  refused(Status::head_ratio, [](Args& a) { a.groups = 3; });
  refused(Status::empty_shape, [](Args& a) { a.state_size = 0; });
  refused(Status::shape_mismatch, [](Args& a) { a.a.tokens = 4; });
  refused(Status::shape_mismatch, [](Args& a) { a.z.dim = 7; });
  refused(Status::not_finite, [](Args& a) { a.dt_max = nan; });
  refused(Status::position_range, [](Args& a) { a.dt_min = 9.0f; });
}

TEST(SsmStep, GatedDeltaNetRefused) {
  using Args = tessera::GatedDeltaNetStepArgs;
  Stepping p({true, 4, 8, 2, 4}, {}, 2, 2, {{0, 1, 1}, {1, 1, 0}});
  expect_both_refuse(p, &Args::qkv, &Args::out, &Args::beta);
  const auto refused = [&](Status want, const std::function<void(Args&)>& spoil) {
    expect_refused<Args>(p, want, spoil);
  };
  refused(Status::head_ratio, [](Args& a) { a.key_heads = 3; });
  refused(Status::empty_shape, [](Args& a) { a.key_size = 0; });
  refused(Status::shape_mismatch, [](Args& a) { a.log_gate.dim = 2; });
  refused(Status::not_finite, [](Args& a) { a.eps = nan; });
  refused(Status::not_finite, [](Args& a) { a.scale = inf; });
  refused(Status::position_range, [](Args& a) { a.eps = -1.0f; });
}

TEST(SsmStep, PhasesAndUnits) {
  Stepping p({false, 6, 50, 2, 4}, {}, 2, 2, {{0, 1, 1}, {1, 1, 0}});
  auto args = p.mamba2();
  GuardedWorkspace workspace(tessera::workspace_size(args));
  args.workspace = workspace.get();
  ASSERT_EQ(tessera::phases(args), 2u);
  ASSERT_EQ(tessera::units(args, 0), 4u);
  ASSERT_EQ(tessera::units(args, 1), 4u);
  EXPECT_EQ(tessera::mamba2_step_phase<B>(args, 2, {0, 1}), Status::bad_phase);
  EXPECT_EQ(tessera::mamba2_step_phase<B>(args, 0, {0, 5}), Status::bad_unit_range);
  EXPECT_TRUE(p.y.untouched());
}

}  // namespace
}  // namespace tessera_test
