// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// ssm_conv on every backend: float64 reference, scalar's bits, splits, snapshots, orders, refusals.
#include "tessera/ssm_conv.hpp"

#include <algorithm>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/ssm_conv.hpp"

namespace tessera_test {
namespace {

using tessera::Sequence;

template <class B>
class SsmConv : public OnBackend<B> {};
TYPED_TEST_SUITE(SsmConv, FloatBackends, BackendName);

/// One problem between guard pages. All tensors have the same order: time-major, or channel-major.
struct Conv {
  std::size_t channels;
  std::size_t width;
  std::size_t tokens;
  std::size_t slots = 1;
  bool channel_major = false;
  std::size_t kept = 0;  ///< snapshots
  std::vector<Sequence> sequences = {{0, tokens, 0}};
  GuardedBuffer<float> x{tokens * channels};
  GuardedBuffer<float> w{width * channels};
  GuardedBuffer<float> bias{channels};
  GuardedBuffer<float> y{tokens * channels};
  GuardedBuffer<float> states{slots * (width - 1) * channels};
  GuardedBuffer<float> snapshots{8 * kept * (width - 1) * channels};
  tessera::SsmConvArgs args = {};

  template <class T>
  tessera::ChannelView<T> view(T* data, std::size_t rows) const {
    return channel_major ? tessera::channel_major(data, rows, channels)
                         : tessera::time_major(data, rows, channels);
  }
  /// The same values in any order.
  void fill_rows(GuardedBuffer<float>& b, std::size_t rows, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t c = 0; c < channels; ++c) *view(b.data(), rows).at(t, c) = random.gaussian();
  }
  Conv& draw(std::uint64_t seed = 1) {
    fill_rows(x, tokens, seed);
    fill_rows(w, width, seed + 1);
    Random random(seed + 2);
    fill(bias.span(), Fill::gaussian, random);
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t i = 0; i + 1 < width; ++i)
        for (std::size_t c = 0; c < channels; ++c) *state(s, i, c) = random.gaussian();
    restore();
    return *this;
  }
  void restore() {
    const auto n = static_cast<std::ptrdiff_t>(channels);
    const auto rows = static_cast<std::ptrdiff_t>(width - 1);
    args.x = view<const float>(x.data(), tokens);
    args.weight = view<const float>(w.data(), width);
    args.bias = bias.data();
    args.y = view(y.data(), tokens);
    args.sequences = sequences;
    args.states = {states.data(), slots, rows * n, channel_major ? 1 : n, channel_major ? rows : 1};
    args.snapshots = {snapshots.data(),
                      kept,
                      static_cast<std::ptrdiff_t>(kept) * rows * n,
                      rows * n,
                      channel_major ? 1 : n,
                      channel_major ? rows : 1};
  }
  float* state(std::size_t slot, std::size_t i, std::size_t c) {
    const std::size_t in = channel_major ? c * (width - 1) + i : i * channels + c;
    return states.data() + slot * (width - 1) * channels + in;
  }
  template <class B>
  void run(tessera::UnitRange range) {
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    ASSERT_EQ(tessera::ssm_conv<B>(args, range), Status::ok);
    ASSERT_TRUE(workspace.untouched_outside());
  }
  template <class B>
  Conv& run() {
    run<B>({0, tessera::units(args)});
    return *this;
  }
  /// Outputs, then states, in time-major order.
  std::vector<float> results() {
    std::vector<float> all;
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t c = 0; c < channels; ++c) all.push_back(*view(y.data(), tokens).at(t, c));
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t i = 0; i + 1 < width; ++i)
        for (std::size_t c = 0; c < channels; ++c) all.push_back(*state(s, i, c));
    return all;
  }
  /// What results() must be; to be asked before the run.
  reference::Expected expected() {
    reference::Expected want;
    want.value.resize(tokens * channels), want.limit.resize(tokens * channels);
    std::vector<double> after(slots * (width - 1) * channels);
    for (const Sequence& q : sequences)
      for (std::size_t c = 0; c < channels; ++c) {
        std::vector<float> line, taps;
        for (std::size_t i = 0; i + 1 < width; ++i) line.push_back(*state(q.slot, i, c));
        for (std::size_t t = 0; t < q.tokens; ++t) line.push_back(*args.x.at(q.first + t, c));
        for (std::size_t k = 0; k < width; ++k) taps.push_back(*args.weight.at(k, c));
        reference::Expected one;
        for (std::size_t t = 0; t < q.tokens; ++t)
          reference::ssm_conv(line.data() + t, taps.data(), width,
                              args.bias == nullptr ? 0.0f : args.bias[c], args.silu, one);
        for (std::size_t t = 0; t < q.tokens; ++t) {
          want.value[(q.first + t) * channels + c] = one.value[t];
          want.limit[(q.first + t) * channels + c] = one.limit[t];
        }
        for (std::size_t i = 0; i + 1 < width; ++i)
          after[(q.slot * (width - 1) + i) * channels + c] = double{line[q.tokens + i]};
      }
    want.value.insert(want.value.end(), after.begin(), after.end());
    want.limit.resize(want.value.size());
    return want;
  }
};

