// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// ssm_scan on every backend: float64 reference, scalar's bits, layouts, splits, snapshots, refusals.
#include "tessera/ssm_scan.hpp"

#include <cmath>

#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/ssm_scan.hpp"
#include "tests/support/slowed.hpp"

namespace tessera_test {
namespace {

using tessera::Sequence;
using tessera::StateOrder;

template <class B>
class SsmScan : public OnBackend<B> {};
TYPED_TEST_SUITE(SsmScan, FloatBackends, BackendName);

struct ScanShape {
  std::size_t heads, dim, groups, states, tokens;
  bool rate_per_state = false;
  bool rest = true;  ///< d and z
  friend std::ostream& operator<<(std::ostream& out, const ScanShape& s) {
    return out << s.heads << " heads of " << s.dim << ", " << s.groups << " groups, " << s.states
               << " states, " << s.tokens << " tokens, rates " << s.rate_per_state;
  }
};

/// How operands lie in memory.
struct ScanLayout {
  bool one_buffer = false;  ///< x, b and c in the rows of one projection
  bool head_major = false;  ///< x and y: all tokens of a head together
  StateOrder order = StateOrder::outputs;
  std::size_t kept = 0;  ///< snapshots
};

/// One problem; dense values are the same in every layout.
struct Scanning {
  ScanShape s;
  ScanLayout l;
  std::vector<Sequence> sequences;
  std::size_t slots;
  std::size_t columns = s.heads * s.dim;
  std::size_t pitch = columns + 2 * s.groups * s.states;
  std::vector<float> x, dt, a, b, c, d, z, before;
  GuardedBuffer<float> rows{s.tokens * pitch};
  GuardedBuffer<float> y{s.tokens * columns};
  GuardedBuffer<float> states{slots * s.states * columns};
  GuardedBuffer<float> kept{sequences.size() * l.kept * s.states * columns};
  std::vector<float> by_head;
  tessera::SsmScanArgs args = {};

  Scanning(ScanShape shape, ScanLayout layout = {}, std::vector<Sequence> list = {},
           std::size_t slot_count = 1)
      : s(shape),
        l(layout),
        sequences(list.empty() ? std::vector<Sequence>{{0, shape.tokens, 0}} : list),
        slots(slot_count) {
    Random random(s.states + 17);
    const auto drawn = [&](std::size_t n, float low, float high) {
      std::vector<float> v(n);
      for (float& e : v) e = random.uniform(low, high);
      return v;
    };
    x = drawn(s.tokens * columns, -2, 2), dt = drawn(s.tokens * s.heads, -6, 1);
    a = drawn((s.rate_per_state ? s.states : 1) * s.heads, -8, -0.01f);
    b = drawn(s.tokens * s.groups * s.states, -1, 1);
    c = drawn(s.tokens * s.groups * s.states, -1, 1);
    d = drawn(s.heads, -1, 1), z = drawn(s.tokens * columns, -3, 3);
    before = drawn(slots * s.states * columns, -1, 1);
    restore();
  }

