// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One problem of the recurrences with a matrix per head, for any of the kernels, between guard pages.
#ifndef TESSERA_TESTS_KERNELS_RECURRENCE_HARNESS_HPP_
#define TESSERA_TESTS_KERNELS_RECURRENCE_HARNESS_HPP_

#include <cmath>
#include <vector>

#include "tessera/gated_delta_net.hpp"
#include "tessera/linear_attention.hpp"
#include "tests/kernels/rows_harness.hpp"
#include "tests/reference/recurrence.hpp"

namespace tessera_test {

using reference::Recurring;
using tessera::Sequence;
using tessera::StateOrder;

struct RecurringShape {
  Recurring rule;
  std::size_t heads, key_heads, keys, values, tokens;
  std::size_t gate_width = 1;  ///< delta: 0 none, 1, keys
  bool modulo = true;
  friend std::ostream& operator<<(std::ostream& out, const RecurringShape& s) {
    return out << "rule " << static_cast<int>(s.rule) << " heads " << s.heads << "/" << s.key_heads
               << " dim " << s.keys << "x" << s.values << " tokens " << s.tokens << " gates "
               << s.gate_width;
  }
};

struct RecurringLayout {
  StateOrder order = StateOrder::outputs;
  bool padded = false;   ///< rows of inputs are further apart than they are long
  std::size_t kept = 0;  ///< snapshots
};

struct Recurring1 {
  RecurringShape s;
  RecurringLayout l;
  std::vector<Sequence> sequences;
  std::size_t slots;
  std::vector<float> read, write, value, gate, look, extra, beta, before;
  GuardedBuffer<float> out{s.tokens * s.heads * s.values};
  GuardedBuffer<float> states{slots * size()};
  GuardedBuffer<float> kept{sequences.size() * l.kept * size()};
  std::vector<std::vector<float>> padded;
  tessera::DeltaNetAlgorithm algorithm = tessera::DeltaNetAlgorithm::sequential;
  tessera::States state_view = {};
  tessera::Snapshots kept_view = {};

  std::size_t size() const { return s.heads * s.keys * s.values; }