TYPED_TEST(SsmConv, EveryShape) {
  for (std::size_t width = 2; width <= 9; ++width)
    for (const std::size_t tokens : {1, 2, 3, 4, 5, 8, 17, 35})
      for (const std::size_t channels : {1, 15, 16, 33, 70, 257}) {
        if (channels > 70 && width != 4) continue;
        const bool silu = (tokens + channels) % 2 == 0;
        const auto make = [&](bool channel_major) {
          Conv p{channels, width, tokens, 1, channel_major};
          p.draw(channels).args.silu = silu;
          if (tokens == 5) p.args.bias = nullptr;
          return p;
        };
        Conv p = make(false);
        const auto want = p.expected();
        const auto got = p.template run<TypeParam>().results();
        ASSERT_TRUE(matches(got, want)) << width << " " << tokens << " " << channels;
        ASSERT_TRUE(same_bits(got, make(false).template run<tessera::backend::scalar>().results()));
        Conv other = make(true);
        ASSERT_TRUE(same_bits(got, other.template run<TypeParam>().results()));
        ASSERT_EQ(tessera::conv_access(p.args), tessera::ConvAccess::in_place);
        if (channels > 1) {
          ASSERT_EQ(tessera::conv_access(other.args), tessera::ConvAccess::gathered);
        }
      }
}

/// Columns of a wider buffer between others' columns, which are poisoned; each tensor in an order of its own.
TYPED_TEST(SsmConv, ViewsOfOneBuffer) {
  constexpr std::size_t channels = 21, row = 50;
  for (const std::size_t tokens : {1, 2, 7, 70}) {
    Conv p{channels, 4, tokens};
    const auto want = p.draw().template run<TypeParam>().results();
    GuardedBuffer<float> wide(tokens * row);
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t c = 0; c < channels; ++c) wide[t * row + 9 + c] = p.x[t * channels + c];
    std::vector<float> taps(4 * channels), rows(3 * channels), y(tokens * channels);
    for (std::size_t i = 0; i < 4 * channels; ++i) taps[i % channels * 4 + i / channels] = p.w[i];
    p.draw();
    for (std::size_t i = 0; i < 3 * channels; ++i)
      rows[i % channels * 3 + i / channels] = p.states[i];
    for (const bool transposed : {false, true}) {
      p.draw();
      p.args.x = {wide.data() + 9, tokens, channels, row, 1};
      if (transposed) {
        p.args.weight = tessera::channel_major<const float>(taps.data(), 4, channels);
        p.args.y = tessera::channel_major(y.data(), tokens, channels);
        p.args.states = {rows.data(), 1, 0, 1, 3};
      }
      p.template run<TypeParam>({0, tessera::units(p.args)});
      for (std::size_t i = 0; i < tokens * channels; ++i)
        ASSERT_TRUE(same_bits(*p.args.y.at(i / channels, i % channels), want[i])) << tokens;
      for (std::size_t i = 0; i < 3 * channels; ++i)
        ASSERT_TRUE(same_bits(transposed ? rows[i % channels * 3 + i / channels] : p.states[i],
                              want[tokens * channels + i]));
    }
  }
}

