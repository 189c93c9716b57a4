// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The sequential recurrence of one head: lanes run across values, keys are scalars.
#ifndef TESSERA_KERNELS_GATED_DELTA_NET_RECURRENCE_HPP_
#define TESSERA_KERNELS_GATED_DELTA_NET_RECURRENCE_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/gated_delta_net/operands.hpp"
#include "tessera/tile/copy_strided.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// A token's rows of keys; `gate` is one element unless gates are per key.
struct TokenRows {
  const float* read;
  const float* write;
  const float* gate;
  const float* look;
  const float* extra;
  const float* value;
  float* out;
  float beta;
};

/// Keys [0, keys) of one stretch of lanes; `state` rows are ld apart.
template <Rule R, bool PerKey, class D>
class StateLanes {
 public:
  using F32 = typename D::F32;
  static constexpr bool looks = R == Rule::delta || R == Rule::pair;

  TESSERA_INLINE StateLanes(D d, float* state, std::ptrdiff_t ld, std::size_t keys) noexcept
      : d_(d), state_(state), ld_(ld), keys_(keys) {}

  /// Sum over ascending keys of look * state.
  TESSERA_INLINE F32 look(const float* with) const noexcept {
    auto sum = d_.set(0.0f);
    const float* m = state_;
    for (const float* end = with + keys_; with != end; ++with, m += ld_)
      sum = d_.fma(*with, d_.load(m), sum);
    return sum;
  }

  /// One token: `seen` is what look() gave for it; becomes what it gives for the token whose look
  /// is `next`, where there is one.
  template <bool Next>
  TESSERA_INLINE void advance(const TokenRows& r, const float* next, float scale,
                              F32& seen) const noexcept {
    auto written = d_.load(r.value);
    if constexpr (R == Rule::delta) written = d_.rounded(d_.mul(r.beta, d_.sub(written, seen)));
    auto out = d_.set(0.0f);
    auto ahead = d_.set(0.0f);
    float* m = state_;
    // Copies, since a store to the state might be one to r for all the compiler knows. Not unrolled: four
    // groups of registers are all there is.
    const float *read = r.read, *write = r.write, *gates = r.gate, *extra = r.extra;
    const float gate = *gates;
    for (const float* end = write + keys_; write != end; ++write, ++read, m += ld_) {
      auto s = d_.load(m);
      if constexpr (R == Rule::bonus) out = d_.fma(*read, d_.fma(*extra, written, s), out);
      s = d_.fma(*write, written, d_.mul(PerKey ? *gates : gate, s));
      if constexpr (R == Rule::pair) s = d_.fma(*extra, seen, s);
      d_.store(m, s);
      if constexpr (R != Rule::bonus) out = d_.fma(*read, s, out);
      if constexpr (Next) ahead = d_.fma(*next++, s, ahead);
      if constexpr (PerKey) ++gates;
      if constexpr (R == Rule::bonus || R == Rule::pair) ++extra;
    }
    d_.store(r.out, d_.rounded(d_.mul(scale, out)));
    if constexpr (Next) seen = ahead;
  }

 private:
  D d_;
  float* state_;
  std::ptrdiff_t ld_;
  std::size_t keys_;
};

/// One head of one sequence.
template <class V, Rule R, bool PerKey>
class HeadRecurrence {
 public:
  TESSERA_INLINE HeadRecurrence(const Recurrence& r, std::size_t index, std::size_t head) noexcept
      : r_(r),
        sequence_(r.sequences[index]),
        index_(index),
        head_(head),
        keys_(r.write.dim),
        values_(r.value.dim),
        layout_(recurrence_scratch(r)),
        scratch_(reinterpret_cast<float*>(r.workspace.scratch.data())) {}

  TESSERA_INLINE void run() noexcept {
    if (sequence_.tokens == 0) return;
    for (std::size_t j = 0; j < values_; j += recurrence_columns) {
      const std::size_t n = values_ - j < recurrence_columns ? values_ - j : recurrence_columns;
      V::template for_lanes<V::state_registers>(
          n, [&](auto d, std::size_t i) TESSERA_LAMBDA { stretch(d, j + i); });
    }
  }

 private:
  /// One stretch of lanes from value j on, over all tokens.
  template <class D>
  TESSERA_INLINE void stretch(D d, std::size_t j) noexcept {
    const std::size_t n = d.size();
    const bool outputs = r_.states.order == StateOrder::outputs;
    const auto row = static_cast<std::ptrdiff_t>(outputs ? values_ : 1);
    const auto column = static_cast<std::ptrdiff_t>(outputs ? 1 : keys_);
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(head_ * keys_ * values_) +
                                 static_cast<std::ptrdiff_t>(j) * column;
    float* home = r_.states.slot(sequence_.slot) + place;
    // A copy is dense, whatever the distance of the state's rows does to the cache; for a token or two
    // it does not pay.
    const bool copied = !outputs || sequence_.tokens > 2;
    float* state = copied ? scratch_ : home;
    const auto ld = copied ? static_cast<std::ptrdiff_t>(n) : row;
    if (copied) copy(d, home, row, column, state, ld, 1);
    const StateLanes<R, PerKey, D> lanes(d, state, ld, keys_);
    TokenRows rows[recurrence_tokens];
    for (std::size_t t = 0; t < sequence_.tokens; t += recurrence_tokens) {
      const std::size_t left = sequence_.tokens - t;
      const std::size_t m = left < recurrence_tokens ? left : recurrence_tokens;
      prepare(t, m, j, rows);
      auto seen = d.set(0.0f);
      if constexpr (lanes.looks) seen = lanes.look(rows[0].look);
      for (std::size_t i = 0; i < m; ++i) {
        // The next token's look rides along, where there is one: a pass over the state less.
        if (lanes.looks && i + 1 < m)
          lanes.template advance<lanes.looks>(rows[i], rows[i + 1].look, scale(), seen);
        else
          lanes.template advance<false>(rows[i], nullptr, scale(), seen);
        if (left - i <= r_.snapshots.count)
          copy(d, state, ld, 1, r_.snapshots.at(index_, left - i - 1) + place, row, column);
      }
    }
    if (copied) copy(d, state, ld, 1, home, row, column);
  }

