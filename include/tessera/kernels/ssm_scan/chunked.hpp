// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The scan of one sequence in chunks of tokens, as products of matrices.
#ifndef TESSERA_KERNELS_SSM_SCAN_CHUNKED_HPP_
#define TESSERA_KERNELS_SSM_SCAN_CHUNKED_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/ssm_scan/arguments.hpp"
#include "tessera/kernels/ssm_scan/ssm_scan.hpp"
#include "tessera/tile/copy_strided.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Three sums at once over the same rows of b: s_r = fma(a_r[q * a_step], b row q, s_r), q ascending.
template <class D>
TESSERA_INLINE void add_three(D d, const float* a0, const float* a1, const float* a2,
                              std::ptrdiff_t a_step, const float* b, std::ptrdiff_t ldb,
                              std::size_t k, typename D::F32& s0, typename D::F32& s1,
                              typename D::F32& s2) noexcept {
  for (const float* end = b + static_cast<std::ptrdiff_t>(k) * ldb; b != end; b += ldb) {
    const auto row = d.load(b);
    s0 = d.fma(*a0, row, s0), a0 += a_step;
    s1 = d.fma(*a1, row, s1), a1 += a_step;
    s2 = d.fma(*a2, row, s2), a2 += a_step;
  }
}

/// The same for three neighbours: s_r = fma(a[q * a_step + r], b row q, s_r).
template <class D>
TESSERA_INLINE void add_neighbours(D d, const float* a, std::ptrdiff_t a_step, const float* b,
                                   std::ptrdiff_t ldb, std::size_t k, typename D::F32& s0,
                                   typename D::F32& s1, typename D::F32& s2) noexcept {
  for (const float* end = b + static_cast<std::ptrdiff_t>(k) * ldb; b != end; b += ldb) {
    const auto row = d.load(b);
    s0 = d.fma(a[0], row, s0);
    s1 = d.fma(a[1], row, s1);
    s2 = d.fma(a[2], row, s2), a += a_step;
  }
}

template <class V>
class ScanChunks {
 public:
  TESSERA_INLINE ScanChunks(const SsmScanArgs& args, std::size_t index) noexcept
      : args_(args),
        sequence_(args.sequences[index]),
        columns_(args.x.heads * args.x.dim),
        states_(args.b.dim),
        layout_(chunk_scratch(args)),
        scratch_(reinterpret_cast<float*>(args.workspace.scratch.data())) {}

  /// Columns [begin, end), at most scan_columns.
  TESSERA_INLINE void run(std::size_t begin, std::size_t end) noexcept {
    const std::size_t dim = args_.x.dim;
    const std::size_t group = columns_ / args_.b.heads;
    for (std::size_t t = 0; t < sequence_.tokens; t += scan_chunk) {
      const std::size_t left = sequence_.tokens - t;
      const std::size_t m = left < scan_chunk ? left : scan_chunk;
      std::size_t known = args_.b.heads;  // the group whose products lie in scratch
      for (std::size_t c = begin; c < end;) {
        const std::size_t h = c / dim;
        const std::size_t stop = (h + 1) * dim < end ? (h + 1) * dim : end;
        const std::size_t g = c / group;
        if (g != known) multiply_keys(g, sequence_.first + t, m);
        known = g;
        weigh(h, sequence_.first + t, m);
        head_part(h, g, sequence_.first + t, m, c - h * dim, stop - c);
        c = stop;
      }
    }
  }

 private:
  static constexpr auto ld = static_cast<std::ptrdiff_t>(scan_chunk);

  TESSERA_INLINE float* products() const noexcept { return scratch_ + layout_.products(); }
  TESSERA_INLINE float* weights() const noexcept { return scratch_ + layout_.weights(); }
  TESSERA_INLINE float* steps() const noexcept { return scratch_ + layout_.steps(); }

