// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The sequential scan of one sequence over a range of columns: lanes run across outputs.
#ifndef TESSERA_KERNELS_SSM_SCAN_SSM_SCAN_HPP_
#define TESSERA_KERNELS_SSM_SCAN_SSM_SCAN_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/ssm_scan/arguments.hpp"
#include "tessera/tile/copy_strided.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// dt's step: softplus, then the limits; NaN stays NaN.
template <class D>
TESSERA_INLINE auto scan_step(D d, typename D::F32 dt, bool with_softplus, float low,
                              float high) noexcept {
  auto step = dt;
  if (with_softplus) step = softplus(d, dt);
  const auto lo = d.set(low);
  const auto hi = d.set(high);
  step = d.select(d.lt(step, lo), lo, step);
  return d.select(d.gt(step, hi), hi, step);
}

/// y *= silu(z).
template <class V>
TESSERA_NOINLINE void gate_in_place(const float* z, float* y, std::size_t n) noexcept {
  V::template for_lanes<2>(n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
    d.store(y + j, d.rounded(d.mul(d.load(y + j), silu(d, d.load(z + j)))));
  });
}

template <class V>
class ScanSequence {
 public:
  TESSERA_INLINE ScanSequence(const SsmScanArgs& args, std::size_t index) noexcept
      : args_(args),
        sequence_(args.sequences[index]),
        index_(index),
        head_dim_(args.x.dim),
        columns_(args.x.heads * args.x.dim),
        states_(args.b.dim),
        layout_(scan_scratch(args)),
        scratch_(reinterpret_cast<float*>(args.workspace.scratch.data())),
        // One channel per head, side by side: columns need not be walked head by head.
        flat_(args.x.dim == 1 && args.x.head_stride == 1 && args.y.head_stride == 1 &&
              (args.z.data == nullptr || args.z.head_stride == 1) && args.dt.channel_stride == 1 &&
              args.a.channel_stride == 1) {}

  /// Columns [begin, end), at most scan_columns.
  TESSERA_INLINE void run(std::size_t begin, std::size_t end) noexcept {
    if (sequence_.tokens == 0) return;
    const std::size_t group = columns_ / args_.b.heads;
    for (std::size_t c = begin; c < end;) {
      const std::size_t g = c / group;
      const std::size_t stop = (g + 1) * group < end ? (g + 1) * group : end;
      const std::size_t first = c;
      if (in_rows())
        sweep(g, c, stop - c);
      else
        V::template for_lanes<V::state_registers>(
            stop - c, [&](auto d, std::size_t i) TESSERA_LAMBDA { stretch(d, g, first + i); });
      c = stop;
    }
  }

 private:
  /// Is the state walked row by row where it lies? For a token or two a walk down its columns, whose next element is
  /// pages away, would wait for the memory and not for the arithmetic.
  TESSERA_INLINE bool in_rows() const noexcept {
    return sequence_.tokens <= scan_row_tokens && !layout_.per_state &&
           args_.states.order == StateOrder::outputs && args_.snapshots.count == 0;
  }

  /// Few tokens of n columns from c on, whole rows of them at a time.
  TESSERA_NOINLINE void sweep(std::size_t g, std::size_t c, std::size_t n) noexcept {
    prepare(0, sequence_.tokens, c, n);
    for (std::size_t t = 0; t < sequence_.tokens; ++t) {
      const float* b = args_.b.row(g, sequence_.first + t);
      const float* e = args_.c.row(g, sequence_.first + t);
      float* state = args_.states.slot(sequence_.slot) + place(c);
      float* y = scratch_ + layout_.outputs() + t * n;
      for (std::size_t j = 0; j < n; ++j) y[j] = 0.0f;
      constexpr std::size_t at_once = 4;
      std::size_t k = 0;
      for (; k + at_once <= states_; k += at_once, state += at_once * columns_)
        advance_rows<at_once>(state, b + k, e + k, t, n);
      for (; k < states_; ++k, state += columns_) advance_rows<1>(state, b + k, e + k, t, n);
    }
    finish(0, sequence_.tokens, c, n);
  }