TYPED_TEST(SsmConv, SplitsOfASequence) {
  const std::size_t tokens = 9;
  for (const std::size_t width : {2, 3, 4, 5, 9}) {
    Conv whole{21, width, tokens};
    const auto want = whole.draw().template run<TypeParam>().results();
    for (std::size_t cut = 0; cut <= tokens; ++cut) {
      Conv parts{21, width, tokens};
      parts.draw();
      for (const Sequence part : {Sequence{0, cut, 0}, Sequence{cut, tokens - cut, 0}}) {
        parts.args.sequences = {&part, 1};
        parts.template run<TypeParam>();
      }
      ASSERT_TRUE(same_bits(parts.results(), want)) << width << " cut at " << cut;
    }
  }
}

/// Sequences of unlike lengths, a gap between them, an unused slot; each as if alone.
TYPED_TEST(SsmConv, SequencesAndSnapshots) {
  const std::size_t channels = 37;
  const std::vector<Sequence> sequences = {{7, 1, 2}, {0, 6, 3}, {8, 0, 1}, {8, 11, 0}};
  Conv all{channels, 4, 19, 5, false, 3, sequences};
  all.draw();
  const std::vector<float> before = all.results();
  const auto state_size = 3 * channels;
  for (const std::size_t poisoned : {0, 1, 3}) {
    Conv p{channels, 4, 19, 5, false, 3, sequences};
    p.draw();
    const Sequence& bad = sequences[poisoned];
    for (std::size_t t = 0; t < bad.tokens; ++t) p.x[(bad.first + t) * channels + 5] = nan;
    p.template run<TypeParam>();
    all.draw().template run<TypeParam>();
    for (std::size_t q = 0; q < sequences.size(); ++q) {
      if (q == poisoned) continue;
      const Sequence& s = sequences[q];
      ASSERT_TRUE(same_bits(p.y.span().subspan(s.first * channels, s.tokens * channels),
                            all.y.span().subspan(s.first * channels, s.tokens * channels)));
      ASSERT_TRUE(same_bits(p.states.span().subspan(s.slot * state_size, state_size),
                            all.states.span().subspan(s.slot * state_size, state_size)));
    }
  }
  ASSERT_TRUE(all.y.untouched_except(0, 19 * channels));
  ASSERT_TRUE(is_poison(all.y[6 * channels]));  // of no sequence
  const auto after = all.results();
  for (const std::size_t slot : {1, 4})
    ASSERT_TRUE(
        same_bits(std::span(after).subspan(19 * channels + slot * state_size, state_size),
                  std::span(before).subspan(19 * channels + slot * state_size, state_size)));

  // A snapshot is the state of a shorter run; those from before the first token stay unwritten.
  for (std::size_t q = 0; q < sequences.size(); ++q)
    for (std::size_t s = 0; s < 3; ++s) {
      const auto got = all.snapshots.span().subspan((q * 3 + s) * state_size, state_size);
      if (s >= sequences[q].tokens) {
        for (const float& v : got) ASSERT_TRUE(is_poison(v));
        continue;
      }
      Conv shorter{channels, 4, 19, 5, false, 0, {sequences[q]}};
      shorter.draw();
      shorter.sequences[0].tokens -= s;
      shorter.restore();
      shorter.template run<TypeParam>();
      ASSERT_TRUE(same_bits(
          got, shorter.states.span().subspan(sequences[q].slot * state_size, state_size)));
    }
}

TYPED_TEST(SsmConv, Units) {
  const std::vector<Sequence> sequences = {{0, 5, 1}, {5, 3, 0}};
  Conv whole{600, 4, 8, 2, false, 0, sequences};
  const auto want = whole.draw().template run<TypeParam>().results();
  const std::size_t n = tessera::units(whole.args);
  ASSERT_EQ(n, 6u);
  for (std::size_t count = 1; count <= n; ++count) {
    Conv p{600, 4, 8, 2, false, 0, sequences};
    p.draw();
    for (std::size_t i = count; i-- > 0;) p.template run<TypeParam>(tessera::Slice{i, count}.of(n));
    ASSERT_TRUE(same_bits(p.results(), want)) << count;
  }
  ASSERT_EQ(tessera::ssm_conv<TypeParam>(whole.args, {0, n + 1}), Status::bad_unit_range);
}