  /// products[i][j] = c_i . b_j for j of i's block of three and below.
  TESSERA_NOINLINE void multiply_keys(std::size_t g, std::size_t first, std::size_t m) noexcept {
    float* transposed = scratch_ + layout_.keys();
    for (std::size_t j = 0; j < m; ++j) {
      const float* b = args_.b.row(g, first + j);
      for (std::size_t n = 0; n < states_; ++n) transposed[n * scan_chunk + j] = b[n];
    }
    for (std::size_t i = 0; i < m; i += 3) {
      const std::size_t last = i + 3 < m ? i + 3 : m;
      V::template for_lanes<V::state_registers>(last, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
        add_three(d, args_.c.row(g, first + i), args_.c.row(g, first + (i + 1 < m ? i + 1 : i)),
                  args_.c.row(g, first + (i + 2 < m ? i + 2 : i)), 1, transposed + j, ld, states_,
                  s0, s1, s2);
        float* to = products() + i * scan_chunk + j;
        d.store(to, s0);
        if (i + 1 < m) d.store(to + ld, s1);
        if (i + 2 < m) d.store(to + 2 * ld, s2);
      });
    }
  }

  /// Row i of the weights: what is left at token i of the state before the chunk and of tokens 0 to i:
  /// exponentials of sums of log decays, each summed by itself.
  TESSERA_NOINLINE void weigh(std::size_t h, std::size_t first, std::size_t m) noexcept {
    float* logs = steps() + scan_chunk;
    for (std::size_t i = 0; i < m; ++i) steps()[i] = *args_.dt.at(first + i, h);
    const float a = *args_.a.at(0, h);
    V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto s = scan_step(d, d.load(steps() + i), args_.softplus, args_.dt_min, args_.dt_max);
      d.store(steps() + i, s);
      d.store(logs + i, d.rounded(d.mul(a, s)));
    });
    float* sums = logs + scan_chunk;  // of columns: the state, then the tokens
    sums[0] = 0.0f;
    for (std::size_t i = 0; i < m; ++i) {
      const float log = logs[i];
      float* to = weights() + i * (scan_chunk + 1);
      V::template for_lanes<V::state_registers>(i + 1, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        const auto sum = d.add(d.load(sums + j), d.set(log));
        d.store(sums + j, sum);
        d.store(to + j, exp_decay(d, sum));
      });
      sums[i + 1] = 0.0f;
      to[i + 1] = 1.0f;
    }
  }

  /// Channels [p, p + count) of head h.
  TESSERA_NOINLINE void head_part(std::size_t h, std::size_t g, std::size_t first, std::size_t m,
                                  std::size_t p, std::size_t count) noexcept {
    const bool outputs = args_.states.order == StateOrder::outputs;
    const auto row = static_cast<std::ptrdiff_t>(outputs ? columns_ : 1);
    const auto column = static_cast<std::ptrdiff_t>(outputs ? 1 : states_);
    float* home = args_.states.slot(sequence_.slot) +
                  static_cast<std::ptrdiff_t>(h * args_.x.dim + p) * column;
    float* state = outputs ? home : scratch_ + layout_.states();
    const auto state_ld = outputs ? row : static_cast<std::ptrdiff_t>(count);
    if (!outputs) copy_rows<V>(home, row, column, state, state_ld, 1, states_, count);
    combine(m);
    V::template for_lanes<V::state_registers>(count, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      float* u = scratch_ + layout_.inputs();
      const auto n = static_cast<std::ptrdiff_t>(d.size());
      const float* x = args_.x.row(h, first) + p + j;
      for (std::size_t i = 0; i < m; ++i, x += args_.x.token_stride)
        d.store(u + static_cast<std::ptrdiff_t>(i) * n, d.rounded(d.mul(steps()[i], d.load(x))));
      for (std::size_t i = 0; i < m; i += 3)
        outputs_of_three(d, h, g, first, i, m, p + j, state + j, state_ld, u);
      const float* last = weights() + (m - 1) * (scan_chunk + 1);
      for (std::size_t i = 0; i < m; ++i) {
        float* ui = u + static_cast<std::ptrdiff_t>(i) * n;
        d.store(ui, d.rounded(d.mul(last[i + 1], d.load(ui))));
      }
      for (std::size_t k = 0; k < states_; k += 3)
        states_of_three(d, g, first, k, m, last[0], state + j, state_ld, u);
    });
    if (!outputs) copy_rows<V>(state, state_ld, 1, home, row, column, states_, count);
  }

  /// mixed[i][j] = products[i][j] * weight of token j at token i.
  TESSERA_INLINE void combine(std::size_t m) noexcept {
    float* mixed = scratch_ + layout_.mixed();
    for (std::size_t i = 0; i < m; ++i) {
      const float* g = products() + i * scan_chunk;
      const float* w = weights() + i * (scan_chunk + 1) + 1;
      float* to = mixed + i * scan_chunk;
      V::template for_lanes<V::state_registers>(i + 1, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        d.store(to + j, d.rounded(d.mul(d.load(g + j), d.load(w + j))));
      });
    }
  }

  /// Tokens i to i + 2: what the state gives, then what the tokens up to each give.
  template <class D>
  TESSERA_INLINE void outputs_of_three(D d, std::size_t h, std::size_t g, std::size_t first,
                                       std::size_t i, std::size_t m, std::size_t p,
                                       const float* state, std::ptrdiff_t state_ld,
                                       const float* u) noexcept {
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    const std::size_t i1 = i + 1 < m ? i + 1 : i, i2 = i + 2 < m ? i + 2 : i;
    auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
    add_three(d, args_.c.row(g, first + i), args_.c.row(g, first + i1), args_.c.row(g, first + i2),
              1, state, state_ld, states_, s0, s1, s2);
    const auto kept = [&](std::size_t t) TESSERA_LAMBDA { return weights()[t * (scan_chunk + 1)]; };
    s0 = d.rounded(d.mul(kept(i), s0));
    s1 = d.rounded(d.mul(kept(i1), s1));
    s2 = d.rounded(d.mul(kept(i2), s2));
    const float* mixed = scratch_ + layout_.mixed();
    add_three(d, mixed + i * scan_chunk, mixed + i1 * scan_chunk, mixed + i2 * scan_chunk, 1, u, n,
              i + 1, s0, s1, s2);
    store_output(d, h, first + i, p, s0);
    if (i1 == i) return;
    const float* u1 = u + static_cast<std::ptrdiff_t>(i1) * n;
    s1 = d.fma(mixed[i1 * scan_chunk + i1], d.load(u1), s1);
    store_output(d, h, first + i1, p, s1);
    if (i2 == i) return;
    s2 = d.fma(mixed[i2 * scan_chunk + i1], d.load(u1), s2);
    s2 = d.fma(mixed[i2 * scan_chunk + i2], d.load(u1 + n), s2);
    store_output(d, h, first + i2, p, s2);
  }

  template <class D>
  TESSERA_INLINE void store_output(D d, std::size_t h, std::size_t token, std::size_t p,
                                   typename D::F32 sum) noexcept {
    if (args_.d != nullptr) sum = d.fma(args_.d[h], d.load(args_.x.row(h, token) + p), sum);
    float* y = args_.y.row(h, token) + p;
    d.store(y, sum);
    if (args_.z.data != nullptr) gate_in_place<V>(args_.z.row(h, token) + p, y, d.size());
  }

  /// States k to k + 2 after the chunk; `u` weighed for its last token.
  template <class D>
  TESSERA_INLINE void states_of_three(D d, std::size_t g, std::size_t first, std::size_t k,
                                      std::size_t m, float decay, float* state,
                                      std::ptrdiff_t state_ld, const float* u) noexcept {
    const std::size_t k1 = k + 1 < states_ ? k + 1 : k, k2 = k + 2 < states_ ? k + 2 : k;
    float* to0 = state + static_cast<std::ptrdiff_t>(k) * state_ld;
    float* to1 = state + static_cast<std::ptrdiff_t>(k1) * state_ld;
    float* to2 = state + static_cast<std::ptrdiff_t>(k2) * state_ld;
    auto s0 = d.rounded(d.mul(decay, d.load(to0)));
    auto s1 = d.rounded(d.mul(decay, d.load(to1)));
    auto s2 = d.rounded(d.mul(decay, d.load(to2)));
    const float* b = args_.b.row(g, first);
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    if (k2 == k + 2)
      add_neighbours(d, b + k, args_.b.token_stride, u, n, m, s0, s1, s2);
    else
      add_three(d, b + k, b + k1, b + k2, args_.b.token_stride, u, n, m, s0, s1, s2);
    d.store(to0, s0);
    if (k1 != k) d.store(to1, s1);
    if (k2 != k) d.store(to2, s2);
  }

  const SsmScanArgs& args_;
  const Sequence& sequence_;
  std::size_t columns_;
  std::size_t states_;
  ChunkScratch layout_;
  float* scratch_;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_SCAN_CHUNKED_HPP_