  /// Token t's update of Rows rows of n states, and their part of the sums.
  template <std::size_t Rows>
  TESSERA_INLINE void advance_rows(float* state, const float* b, const float* c, std::size_t t,
                                   std::size_t n) noexcept {
    // Copies, since a store to the state might be one to b or c for all the compiler knows.
    float bs[Rows];
    float cs[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
      bs[r] = b[r];
      cs[r] = c[r];
    }
    const std::size_t ld = columns_;
    const float* decays = scratch_ + layout_.steps() + t * n;
    const float* inputs = scratch_ + layout_.inputs() + t * n;
    float* sums = scratch_ + layout_.outputs() + t * n;
    // One register of each, where the scalars fill registers too.
    V::template for_lanes<(V::state_registers > 4 ? V::state_registers : 1)>(
        n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
          const auto decay = d.load(decays + j);
          const auto u = d.load(inputs + j);
          auto y = d.load(sums + j);
          for (std::size_t r = 0; r < Rows; ++r) {
            float* at = state + r * ld + j;
            const auto s = d.fma(bs[r], u, d.mul(decay, d.load(at)));
            d.store(at, s);
            y = d.fma(cs[r], s, y);
          }
          d.store(sums + j, y);
        });
  }

  // Not inlined what does not need the lanes of a stretch, lest it be compiled for each kind of them.

  /// One stretch of lanes from column c on, over all tokens.
  template <class D>
  TESSERA_INLINE void stretch(D d, std::size_t g, std::size_t c) noexcept {
    const std::size_t n = d.size();
    const auto row = static_cast<std::ptrdiff_t>(n);
    float* slot = args_.states.slot(sequence_.slot) + place(c);
    // A copy is dense, whatever the distance of the state's rows does to the cache; for a token or two
    // it does not pay.
    const bool copied = args_.states.order != StateOrder::outputs || sequence_.tokens > 2;
    float* state = copied ? scratch_ : slot;
    const std::ptrdiff_t ld = copied ? row : row_stride();
    if (copied) copy(d, slot, row_stride(), column_stride(), state, ld, 1);
    if (layout_.per_state && !flat_) load_rates(c, n);
    const bool one_head = !layout_.per_state && !flat_ && c / head_dim_ == (c + n - 1) / head_dim_;
    for (std::size_t t = 0; t < sequence_.tokens; t += scan_tokens) {
      const std::size_t left = sequence_.tokens - t;
      const std::size_t m = left < scan_tokens ? left : scan_tokens;
      if (one_head)
        prepare_steps(t, m, c / head_dim_);
      else
        prepare(t, m, c, n);
      for (std::size_t i = 0; i < m; ++i) {
        const std::size_t token = sequence_.first + t + i;
        const float* b = args_.b.row(g, token);
        const float* e = args_.c.row(g, token);
        if (one_head)
          head_token(d, state, ld, b, e, i, token, c);
        else if (layout_.per_state)
          row_token<true>(d, state, ld, b, e, i, c);
        else
          row_token<false>(d, state, ld, b, e, i, c);
        if (left - i <= args_.snapshots.count)
          copy(d, state, ld, 1, args_.snapshots.at(index_, left - i - 1) + place(c), row_stride(),
               column_stride());
      }
      if (!one_head) finish(t, m, c, n);
    }
    if (copied) copy(d, state, ld, 1, slot, row_stride(), column_stride());
  }

  /// A token whose lanes have their own inputs and decays, in rows of scratch.
  template <bool PerState, class D>
  TESSERA_INLINE void row_token(D d, float* state, std::ptrdiff_t ld, const float* b,
                                const float* e, std::size_t i, std::size_t c) noexcept {
    const std::size_t n = d.size();
    if constexpr (PerState) decay_rows(i, c, n);
    const auto u = d.load(scratch_ + layout_.inputs() + i * n);
    const auto decay = d.load(scratch_ + layout_.steps() + i * n);
    d.store(scratch_ + layout_.outputs() + i * n, advance<PerState>(d, state, ld, b, e, u, decay));
  }

  /// A token of lanes within one head, which has one step and one decay.
  template <class D>
  TESSERA_INLINE void head_token(D d, float* state, std::ptrdiff_t ld, const float* b,
                                 const float* e, std::size_t i, std::size_t token,
                                 std::size_t c) noexcept {
    const std::size_t h = c / head_dim_;
    const std::size_t p = c % head_dim_;
    const float* x = args_.x.row(h, token) + p;
    float* y = args_.y.row(h, token) + p;
    const auto u = d.rounded(d.mul(scratch_[layout_.steps() + i], d.load(x)));
    const auto decay = d.set(scratch_[layout_.inputs() + i]);
    auto sum = advance<false>(d, state, ld, b, e, u, decay);
    if (args_.d != nullptr) sum = d.fma(args_.d[h], d.load(x), sum);
    d.store(y, sum);
    if (args_.z.data != nullptr) gate_in_place<V>(args_.z.row(h, token) + p, y, d.size());
  }

  /// Every state of every lane; returns the sums.
  template <bool PerState, class D>
  TESSERA_INLINE typename D::F32 advance(D d, float* state, std::ptrdiff_t ld, const float* b,
                                         const float* c, typename D::F32 u,
                                         typename D::F32 decay) noexcept {
    const std::size_t n = d.size();
    const float* decays = scratch_ + layout_.decays();
    auto y = d.set(0.0f);
    for (const float* end = b + states_; b != end; ++b, ++c, state += ld, decays += n) {
      auto s = d.load(state);
      if constexpr (PerState)
        s = d.fma(*b, u, d.mul(d.load(decays), s));
      else
        s = d.fma(*b, u, d.mul(decay, s));
      d.store(state, s);
      y = d.fma(*c, s, y);
    }
    return y;
  }

  /// A state's rows of the lanes of d, to or from where it lives.
  template <class D>
  TESSERA_INLINE void copy(D d, const float* from, std::ptrdiff_t from_row,
                           std::ptrdiff_t from_column, float* to, std::ptrdiff_t to_row,
                           std::ptrdiff_t to_column) const noexcept {
    if (from_column == 1 && to_column == 1) {
      for (std::size_t k = 0; k < states_; ++k, from += from_row, to += to_row)
        d.store(to, d.load(from));
    } else {
      copy_rows<V>(from, from_row, from_column, to, to_row, to_column, states_, d.size());
    }
  }

  /// exp(step * a) of every state of token i, with as many registers as exp has room for.
  TESSERA_NOINLINE void decay_rows(std::size_t i, std::size_t c, std::size_t n) noexcept {
    const float* a = flat_ ? args_.a.at(0, c) : scratch_ + layout_.rates();
    const auto ld = flat_ ? args_.a.token_stride : static_cast<std::ptrdiff_t>(n);
    const float* step = scratch_ + layout_.steps() + i * n;
    float* decays = scratch_ + layout_.decays();
    // Lanes innermost: constants that depend on their number stay out of registers across them.
    for (std::size_t k = 0; k < states_; ++k, a += ld, decays += n)
      V::template for_lanes<V::state_registers>(n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        d.store(decays + j, exp_decay(d, d.rounded(d.mul(d.load(step + j), d.load(a + j)))));
      });
  }

  /// Rows of steps (or, with one rate per head, decays) and of x * step.
  TESSERA_NOINLINE void prepare(std::size_t t, std::size_t m, std::size_t c,
                                std::size_t n) noexcept {
    if (flat_)
      for (std::size_t i = 0; i < m; ++i) prepare_flat(t + i, i, c, n);
    else
      for_heads(c, n,
                [&](std::size_t h, std::size_t p, std::size_t at, std::size_t count)
                    TESSERA_LAMBDA { prepare_head(t, m, n, h, p, at, count); });
  }

  TESSERA_NOINLINE void prepare_flat(std::size_t t, std::size_t i, std::size_t c,
                                     std::size_t n) noexcept {
    const std::size_t token = sequence_.first + t;
    const float* x = args_.x.row(c, token);
    const float* dt = args_.dt.at(token, c);
    const float* a = args_.a.at(0, c);
    float* steps = scratch_ + layout_.steps() + i * n;
    float* inputs = scratch_ + layout_.inputs() + i * n;
    V::template for_lanes<4>(n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      const auto s = scan_step(d, d.load(dt + j), args_.softplus, args_.dt_min, args_.dt_max);
      d.store(inputs + j, d.rounded(d.mul(d.load(x + j), s)));
      if (layout_.per_state)
        d.store(steps + j, s);
      else
        d.store(steps + j, exp_decay(d, d.rounded(d.mul(s, d.load(a + j)))));
    });
  }

  /// Steps and decays of one head, where rows would have them.
  TESSERA_INLINE void prepare_steps(std::size_t t, std::size_t m, std::size_t h) noexcept {
    head_steps(t, m, h, scratch_ + layout_.steps(), scratch_ + layout_.inputs());
  }

  /// Lanes are tokens: a head has one step for all its channels.
  TESSERA_NOINLINE void head_steps(std::size_t t, std::size_t m, std::size_t h, float* steps,
                                   float* decays) noexcept {
    for (std::size_t i = 0; i < m; ++i) steps[i] = *args_.dt.at(sequence_.first + t + i, h);
    const float a = *args_.a.at(0, h);
    V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto s = scan_step(d, d.load(steps + i), args_.softplus, args_.dt_min, args_.dt_max);
      d.store(steps + i, s);
      d.store(decays + i, exp_decay(d, d.rounded(d.mul(a, s))));
    });
  }

  TESSERA_NOINLINE void prepare_head(std::size_t t, std::size_t m, std::size_t n, std::size_t h,
                                     std::size_t p, std::size_t at, std::size_t count) noexcept {
    float steps[scan_tokens];
    float decays[scan_tokens];
    head_steps(t, m, h, steps, decays);
    const float* x = args_.x.row(h, sequence_.first + t) + p;
    const std::ptrdiff_t x_stride = args_.x.token_stride;
    float* to = scratch_ + layout_.steps() + at;
    float* inputs = scratch_ + layout_.inputs() + at;
    const bool per_state = layout_.per_state;
    for (std::size_t i = 0; i < m; ++i, x += x_stride, to += n, inputs += n) {
      const float step = steps[i];
      const float kept = per_state ? step : decays[i];
      V::template for_lanes<8>(count, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        d.store(inputs + j, d.rounded(d.mul(step, d.load(x + j))));
        d.store(to + j, d.set(kept));
      });
    }
  }

  /// y = sum, + d * x, * silu(z).
  TESSERA_NOINLINE void finish(std::size_t t, std::size_t m, std::size_t c,
                               std::size_t n) noexcept {
    if (flat_)
      finish_rows<true>(t, m, n, c, 0, 0, n);
    else
      for_heads(c, n,
                [&](std::size_t h, std::size_t p, std::size_t at, std::size_t count)
                    TESSERA_LAMBDA { finish_rows<false>(t, m, n, h, p, at, count); });
  }

  /// Tokens [t, t + m) from channel p of head h on; Flat: d belongs to lanes.
  template <bool Flat>
  TESSERA_INLINE void finish_rows(std::size_t t, std::size_t m, std::size_t n, std::size_t h,
                                  std::size_t p, std::size_t at, std::size_t count) noexcept {
    const float* sums = scratch_ + layout_.outputs() + at;
    const float* x = args_.x.row(h, sequence_.first + t) + p;
    const float* skip = args_.d == nullptr ? nullptr : args_.d + h;
    float* y = args_.y.row(h, sequence_.first + t) + p;
    const std::ptrdiff_t x_stride = args_.x.token_stride, y_stride = args_.y.token_stride;
    for (std::size_t i = 0; i < m; ++i, sums += n, x += x_stride, y += y_stride) {
      V::template for_lanes<8>(count, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        auto sum = d.load(sums + j);
        if (skip != nullptr)
          sum = d.fma(Flat ? d.load(skip + j) : d.set(*skip), d.load(x + j), sum);
        d.store(y + j, sum);
      });
      if (args_.z.data != nullptr)
        gate_in_place<V>(args_.z.row(h, sequence_.first + t + i) + p, y, count);
    }
  }

  /// The rates of columns [c, c + n), one copy per channel.
  TESSERA_NOINLINE void load_rates(std::size_t c, std::size_t n) noexcept {
    float* to = scratch_ + layout_.rates();
    for (std::size_t k = 0; k < states_; ++k)
      for (std::size_t j = 0; j < n; ++j) to[k * n + j] = *args_.a.at(k, (c + j) / head_dim_);
  }

  /// The parts of columns [c, c + n) that belong to one head: body(head, channel, offset, count).
  template <class Body>
  TESSERA_INLINE void for_heads(std::size_t c, std::size_t n, Body&& body) const noexcept {
    for (std::size_t at = 0; at < n;) {
      const std::size_t h = (c + at) / head_dim_;
      const std::size_t p = c + at - h * head_dim_;
      const std::size_t count = head_dim_ - p < n - at ? head_dim_ - p : n - at;
      body(h, p, at, count);
      at += count;
    }
  }

  // Where element (n, column) of a state lies.
  TESSERA_INLINE std::ptrdiff_t row_stride() const noexcept {
    return static_cast<std::ptrdiff_t>(args_.states.order == StateOrder::outputs ? columns_ : 1);
  }
  TESSERA_INLINE std::ptrdiff_t column_stride() const noexcept {
    return static_cast<std::ptrdiff_t>(args_.states.order == StateOrder::outputs ? 1 : states_);
  }
  TESSERA_INLINE std::ptrdiff_t place(std::size_t column) const noexcept {
    return static_cast<std::ptrdiff_t>(column) * column_stride();
  }

  const SsmScanArgs& args_;
  const Sequence& sequence_;
  std::size_t index_;
  std::size_t head_dim_;
  std::size_t columns_;
  std::size_t states_;
  ScanScratch layout_;
  float* scratch_;
  bool flat_;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_SCAN_SSM_SCAN_HPP_