  std::ptrdiff_t n(std::size_t i) const { return static_cast<std::ptrdiff_t>(i); }
  tessera::HeadView<const float> heads(const float* p, std::size_t h, std::size_t size,
                                       std::size_t row) const {
    return {p, h, s.tokens, size, n(size), n(row)};
  }
  void restore() {
    args.x = heads(x.data(), s.heads, s.dim, columns);
    args.b = heads(b.data(), s.groups, s.states, s.groups * s.states);
    args.c = heads(c.data(), s.groups, s.states, s.groups * s.states);
    args.y = {y.data(), s.heads, s.tokens, s.dim, n(s.dim), n(columns)};
    if (l.one_buffer) {
      for (std::size_t t = 0; t < s.tokens; ++t) {
        float* row = rows.data() + t * pitch;
        std::copy_n(x.data() + t * columns, columns, row);
        std::copy_n(b.data() + t * s.groups * s.states, s.groups * s.states, row + columns);
        std::copy_n(c.data() + t * s.groups * s.states, s.groups * s.states,
                    row + columns + s.groups * s.states);
      }
      args.x = heads(rows.data(), s.heads, s.dim, pitch);
      args.b = heads(rows.data() + columns, s.groups, s.states, pitch);
      args.c = heads(rows.data() + columns + s.groups * s.states, s.groups, s.states, pitch);
    }
    if (l.head_major) {
      by_head.resize(x.size());
      for (std::size_t t = 0; t < s.tokens; ++t)
        for (std::size_t h = 0; h < s.heads; ++h)
          std::copy_n(x.data() + t * columns + h * s.dim, s.dim,
                      by_head.data() + (h * s.tokens + t) * s.dim);
      args.x = {by_head.data(), s.heads, s.tokens, s.dim, n(s.tokens * s.dim), n(s.dim)};
      args.y = {y.data(), s.heads, s.tokens, s.dim, n(s.tokens * s.dim), n(s.dim)};
    }
    args.dt = tessera::time_major<const float>(dt.data(), s.tokens, s.heads);
    args.a = tessera::time_major<const float>(a.data(), s.rate_per_state ? s.states : 1, s.heads);
    args.d = s.rest ? d.data() : nullptr;
    args.z = s.rest ? heads(z.data(), s.heads, s.dim, columns) : tessera::HeadView<const float>{};
    args.sequences = sequences;
    const std::size_t size = s.states * columns;
    args.states = {states.data(), slots, n(size), l.order};
    args.snapshots = {kept.data(), l.kept, n(l.kept * size), n(size)};
    for (std::size_t i = 0; i < before.size(); ++i) states[place(i)] = before[i];
    y.poison();
    kept.poison();
  }
  /// Where element i of the slots in StateOrder::outputs lies.
  std::size_t place(std::size_t i) const {
    if (l.order == StateOrder::outputs) return i;
    const std::size_t in = i % (s.states * columns);
    return i - in + in % columns * s.states + in / columns;
  }
  template <class B>
  void run(tessera::UnitRange range) {
    GuardedWorkspace workspace(tessera::workspace_size(args));
    args.workspace = workspace.get();
    ASSERT_EQ(tessera::ssm_scan<B>(args, range), Status::ok) << s;
    ASSERT_TRUE(workspace.untouched_outside());
    ASSERT_TRUE(y.untouched_outside());
  }
  template <class B>
  std::vector<float> run() {
    run<B>({0, tessera::units(args)});
    return results();
  }
  /// Outputs by token, then the states in StateOrder::outputs.
  std::vector<float> results() {
    std::vector<float> all;
    for (std::size_t t = 0; t < s.tokens; ++t)
      for (std::size_t h = 0; h < s.heads; ++h)
        all.insert(all.end(), args.y.row(h, t), args.y.row(h, t) + s.dim);
    for (std::size_t i = 0; i < before.size(); ++i) all.push_back(states[place(i)]);
    return all;
  }
  reference::Expected expected() const {
    reference::Scan r = {s.heads,  s.dim,     s.groups, s.states, s.tokens, s.rate_per_state,
                         x.data(), dt.data(), a.data(), b.data(), c.data()};
    r.d = args.d, r.z = s.rest ? z.data() : nullptr, r.state = before.data();
    r.softplus = args.softplus;
    r.dt_min = double{args.dt_min}, r.dt_max = double{args.dt_max};
    return reference::ssm_scan(r);
  }
};

constexpr ScanShape shapes[] = {
    {1, 1, 1, 1, 1},
    {4, 2, 2, 3, 5},
    {6, 16, 3, 8, 3},
    {3, 33, 1, 5, 17},
    {2, 64, 1, 128, 4},
    {5, 80, 5, 16, 2, false, false},
    {40, 1, 1, 16, 20, true},
    {7, 5, 7, 4, 9, true},
    {300, 1, 2, 3, 4, true, false},
    {70, 1, 1, 4, 18, false},
    {9, 31, 3, 2, 33, false, false},
};

TYPED_TEST(SsmScan, EveryShapeAndLayout) {
  for (const ScanShape& s : shapes) {
    Scanning p(s);
    const auto got = p.run<TypeParam>();
    ASSERT_TRUE(matches(got, p.expected())) << s;
    ASSERT_TRUE(same_bits(got, Scanning(s).run<tessera::backend::scalar>())) << s;
    for (const StateOrder order : {StateOrder::outputs, StateOrder::reduction}) {
      ASSERT_TRUE(same_bits(got, Scanning(s, {true, false, order}).run<TypeParam>())) << s;
      ASSERT_TRUE(same_bits(got, Scanning(s, {false, true, order}).run<TypeParam>())) << s;
    }
  }
}

TYPED_TEST(SsmScan, StepsWithoutSoftplusAndWithLimits) {
  // Lanes within one head, across heads, and one channel per head; rates per head and per state.
  for (const ScanShape& s : {ScanShape{2, 64, 1, 4, 6}, ScanShape{4, 8, 1, 4, 6},
                             ScanShape{40, 1, 1, 4, 6, true}, ScanShape{40, 1, 1, 4, 6}}) {
    Scanning p(s);
    for (float& v : p.dt) v = std::fabs(v);
    p.args.dt_min = 0.5f, p.args.dt_max = 2.0f;
    std::vector<float> with, without;
    for (const bool softplus : {true, false}) {
      p.restore();
      p.args.softplus = softplus;
      auto& got = softplus ? with : without;
      got = p.run<TypeParam>();
      ASSERT_TRUE(matches(got, p.expected())) << s;
    }
    ASSERT_FALSE(same_bits(with, without)) << s;
  }
}

/// Its shorter way to multiply by 2^n changes no bit, down to subnormal decays.
TYPED_TEST(SsmScan, DecaysAreExp) {
  Random random(5);
  std::vector<float> x(4000), got(x.size()), want(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i % 3 == 0 ? random.uniform(-106, -86) : random.uniform(-120, 40);
  x[0] = nan, x[1] = -inf, x[2] = 0.0f, x[3] = -0.0f;
  TypeParam::Vectors::template for_lanes<1>(x.size(), [&](auto d, std::size_t i) {
    d.store(got.data() + i, tessera::exp_decay(d, d.load(x.data() + i)));
    d.store(want.data() + i, tessera::exp(d, d.load(x.data() + i)));
  });
  ASSERT_TRUE(same_bits(got, want));
}

TYPED_TEST(SsmScan, ChunkedAgreesWithSequential) {
  for (const std::size_t tokens : lengths_around(tessera::scan_chunk))
    for (const ScanShape& s : {ScanShape{4, 17, 2, 5, tokens}, ScanShape{2, 64, 1, 16, tokens}}) {
      Scanning sequential(s), p(s), scalar(s), transposed(s, {true, false, StateOrder::reduction});
      for (Scanning* each : {&sequential, &p, &scalar, &transposed}) {
        // What models really have: from nearly nothing kept to nearly all.
        for (std::size_t h = 0; h < s.heads; ++h) each->a[h] = h == 0 ? -316 : h == 1 ? -1e-6f : -1;
        if (each != &sequential) each->args.algorithm = tessera::ScanAlgorithm::chunked;
      }
      const auto want = sequential.template run<TypeParam>();
      const auto got = p.template run<TypeParam>();
      ASSERT_TRUE(matches(got, p.expected())) << s;
      ASSERT_TRUE(within_norm(got, want, 2e-6)) << s;
      ASSERT_TRUE(same_bits(got, scalar.template run<tessera::backend::scalar>())) << s;
      ASSERT_TRUE(same_bits(got, transposed.template run<TypeParam>())) << s;
    }
  Scanning sequential({2, 8, 1, 8, 8192}), p({2, 8, 1, 8, 8192});
  p.args.algorithm = tessera::ScanAlgorithm::chunked;
  ASSERT_TRUE(within_norm(p.template run<TypeParam>(), sequential.template run<TypeParam>(), 2e-6));
}

TYPED_TEST(SsmScan, ChunkedUnitsAndSequences) {
  const ScanShape s = {6, 50, 2, 4, 60};
  const std::vector<Sequence> list = {{55, 5, 2}, {0, 53, 0}};
  Scanning whole(s, {}, list, 3), p(s, {}, list, 3);
  whole.args.algorithm = p.args.algorithm = tessera::ScanAlgorithm::chunked;
  const auto want = whole.template run<TypeParam>();
  for (std::size_t u = tessera::units(p.args); u-- > 0;) p.template run<TypeParam>({u, u + 1});
  ASSERT_TRUE(same_bits(p.results(), want));
  Scanning alone(s, {}, {list[0]}, 3);
  alone.args.algorithm = tessera::ScanAlgorithm::chunked;
  const auto one = alone.template run<TypeParam>();
  ASSERT_TRUE(same_bits(std::span(one).subspan(55 * 300, 5 * 300),
                        std::span(want).subspan(55 * 300, 5 * 300)));
}

/// The groups are blocks of heads: b of group g is g + 1, so y says which group a head read.
TYPED_TEST(SsmScan, GroupsAreBlocksOfHeads) {
  Scanning p({4, 3, 2, 1, 1, false, false});
  p.args.softplus = false;
  p.dt.assign(4, 1.0f), p.x.assign(12, 1.0f), p.c.assign(2, 1.0f);
  p.b = {1, 2};
  p.before.assign(12, 0.0f);
  p.restore();
  const auto got = p.run<TypeParam>();
  for (std::size_t i = 0; i < 12; ++i) ASSERT_EQ(got[i], i < 6 ? 1.0f : 2.0f);
}

TYPED_TEST(SsmScan, SplitsOfASequenceAndUnits) {
  const ScanShape cut_shapes[] = {{6, 50, 2, 4, 9}, {300, 1, 1, 4, 9, true}};
  for (const ScanShape& s : cut_shapes) {
    const auto want = Scanning(s).run<TypeParam>();
    for (std::size_t cut = 0; cut <= s.tokens; ++cut) {
      Scanning p(s);
      for (const Sequence part : {Sequence{0, cut, 0}, Sequence{cut, s.tokens - cut, 0}}) {
        p.args.sequences = {&part, 1};
        p.run<TypeParam>();
      }
      ASSERT_TRUE(same_bits(p.results(), want)) << s << " cut at " << cut;
    }
    Scanning p(s);
    const std::size_t n = tessera::units(p.args);
    ASSERT_EQ(n, 2u);
    p.run<TypeParam>({1, 2});
    p.run<TypeParam>({0, 1});
    ASSERT_TRUE(same_bits(p.results(), want)) << s;
    ASSERT_EQ(tessera::ssm_scan<TypeParam>(p.args, {0, 3}), Status::bad_unit_range);
  }
}

/// Sequences of unlike lengths in any slots, each as if alone, whatever poisons another.
TYPED_TEST(SsmScan, SequencesAndSnapshots) {
  const std::vector<Sequence> list = {{7, 1, 2}, {0, 6, 3}, {9, 0, 1}, {9, 12, 0}};
  static_assert(tessera::state_access(StateOrder::outputs) == tessera::StateAccess::in_place);
  static_assert(tessera::state_access(StateOrder::reduction) == tessera::StateAccess::transposed);
  for (const ScanShape& s : {ScanShape{4, 9, 2, 6, 21}, ScanShape{36, 1, 1, 6, 21, true}})
    for (const StateOrder order : {StateOrder::outputs, StateOrder::reduction}) {
      const std::size_t size = s.states * s.heads * s.dim;
      Scanning all(s, {false, false, order, 3}, list, 5);
      for (std::size_t i = 0; i < 36; ++i) all.x[3 * 36 + i] = nan;  // of sequence 1 alone
      all.restore();
      const auto got = all.run<TypeParam>();
      ASSERT_TRUE(is_poison(all.y[7 * 36 - 36]));  // token 6 is of no sequence
      for (std::size_t q = 0; q < list.size(); ++q)
        for (std::size_t k = 0; k < 3; ++k) {
          const auto kept = all.kept.span().subspan((q * 3 + k) * size, size);
          if (k >= list[q].tokens) {
            for (const float& v : kept) ASSERT_TRUE(is_poison(v));
            continue;
          }
          if (q == 1) continue;
          Scanning one(s, {false, false, order}, {list[q]}, 5);
          one.sequences[0].tokens -= k;
          one.restore();
          const auto want = one.run<TypeParam>();
          ASSERT_TRUE(same_bits(kept, one.states.span().subspan(list[q].slot * size, size)));
          if (k == 0) {
            ASSERT_TRUE(
                same_bits(std::span(got).subspan(list[q].first * 36, list[q].tokens * 36),
                          std::span(want).subspan(list[q].first * 36, list[q].tokens * 36)));
          }
        }
      for (const std::size_t slot : {1, 4})
        ASSERT_TRUE(same_bits(std::span(got).last(5 * size).subspan(slot * size, size),
                              std::span(all.before).subspan(slot * size, size)));
    }
}

TYPED_TEST(SsmScan, NonFiniteStaysInItsHead) {
  const ScanShape s = {4, 8, 1, 4, 3};
  const auto clean = Scanning(s).run<TypeParam>();
  Scanning p(s);
  p.dt[4 + 1] = nan;  // head 1, token 1
  const auto got = p.run<TypeParam>();
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool later = i < 32 ? false : true;
    if (i / 8 % 4 == 1 && later) {
      ASSERT_TRUE(std::isnan(got[i])) << i;
    } else {
      ASSERT_TRUE(same_bits(got[i], clean[i])) << i;
    }
  }
}

TYPED_TEST(SsmScan, Refused) {
  Scanning p({4, 8, 2, 4, 6}, {false, false, StateOrder::outputs, 1}, {{0, 2, 1}, {2, 4, 0}}, 2);
  GuardedWorkspace workspace(tessera::workspace_size(p.args));
  const auto before = p.results();
  const auto refused = [&](Status want, auto spoil) {
    p.restore();
    p.args.dt_min = 0.0f, p.args.dt_max = inf;
    p.args.algorithm = tessera::ScanAlgorithm::sequential;
    p.args.workspace = workspace.get();
    spoil(p.args);
    EXPECT_EQ(tessera::check<TypeParam>(p.args), want);
    EXPECT_EQ(tessera::ssm_scan<TypeParam>(p.args), want);
    EXPECT_TRUE(p.y.untouched());
    EXPECT_TRUE(p.kept.untouched());
    EXPECT_TRUE(workspace.untouched());
    EXPECT_TRUE(same_bits(std::span(p.states.span()), p.before));
  };
  refused(Status::empty_shape, [](auto& a) { a.x.heads = 0; });
  refused(Status::empty_shape, [](auto& a) { a.b.dim = 0; });
  refused(Status::empty_shape, [](auto& a) { a.b.heads = 0; });
  refused(Status::shape_mismatch, [](auto& a) { a.y.dim = 7; });
  refused(Status::shape_mismatch, [](auto& a) { a.z.heads = 3; });
  refused(Status::shape_mismatch, [](auto& a) { a.dt.tokens = 5; });
  refused(Status::shape_mismatch, [](auto& a) { a.a.tokens = 3; });
  refused(Status::shape_mismatch, [](auto& a) { a.c.dim = 3; });
  refused(Status::shape_mismatch, [](auto& a) { a.b.tokens = 5; });
  refused(Status::head_ratio, [](auto& a) { a.b.heads = a.c.heads = 3; });
  for (const auto field : {&tessera::SsmScanArgs::x, &tessera::SsmScanArgs::b,
                           &tessera::SsmScanArgs::c, &tessera::SsmScanArgs::z}) {
    if (field != &tessera::SsmScanArgs::z)
      refused(Status::null_pointer, [&](auto& a) { (a.*field).data = nullptr; });
    refused(Status::misaligned, [&](auto& a) { (a.*field).data = shifted((a.*field).data, 1); });
    refused(Status::shape_too_large, [&](auto& a) { (a.*field).token_stride = PTRDIFF_MAX; });
    refused(Status::overlap, [&](auto& a) { (a.*field).data = a.y.data; });
    refused(Status::overlap, [&](auto& a) { (a.*field).data = a.states.data; });
  }
  refused(Status::null_pointer, [](auto& a) { a.dt.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.a.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.y.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.states.data = nullptr; });
  refused(Status::null_pointer, [](auto& a) { a.snapshots.data = nullptr; });
  refused(Status::misaligned, [](auto& a) { a.d = shifted(a.d, 2); });
  refused(Status::overlap, [](auto& a) { a.d = a.snapshots.data; });
  refused(Status::stride_too_small, [](auto& a) { a.y.token_stride = 31; });
  refused(Status::stride_too_small, [](auto& a) { a.states.slot_stride = 127; });
  refused(Status::stride_too_small, [](auto& a) { a.snapshots.sequence_stride = -127; });
  refused(Status::not_finite, [](auto& a) { a.dt_min = nan; });
  refused(Status::not_finite, [](auto& a) { a.dt_max = nan; });
  refused(Status::position_range, [](auto& a) { a.dt_min = 2.0f, a.dt_max = 1.0f; });
  refused(Status::position_range, [](auto& a) { a.states.slots = 1; });
  refused(Status::position_range,  // with snapshots
          [](auto& a) { a.algorithm = tessera::ScanAlgorithm::chunked; });
  refused(Status::scratch_too_small, [](auto& a) { a.workspace.scratch = {}; });
}

}  // namespace
}  // namespace tessera_test