  /// A state's rows of the lanes of d, to or from where it lives.
  template <class D>
  TESSERA_INLINE void copy(D d, const float* from, std::ptrdiff_t from_row,
                           std::ptrdiff_t from_column, float* to, std::ptrdiff_t to_row,
                           std::ptrdiff_t to_column) const noexcept {
    if (from_column == 1 && to_column == 1) {
      for (std::size_t k = 0; k < keys_; ++k, from += from_row, to += to_row)
        d.store(to, d.load(from));
    } else {
      copy_rows<V>(from, from_row, from_column, to, to_row, to_column, keys_, d.size());
    }
  }

  TESSERA_INLINE float scale() const noexcept { return from_bits(r_.scale_bits); }

  // Not inlined: without lanes of a stretch, it would be compiled for each kind of them.

  /// The rows of tokens [t, t + m).
  TESSERA_NOINLINE void prepare(std::size_t t, std::size_t m, std::size_t j,
                                TokenRows* rows) noexcept {
    const std::size_t key_head = r_.key_head(head_);
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t token = sequence_.first + t + i;
      TokenRows& r = rows[i];
      r.read = r_.read.row(key_head, token);
      r.write = r_.write.row(key_head, token);
      r.value = r_.value.row(head_, token) + j;
      r.out = r_.out.row(head_, token) + j;
      r.beta = 0.0f;
      r.gate = r.look = r.extra = nullptr;
      if constexpr (R != Rule::delta) r.gate = r_.gate.row(head_, token);
      if constexpr (R == Rule::pair) {
        r.look = r_.look.row(head_, token);
        r.extra = r_.extra.row(head_, token);
      }
      if constexpr (R == Rule::bonus) {
        float* extra = scratch_ + layout_.looks() + i * keys_;
        multiply(r_.extra.row(head_, token), r.write, extra);
        r.extra = extra;
      }
      if constexpr (R == Rule::delta) {
        r.beta = *r_.beta.at(token, head_);
        r.gate = scratch_ + layout_.gates() + i * (PerKey ? keys_ : 1);
      }
    }
    if constexpr (R == Rule::delta) prepare_gates(t, m, rows);
  }

  /// Gates from their logarithms, and looks = gate * key.
  TESSERA_NOINLINE void prepare_gates(std::size_t t, std::size_t m, TokenRows* rows) noexcept {
    float* gates = scratch_ + layout_.gates();
    if constexpr (!PerKey) {
      for (std::size_t i = 0; i < m; ++i)
        gates[i] = r_.gate.data == nullptr ? 0.0f : *r_.gate.row(head_, sequence_.first + t + i);
      V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(gates + i, exp(d, d.load(gates + i)));
      });
    }
    for (std::size_t i = 0; i < m; ++i) {
      float* look = scratch_ + layout_.looks() + i * keys_;
      const float* write = rows[i].write;
      rows[i].look = look;
      if constexpr (PerKey) {
        const float* logs = r_.gate.row(head_, sequence_.first + t + i);
        V::template for_lanes<2>(keys_, [&](auto d, std::size_t k) TESSERA_LAMBDA {
          const auto gate = exp(d, d.load(logs + k));
          d.store(gates + i * keys_ + k, gate);
          d.store(look + k, d.rounded(d.mul(gate, d.load(write + k))));
        });
      } else {
        V::template for_lanes<4>(keys_, [&](auto d, std::size_t k) TESSERA_LAMBDA {
          d.store(look + k, d.rounded(d.mul(d.set(gates[i]), d.load(write + k))));
        });
      }
    }
  }

  TESSERA_NOINLINE void multiply(const float* a, const float* b, float* to) noexcept {
    V::template for_lanes<4>(keys_, [&](auto d, std::size_t k) TESSERA_LAMBDA {
      d.store(to + k, d.rounded(d.mul(d.load(a + k), d.load(b + k))));
    });
  }

  const Recurrence& r_;
  const Sequence& sequence_;
  std::size_t index_;
  std::size_t head_;
  std::size_t keys_;
  std::size_t values_;
  RecurrenceScratch layout_;
  float* scratch_;
};

/// Units [begin, end): one per sequence and head, heads fastest.
template <class V, Rule R, bool PerKey>
TESSERA_NOINLINE void run_recurrence(const Recurrence& r, UnitRange range) noexcept {
  for (std::size_t u = range.begin; u < range.end; ++u)
    HeadRecurrence<V, R, PerKey>(r, u / r.value.heads, u % r.value.heads).run();
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_GATED_DELTA_NET_RECURRENCE_HPP_