TYPED_TEST(SsmConv, NonFiniteInputsStayInTheirChannel) {
  Conv p{20, 4, 10};
  p.draw();
  const auto clean = p.template run<TypeParam>().results();
  p.draw();
  p.x[3 * 20 + 7] = inf;
  const auto got = p.template run<TypeParam>().results();
  for (std::size_t t = 0; t < 10; ++t)
    for (std::size_t c = 0; c < 20; ++c) {
      const std::size_t i = t * 20 + c;
      if (c == 7 && t >= 3 && t < 7) {
        ASSERT_TRUE(got[i] == inf || got[i] == -inf);
      } else {
        ASSERT_TRUE(same_bits(got[i], clean[i]));
      }
    }
}

TYPED_TEST(SsmConv, Refused) {
  Conv p{20, 4, 10, 2, false, 1, {{0, 4, 0}, {4, 6, 1}}};
  p.draw();
  GuardedWorkspace workspace(tessera::workspace_size(p.args));
  const auto before = p.results();
  const auto refused = [&](Status want, auto spoil) {
    p.restore();
    p.args.workspace = workspace.get();
    spoil(p.args);
    EXPECT_EQ(tessera::check<TypeParam>(p.args), want);
    EXPECT_EQ(tessera::ssm_conv<TypeParam>(p.args), want);
    EXPECT_TRUE(p.y.untouched());
    EXPECT_TRUE(p.snapshots.untouched());
    EXPECT_TRUE(workspace.untouched());
    EXPECT_TRUE(same_bits(p.results(), before));
  };
  refused(Status::empty_shape, [](auto& a) { a.x.channels = 0; });
  refused(Status::shape_mismatch, [](auto& a) { a.x.channels = 19; });
  refused(Status::shape_mismatch, [](auto& a) { a.weight.channels = 19; });
  refused(Status::shape_mismatch, [](auto& a) { a.y.tokens = 9; });
  refused(Status::position_range, [](auto& a) { a.weight.tokens = 1; });
  refused(Status::position_range, [](auto& a) { a.weight.tokens = 10; });
  refused(Status::null_pointer, [](auto& a) { a.x.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.weight.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.y.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.states.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.snapshots.data = nullptr; });
  refused(Status::shape_too_large, [](auto& a) { a.x.token_stride = PTRDIFF_MAX; });
  refused(Status::shape_too_large, [](auto& a) { a.states.row_stride = PTRDIFF_MIN; });
  refused(Status::misaligned, [](auto& a) { a.x.data = shifted(a.x.data, 1); });
  refused(Status::misaligned, [](auto& a) { a.bias = shifted(a.bias, 2); });
  refused(Status::misaligned, [](auto& a) { a.states.data = shifted(a.states.data, 3); });
  refused(Status::stride_too_small, [](auto& a) { a.y.token_stride = 19; });
  refused(Status::stride_too_small, [](auto& a) { a.y.channel_stride = 0; });
  refused(Status::stride_too_small, [](auto& a) { a.states.slot_stride = 59; });
  refused(Status::stride_too_small, [](auto& a) { a.snapshots.sequence_stride = 0; });
  const auto with = [](Sequence b) {
    static Sequence both[2];
    both[0] = {0, 4, 0}, both[1] = b;
    return std::span<const Sequence>(both);
  };
  refused(Status::position_range, [&](auto& a) { a.sequences = with({4, 7, 1}); });
  refused(Status::position_range, [&](auto& a) { a.sequences = with({SIZE_MAX, 2, 1}); });
  refused(Status::position_range, [&](auto& a) { a.sequences = with({4, 6, 2}); });
  refused(Status::overlap, [&](auto& a) { a.sequences = with({4, 6, 0}); });
  refused(Status::overlap, [&](auto& a) { a.sequences = with({3, 6, 1}); });
  refused(Status::overlap, [](auto& a) { a.x.data = a.y.data; });
  refused(Status::overlap, [](auto& a) { a.x.data = a.states.data; });
  refused(Status::overlap, [](auto& a) { a.bias = a.snapshots.data; });
  refused(Status::overlap, [](auto& a) { a.weight.data = a.y.data + 8; });
  refused(Status::scratch_too_small,
          [](auto& a) { a.workspace.scratch = a.workspace.scratch.first(64); });
}

}  // namespace
}  // namespace tessera_test