  Recurring1(RecurringShape shape, RecurringLayout layout = {}, std::vector<Sequence> list = {},
             std::size_t slot_count = 1)
      : s(shape),
        l(layout),
        sequences(list.empty() ? std::vector<Sequence>{{0, shape.tokens, 0}} : list),
        slots(slot_count) {
    Random random(s.keys * 31 + s.values);
    const auto drawn = [&](std::size_t n, float low, float high) {
      std::vector<float> v(n);
      for (float& e : v) e = random.uniform(low, high);
      return v;
    };
    const bool delta = s.rule == Recurring::delta;
    read = drawn(s.tokens * s.key_heads * s.keys, -1, 1);
    write = drawn(s.tokens * s.key_heads * s.keys, -1, 1);
    for (auto* rows : {&read, &write}) normalise(*rows);
    value = drawn(s.tokens * s.heads * s.values, -0.3f, 5);
    const std::size_t gates = s.tokens * s.heads * (delta ? s.gate_width : s.keys);
    gate = delta ? drawn(gates, -3, -1e-4f) : drawn(gates, 0.2f, 1);
    if (delta)  // now and then what models really have: nearly nothing kept, nearly all
      for (std::size_t i = 0; i < gates; i += 5) gate[i] = i % 2 == 0 ? -316.0f : -1e-6f;
    look = drawn(s.tokens * s.heads * s.keys, -0.3f, 0.3f);
    extra = drawn((s.rule == Recurring::rwkv6 ? 1 : s.tokens) * s.heads * s.keys, -0.3f, 0.3f);
    beta = drawn(s.tokens * s.heads, 0, 1);
    before = drawn(slots * size(), -1, 1);
    restore();
  }
  void normalise(std::vector<float>& rows) const {
    for (std::size_t i = 0; i < rows.size(); i += s.keys) {
      double sum = 0;
      for (std::size_t k = 0; k < s.keys; ++k) sum += double{rows[i + k]} * double{rows[i + k]};
      for (std::size_t k = 0; k < s.keys; ++k)
        rows[i + k] = static_cast<float>(double{rows[i + k]} / std::sqrt(sum));
    }
  }
  std::size_t place(std::size_t i) const {
    if (l.order == StateOrder::outputs) return i;
    const std::size_t in = i % (s.keys * s.values);
    return i - in + in % s.values * s.keys + in / s.values;
  }
  void restore() {
    for (std::size_t i = 0; i < before.size(); ++i) states[place(i)] = before[i];
    out.poison();
    kept.poison();
    const auto n = static_cast<std::ptrdiff_t>(size());
    state_view = {states.data(), slots, n, l.order};
    kept_view = {kept.data(), l.kept, n * static_cast<std::ptrdiff_t>(l.kept), n};
  }
  tessera::HeadView<const float> rows(const std::vector<float>& v, std::size_t heads,
                                      std::size_t dim) {
    const auto head = static_cast<std::ptrdiff_t>(dim + (l.padded ? 3 : 0));
    const auto token = static_cast<std::ptrdiff_t>(heads) * head;
    const float* data = v.data();
    if (l.padded) {
      std::vector<float> wide(s.tokens * heads * (dim + 3), nan);
      for (std::size_t r = 0; r < s.tokens * heads; ++r)
        std::copy_n(v.data() + r * dim, dim, wide.data() + r * (dim + 3));
      padded.push_back(std::move(wide));
      data = padded.back().data();
    }
    return {data, heads, s.tokens, dim, head, token};
  }
  template <class Args>
  void set_carried(Args& a) {
    a.k = rows(write, s.key_heads, s.keys), a.v = rows(value, s.heads, s.values);
    a.out = {out.data(),
             s.heads,
             s.tokens,
             s.values,
             static_cast<std::ptrdiff_t>(s.values),
             static_cast<std::ptrdiff_t>(s.heads * s.values)};
    a.sequences = sequences, a.states = state_view, a.snapshots = kept_view;
  }
  tessera::GatedDeltaNetArgs delta_args() {
    tessera::GatedDeltaNetArgs a = {s.modulo ? tessera::HeadMap::modulo()
                                             : tessera::HeadMap::blocks()};
    set_carried(a);
    a.q = rows(read, s.key_heads, s.keys);
    if (s.gate_width != 0) a.log_gate = rows(gate, s.heads, s.gate_width);
    a.beta = tessera::time_major<const float>(beta.data(), s.tokens, s.heads);
    a.scale = scale();
    a.algorithm = algorithm;
    return a;
  }
  tessera::GatedLinearAttentionArgs linear_args() {
    tessera::GatedLinearAttentionArgs a;
    set_carried(a);
    a.q = rows(read, s.heads, s.keys), a.gate = rows(gate, s.heads, s.keys), a.scale = scale();
    return a;
  }
  tessera::Rwkv6Args rwkv6_args() {
    tessera::Rwkv6Args a;
    set_carried(a);
    a.receptance = rows(read, s.heads, s.keys), a.decay = rows(gate, s.heads, s.keys);
    a.bonus = tessera::matrix<const float>(extra.data(), s.heads, s.keys);
    return a;
  }
  tessera::Rwkv7Args rwkv7_args() {
    tessera::Rwkv7Args a;
    set_carried(a);
    a.receptance = rows(read, s.heads, s.keys), a.decay = rows(gate, s.heads, s.keys);
    a.a = rows(look, s.heads, s.keys), a.b = rows(extra, s.heads, s.keys);
    return a;
  }
  float scale() const { return s.rule == Recurring::delta ? 0.25f : 0.5f; }

