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
#include "tessera/tile/row_panels.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

template <class V>
class ScanChunks {
 public:
  TESSERA_INLINE ScanChunks(const SsmScanArgs& args, std::size_t index) noexcept
      : args_(args),
        sequence_(args.sequences[index]),
        columns_(args.x.heads * args.x.dim),
        states_(args.b.dim),
        panels_{scan_chunk, args.b.dim} {
    auto* scratch = reinterpret_cast<float*>(args.workspace.scratch.data());
    const ChunkScratch at = chunk_scratch(args);
    keys_ = scratch + at.keys(), products_ = scratch + at.products(), mixed_ = scratch + at.mixed();
    steps_ = scratch + at.steps(), kept_ = scratch + at.kept(), left_ = scratch + at.left();
    logs_ = scratch + at.logs(), sums_ = scratch + at.sums();
    b_rows_ = scratch + at.b_rows(), c_rows_ = scratch + at.c_rows();
    inputs_ = scratch + at.inputs(), spare_ = scratch + at.spare(), copy_ = scratch + at.states();
  }

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
        head_part(h, sequence_.first + t, m, c - h * dim, stop - c);
        c = stop;
      }
    }
  }

 private:
  static constexpr auto ld = static_cast<std::ptrdiff_t>(scan_chunk);

  /// Copies of b and c, and products[i][j] = c_i . b_j for j of i's block of three and below.
  TESSERA_NOINLINE void multiply_keys(std::size_t g, std::size_t first, std::size_t m) noexcept {
    const float* rows[scan_chunk];
    for (std::size_t j = 0; j < m; ++j) rows[j] = args_.b.row(g, first + j);
    V::transpose(rows, m, states_, keys_, scan_chunk);
    copy_to_panels<V>(panels_, args_.b.row(g, first), args_.b.token_stride, m, b_rows_);
    copy_to_panels<V>(panels_, args_.c.row(g, first), args_.c.token_stride, m, c_rows_);
    for (std::size_t i = 0; i < m; i += 3) {
      const std::size_t last = i + 3 < m ? i + 3 : m;
      V::template for_lanes<V::state_registers>(last, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
        fma_three_rows(d, panels_, c_rows_, i, keys_ + j, ld, s0, s1, s2);
        float* to = products_ + i * scan_chunk + j;
        d.store(to, s0), d.store(to + ld, s1), d.store(to + 2 * ld, s2);
      });
    }
  }

  /// What is left at token i of tokens j before it: exponentials of sums of log decays, each summed by
  /// itself. mixed[i][j] is that times a product; left[j] that at the last token; kept[i] the same of the
  /// state before the chunk.
  TESSERA_NOINLINE void weigh(std::size_t h, std::size_t first, std::size_t m) noexcept {
    float* steps = steps_;
    float* kept = kept_;
    float* logs = logs_;
    float* sums = sums_;
    float* left = left_;
    const float* dt = args_.dt.at(first, h);
    for (std::size_t i = 0; i < m; ++i, dt += args_.dt.token_stride) steps[i] = *dt;
    const float a = *args_.a.at(0, h);
    V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      const auto s = scan_step(d, d.load(steps + i), args_.softplus, args_.dt_min, args_.dt_max);
      d.store(steps + i, s);
      d.store(logs + i, d.rounded(d.mul(a, s)));
    });
    float sum = 0.0f;
    for (std::size_t i = 0; i < m; ++i) kept[i] = sum = sum + logs[i], sums[i] = 0.0f;
    V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(kept + i, exp_decay(d, d.load(kept + i)));
    });
    const float* product = products_;
    float* mixed = mixed_;
    mixed[0] = product[0];
    for (std::size_t i = 1; i < m; ++i) {
      product += scan_chunk, mixed += scan_chunk;
      const float log = logs[i];
      V::template for_lanes<V::state_registers>(i, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        const auto total = d.add(d.load(sums + j), d.set(log));
        d.store(sums + j, total);
        const auto weight = exp_decay(d, total);
        d.store(left + j, weight);
        d.store(mixed + j, d.rounded(d.mul(d.load(product + j), weight)));
      });
      mixed[i] = product[i];
    }
    left[m - 1] = 1.0f;
  }

  /// Channels [p, p + count) of head h.
  TESSERA_NOINLINE void head_part(std::size_t h, std::size_t first, std::size_t m, std::size_t p,
                                  std::size_t count) noexcept {
    const bool outputs = args_.states.order == StateOrder::outputs;
    const auto row = static_cast<std::ptrdiff_t>(outputs ? columns_ : 1);
    const auto column = static_cast<std::ptrdiff_t>(outputs ? 1 : states_);
    float* home = args_.states.slot(sequence_.slot) +
                  static_cast<std::ptrdiff_t>(h * args_.x.dim + p) * column;
    float* state = outputs ? home : copy_;
    const auto state_ld = outputs ? row : static_cast<std::ptrdiff_t>(count);
    if (!outputs) copy_rows<V>(home, row, column, state, state_ld, 1, states_, count);
    V::template for_lanes<V::state_registers>(count, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      weigh_inputs(d, args_.x.row(h, first) + p + j, m);
      for (std::size_t i = 0; i < m; i += 3)
        outputs_of_three(d, h, first + i, i, m, p + j, state + j, state_ld);
      for_panels(panels_, 0, [&](std::size_t at, std::size_t k, std::size_t states) TESSERA_LAMBDA {
        advance_states(d, b_rows_ + at, states, m,
                       state + j + static_cast<std::ptrdiff_t>(k) * state_ld, state_ld);
      });
    });
    if (!outputs) copy_rows<V>(state, state_ld, 1, home, row, column, states_, count);
  }

  /// Inputs of all tokens, each followed by what is left of it at the last.
  template <class D>
  TESSERA_INLINE void weigh_inputs(D d, const float* x, std::size_t m) noexcept {
    const float* step = steps_;
    const float* left = left_;
    const std::ptrdiff_t stride = args_.x.token_stride;
    float* u = inputs_;
    for (const float* end = step + m; step != end; ++step, ++left, x += stride) {
      const auto input = d.rounded(d.mul(*step, d.load(x)));
      d.store(u, input), u += d.size();
      d.store(u, d.rounded(d.mul(*left, input))), u += d.size();
    }
  }

  /// Tokens i to i + 2 of the chunk: what the state gives, then what the tokens up to each give.
  template <class D>
  TESSERA_INLINE void outputs_of_three(D d, std::size_t h, std::size_t token, std::size_t i,
                                       std::size_t m, std::size_t p, const float* state,
                                       std::ptrdiff_t state_ld) noexcept {
    const auto n = 2 * static_cast<std::ptrdiff_t>(d.size());
    auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
    fma_three_rows(d, panels_, c_rows_, i, state, state_ld, s0, s1, s2);
    const float* kept = kept_ + i;
    s0 = d.rounded(d.mul(kept[0], s0));
    s1 = d.rounded(d.mul(kept[1], s1));
    s2 = d.rounded(d.mul(kept[2], s2));
    const float* mixed = mixed_ + i * scan_chunk;
    const float* u = inputs_;
    fma_three<1, scan_chunk, 1>(d, mixed, u, n, i + 1, s0, s1, s2);
    float* y = args_.y.row(h, token) + p;
    const auto store = [&](auto sum) TESSERA_LAMBDA {
      if (args_.d != nullptr) sum = d.fma(args_.d[h], d.load(args_.x.row(h, token) + p), sum);
      d.store(y, sum);
      if (args_.z.data != nullptr) gate_in_place<V>(args_.z.row(h, token) + p, y, d.size());
      ++token, y += args_.y.token_stride;
    };
    store(s0);
    if (i + 1 == m) return;
    mixed += scan_chunk + i + 1, u += static_cast<std::ptrdiff_t>(i + 1) * n;
    s0 = d.load(u);
    store(d.fma(mixed[0], s0, s1));
    if (i + 2 == m) return;
    mixed += scan_chunk;
    s2 = d.fma(mixed[0], s0, s2);
    store(d.fma(mixed[1], d.load(u + n), s2));
  }

  /// `count` states after the chunk: those of a panel.
  template <class D>
  TESSERA_INLINE void advance_states(D d, const float* b, std::size_t count, std::size_t m,
                                     float* state, std::ptrdiff_t state_ld) noexcept {
    const float kept = kept_[m - 1];
    float *state1 = state + state_ld, *state2 = state1 + state_ld;
    const std::ptrdiff_t three = 3 * state_ld;
    for (const float* whole = b + count / 3 * 3; b != whole; b += 3) {
      advance_three<scan_chunk / 16>(d, b, m, kept, state, state1, state2);
      state += three, state1 += three, state2 += three;
    }
    // One or two are left: a row of nothing takes the place of the others.
    if (count % 3 != 0)
      advance_three<0>(d, b, m, kept, state, count % 3 == 2 ? state1 : spare_, spare_);
  }

  template <std::size_t Times, class D>
  TESSERA_INLINE void advance_three(D d, const float* b, std::size_t m, float kept, float* to0,
                                    float* to1, float* to2) noexcept {
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    auto s0 = d.rounded(d.mul(kept, d.load(to0)));
    auto s1 = d.rounded(d.mul(kept, d.load(to1)));
    auto s2 = d.rounded(d.mul(kept, d.load(to2)));
    fma_three<panel_width, 1, Times>(d, b, inputs_ + n, 2 * n, m, s0, s1, s2);
    d.store(to0, s0), d.store(to1, s1), d.store(to2, s2);
  }

  const SsmScanArgs& args_;
  const Sequence& sequence_;
  std::size_t columns_;
  std::size_t states_;
  RowPanels panels_;  ///< of b and of c
  float* keys_;       ///< b transposed
  float* products_;
  float* mixed_;
  float* steps_;
  float* kept_;
  float* left_;
  float* logs_;
  float* sums_;
  float* b_rows_;
  float* c_rows_;
  float* inputs_;
  float* spare_;
  float* copy_;  ///< of a state, where its order is not the one used here
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_SCAN_CHUNKED_HPP_