  /// Calls f(args, kernel) where kernel(args, range) runs the rule's kernel on backend B.
  template <class B, class F>
  void with_kernel(F&& f) {
    switch (s.rule) {
      case Recurring::delta:
        return f(delta_args(),
                 [](const auto& a, auto r) { return tessera::gated_delta_net<B>(a, r); });
      case Recurring::linear:
        return f(linear_args(),
                 [](const auto& a, auto r) { return tessera::gated_linear_attention<B>(a, r); });
      case Recurring::rwkv6:
        return f(rwkv6_args(), [](const auto& a, auto r) { return tessera::rwkv6<B>(a, r); });
      case Recurring::rwkv7:
        return f(rwkv7_args(), [](const auto& a, auto r) { return tessera::rwkv7<B>(a, r); });
    }
  }
  template <class B>
  Recurring1& run(std::size_t slices = 1) {
    with_kernel<B>([&](auto args, auto kernel) {
      GuardedWorkspace workspace(tessera::workspace_size(args));
      args.workspace = workspace.get();
      const std::size_t n = tessera::units(args);
      for (std::size_t i = slices; i-- > 0;)
        ASSERT_EQ(kernel(args, tessera::Slice{i, slices}.of(n)), Status::ok) << s;
      ASSERT_TRUE(workspace.untouched_outside());
    });
    return *this;
  }
  /// Outputs, then the states in StateOrder::outputs.
  std::vector<float> results() {
    std::vector<float> all(out.begin(), out.end());
    for (std::size_t i = 0; i < before.size(); ++i) all.push_back(states[place(i)]);
    return all;
  }
  reference::Expected expected() const {
    reference::Recurrence r = {s.rule,       s.heads,      s.key_heads, s.keys,
                               s.values,     s.tokens,     s.modulo,    read.data(),
                               write.data(), value.data(), gate.data(), s.keys};
    if (s.rule == Recurring::delta) {
      r.gate = s.gate_width == 0 ? nullptr : gate.data();
      r.gate_width = s.gate_width;
    }
    r.beta = beta.data(), r.look = look.data(), r.extra = extra.data();
    r.state = before.data();
    r.scale = s.rule == Recurring::delta || s.rule == Recurring::linear ? double{scale()} : 1.0;
    return reference::recurrence(r);
  }
};

/// The float64 reference, scalar's bits, every layout, splits of tokens and units, sequences, snapshots.
template <class B>
void expect_right(const RecurringShape& s) {
  Recurring1 p(s);
  const auto got = p.template run<B>().results();
  ASSERT_TRUE(matches(got, p.expected())) << s;
  ASSERT_TRUE(same_bits(got, Recurring1(s).run<tessera::backend::scalar>().results())) << s;
  for (const StateOrder order : {StateOrder::outputs, StateOrder::reduction})
    ASSERT_TRUE(same_bits(got, Recurring1(s, {order, true}).run<B>(3).results())) << s;
  // At every token where that is little work.
  const bool small = s.heads * s.keys * s.values <= 1024;
  for (std::size_t cut = 1; cut < s.tokens; cut += small ? 1 : s.tokens / 3 + 1) {
    Recurring1 first(s, {}, {{0, cut, 0}});
    first.template run<B>();
    first.sequences = {{cut, s.tokens - cut, 0}};
    ASSERT_TRUE(same_bits(first.template run<B>().results(), got)) << s << " cut at " << cut;
  }
}

template <class B>
void expect_sequences_apart(RecurringShape s) {
  s.tokens = 21;
  const std::vector<Sequence> list = {{7, 1, 2}, {0, 6, 3}, {9, 0, 1}, {9, 12, 0}};
  const std::size_t row = s.heads * s.values;
  for (const StateOrder order : {StateOrder::outputs, StateOrder::reduction}) {
    Recurring1 all(s, {order, false, 3}, list, 5);
    for (std::size_t i = 0; i < row; ++i) all.value[3 * row + i] = nan;  // of sequence 1 alone
    const auto got = all.template run<B>().results();
    const std::size_t size = all.size();
    ASSERT_TRUE(is_poison(all.out[6 * row]));  // of no sequence
    for (std::size_t q = 0; q < list.size(); ++q)
      for (std::size_t k = 0; k < 3; ++k) {
        const auto kept = all.kept.span().subspan((q * 3 + k) * size, size);
        if (k >= list[q].tokens) {
          for (const float& v : kept) ASSERT_TRUE(is_poison(v));
          continue;
        }
        if (q == 1) continue;
        Recurring1 one(s, {order}, {list[q]}, 5);
        one.sequences[0].tokens -= k;
        one.template run<B>();
        ASSERT_TRUE(same_bits(kept, one.states.span().subspan(list[q].slot * size, size)));
        if (k == 0) {
          ASSERT_TRUE(same_bits(std::span(got).subspan(list[q].first * row, list[q].tokens * row),
                                one.out.span().subspan(list[q].first * row, list[q].tokens * row)));
        }
      }
    for (const std::size_t slot : {1, 4})
      ASSERT_TRUE(same_bits(std::span(got).last(5 * size).subspan(slot * size, size),
                            std::span(all.before).subspan(slot * size, size)));
  }
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_RECURRENCE_HARNESS_HPP_
