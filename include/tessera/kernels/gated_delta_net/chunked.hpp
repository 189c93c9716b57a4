// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The gated delta rule of one head in chunks of tokens, as products of matrices.
#ifndef TESSERA_KERNELS_GATED_DELTA_NET_CHUNKED_HPP_
#define TESSERA_KERNELS_GATED_DELTA_NET_CHUNKED_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/gated_delta_net/operands.hpp"
#include "tessera/tile/copy_strided.hpp"
#include "tessera/tile/row_panels.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

template <class V, bool PerKey>
class HeadChunks {
 public:
  TESSERA_INLINE HeadChunks(const Recurrence& r, std::size_t index, std::size_t head) noexcept
      : r_(r),
        sequence_(r.sequences[index]),
        head_(head),
        keys_(r.write.dim),
        values_(r.value.dim),
        panels_{delta_net_chunk, r.write.dim} {
    auto* next = reinterpret_cast<float*>(r.workspace.scratch.data());
    const DeltaChunkScratch sizes = delta_chunk_scratch(r);
    const auto take = [&](std::size_t size) TESSERA_LAMBDA {
      float* part = next;
      next += size;
      return part;
    };
    looks_ = take(panels_.size()), reads_ = take(panels_.size());
    writes_ = PerKey ? take(panels_.size()) : looks_;
    transposed_ = take(sizes.transposed()), products_ = take(sizes.products());
    weights_ = take(sizes.weights());
    tokens_ = reinterpret_cast<DeltaToken*>(take(sizes.tokens()));
    gates_ = take(sizes.gates()), kept_ = take(sizes.decays()), left_ = take(sizes.decays());
    deltas_ = take(sizes.deltas()), spare_ = take(sizes.spare());
    copy_ = take(sizes.state());
  }

  TESSERA_INLINE void run() noexcept {
    if (sequence_.tokens == 0) return;
    const bool outputs = r_.states.order == StateOrder::outputs;
    const auto row = static_cast<std::ptrdiff_t>(outputs ? values_ : 1);
    const auto column = static_cast<std::ptrdiff_t>(outputs ? 1 : keys_);
    float* home =
        r_.states.slot(sequence_.slot) + static_cast<std::ptrdiff_t>(head_ * keys_ * values_);
    float* state = outputs ? home : copy_;
    if (!outputs) copy_rows<V>(home, row, column, state, ld(), 1, keys_, values_);
    for (std::size_t t = 0; t < sequence_.tokens; t += delta_net_chunk) {
      const std::size_t left = sequence_.tokens - t;
      const std::size_t m = left < delta_net_chunk ? left : delta_net_chunk;
      prepare(sequence_.first + t, m);
      for (std::size_t j = 0; j < values_; j += recurrence_columns) {
        const std::size_t n = values_ - j < recurrence_columns ? values_ - j : recurrence_columns;
        V::template for_lanes<V::state_registers>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
          advance(d, sequence_.first + t, m, j + i, state + j + i);
        });
      }
    }
    if (!outputs) copy_rows<V>(state, ld(), 1, home, row, column, keys_, values_);
  }

 private:
  /// A row of products: with token i, element 2 i of k and 2 i + 1 of q.
  static constexpr std::size_t pairs = 2 * delta_net_chunk;

  TESSERA_INLINE std::ptrdiff_t ld() const noexcept { return static_cast<std::ptrdiff_t>(values_); }

  /// All that the chunk's m tokens have to do with each other and with the state before it.
  TESSERA_NOINLINE void prepare(std::size_t first, std::size_t m) noexcept {
    const std::size_t key_head = r_.key_head(head_);
    const float* rows[pairs];
    for (std::size_t i = 0; i < m; ++i) {
      rows[2 * i] = r_.write.row(key_head, first + i);
      rows[2 * i + 1] = r_.read.row(key_head, first + i);
      tokens_[i].beta = *r_.beta.at(first + i, head_);
    }
    V::transpose(rows, 2 * m, keys_, transposed_, pairs);
    if constexpr (PerKey) {
      for (std::size_t i = 0; i < m; ++i) open_gates(r_.gate.row(head_, first + i), i * keys_);
      weigh_rows(rows, m);
      multiply_weighed_keys(rows, m);
    } else {
      copy_to_panels<V>(panels_, r_.write.row(key_head, first), r_.write.token_stride, m, looks_);
      copy_to_panels<V>(panels_, r_.read.row(key_head, first), r_.read.token_stride, m, reads_);
      open_gates(first, m);
      multiply_keys(m);
      weigh_products(m);
    }
  }

  // One gate for all keys: rows stay as they are, and sums and deltas take the decays.

  TESSERA_INLINE void open_gates(std::size_t first, std::size_t m) noexcept {
    float* gates = gates_;
    for (std::size_t i = 0; i < m; ++i) gates[i] = 0.0f;
    if (const float* log = r_.gate.row(head_, first); r_.gate.data != nullptr)
      for (std::size_t i = 0; i < m; ++i, log += r_.gate.token_stride) gates[i] = *log;
    V::template for_lanes<2>(m, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(gates + i, exp(d, d.load(gates + i)));
    });
    float kept = 1.0f, left = 1.0f;
    for (std::size_t i = 0; i < m; ++i) tokens_[i].kept = kept = rounded(gates[i] * kept);
    for (std::size_t i = m; i-- > 0; left = rounded(gates[i] * left)) tokens_[i].left = left;
  }

  /// Row j of the products: k_j with k_i and q_i of tokens i from j on; of those before, anything.
  TESSERA_INLINE void multiply_keys(std::size_t m) noexcept {
    for (std::size_t j = 0; j < m; j += 3)
      V::template for_lanes<V::state_registers>(
          2 * (m - j), [&](auto d, std::size_t i) TESSERA_LAMBDA {
            auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
            fma_three_rows(d, panels_, looks_, j, transposed_ + 2 * j + i,
                           static_cast<std::ptrdiff_t>(pairs), s0, s1, s2);
            float* to = products_ + j * pairs + 2 * j + i;
            d.store(to, s0), d.store(to + pairs, s1), d.store(to + 2 * pairs, s2);
          });
  }

  /// Products times what token i still has of token j's.
  TESSERA_INLINE void weigh_products(std::size_t m) noexcept {
    const float* gates = gates_;
    float* weights = weights_ + 2 * m;
    float* products = products_ + m * (pairs + 2);
    for (std::size_t j = m; j-- > 0;) {
      const float gate = gates[j];
      weights -= 2, products -= pairs + 2;
      weights[0] = weights[1] = 1.0f;
      V::template for_lanes<V::state_registers>(
          2 * (m - j), [&](auto d, std::size_t i) TESSERA_LAMBDA {
            const auto weight = d.load(weights + i);
            d.store(products + i, d.rounded(d.mul(weight, d.load(products + i))));
            d.store(weights + i, d.rounded(d.mul(gate, weight)));
          });
    }
  }

  // A gate per key: rows take the decays.

  TESSERA_INLINE void open_gates(const float* logs, std::size_t at) noexcept {
    V::template for_lanes<2>(keys_, [&](auto d, std::size_t k) TESSERA_LAMBDA {
      d.store(gates_ + at + k, exp(d, d.load(logs + k)));
    });
  }

  /// Calls use(d, i, decay) for all keys, i where row `token` of panels has them, after one gate more.
  template <class F>
  TESSERA_INLINE void decay(float* decays, const float* gate, std::size_t token, F&& use) noexcept {
    for_panels(panels_, token,
               [&](std::size_t at, std::size_t first, std::size_t n) TESSERA_LAMBDA {
                 V::template for_lanes<4>(n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
                   const std::size_t k = first + i;
                   const auto product = d.rounded(d.mul(d.load(gate + k), d.load(decays + k)));
                   d.store(decays + k, product);
                   use(d, at + i, k, product);
                 });
               });
  }

  /// Looks and reads: of the state before the chunk; writes: into the state after it.
  TESSERA_INLINE void weigh_rows(const float* const* rows, std::size_t m) noexcept {
    for (std::size_t k = 0; k < keys_; ++k) kept_[k] = left_[k] = 1.0f;
    for (std::size_t i = 0; i < m; ++i)
      decay(kept_, gates_ + i * keys_, i,
            [&](auto d, std::size_t at, std::size_t k, auto kept) TESSERA_LAMBDA {
              d.store(looks_ + at, d.rounded(d.mul(kept, d.load(rows[2 * i] + k))));
              d.store(reads_ + at, d.rounded(d.mul(kept, d.load(rows[2 * i + 1] + k))));
            });
    for_panels(panels_, m - 1, [&](std::size_t at, std::size_t k, std::size_t n) TESSERA_LAMBDA {
      copy_strided<V>(rows[2 * m - 2] + k, 1, writes_ + at, 1, n);
    });
    for (std::size_t j = m - 1; j-- > 0;)
      decay(left_, gates_ + (j + 1) * keys_, j,
            [&](auto d, std::size_t at, std::size_t k, auto left) TESSERA_LAMBDA {
              d.store(writes_ + at, d.rounded(d.mul(left, d.load(rows[2 * j] + k))));
            });
  }

  /// Row j of the products: k_j with what token j still leaves of k_i and q_i, transposed.
  TESSERA_INLINE void multiply_weighed_keys(const float* const* rows, std::size_t m) noexcept {
    for (std::size_t j = m; j-- > 0;)
      V::template for_lanes<V::state_registers>(
          2 * (m - j), [&](auto d, std::size_t i) TESSERA_LAMBDA {
            const float* key = rows[2 * j];
            const float* gate = gates_ + j * keys_;
            float* x = transposed_ + 2 * j + i;
            auto sum = d.set(0.0f);
            for (const float* end = key + keys_; key != end; ++key, ++gate, x += pairs) {
              const auto row = d.load(x);
              sum = d.fma(*key, row, sum);
              d.store(x, d.rounded(d.mul(*gate, row)));
            }
            d.store(products_ + j * pairs + 2 * j + i, sum);
          });
  }

  /// The chunk for the lanes of d from value j on.
  template <class D>
  TESSERA_INLINE void advance(D d, std::size_t first, std::size_t m, std::size_t j,
                              float* state) noexcept {
    const float* value = r_.value.row(head_, first) + j;
    const std::ptrdiff_t value_stride = r_.value.token_stride, out_stride = r_.out.token_stride;
    for (std::size_t i = 0; i < m; i += 3, value += 3 * value_stride)
      deltas_of_three(d, value, value_stride, i, m, state);
    float* out = r_.out.row(head_, first) + j;
    for (std::size_t i = 0; i < m; i += 3, out += 3 * out_stride)
      outputs_of_three(d, out, out_stride, i, m, state);
    if constexpr (PerKey)
      for_panels(panels_, 0, [&](std::size_t at, std::size_t k, std::size_t n) TESSERA_LAMBDA {
        write_keys<panel_width, 1>(d, writes_ + at, k, n, m, state);
      });
    else
      write_keys<2, pairs>(d, transposed_, 0, keys_, m, state);
  }

  // Deltas of all tokens; with one gate for all keys, each followed by itself as it goes into the state.
  static constexpr std::ptrdiff_t delta_rows = PerKey ? 1 : 2;

  /// What rows i to i + 2 give with the state before the chunk, then with deltas of `with` tokens.
  template <class D>
  TESSERA_INLINE void see_three(D d, const float* rows, const float* products, std::size_t i,
                                std::size_t with, const float* state, typename D::F32& s0,
                                typename D::F32& s1, typename D::F32& s2) const noexcept {
    fma_three_rows(d, panels_, rows, i, state, ld(), s0, s1, s2);
    if constexpr (!PerKey) {
      const DeltaToken* token = tokens_ + i;
      s0 = d.rounded(d.mul(token[0].kept, s0));
      s1 = d.rounded(d.mul(token[1].kept, s1));
      s2 = d.rounded(d.mul(token[2].kept, s2));
    }
    fma_three<pairs, 2, 1>(d, products + 2 * i, deltas_,
                           delta_rows * static_cast<std::ptrdiff_t>(d.size()), with, s0, s1, s2);
  }

  /// Deltas of tokens i to i + 2, by forward substitution. No more than four vectors live.
  template <class D>
  TESSERA_INLINE void deltas_of_three(D d, const float* value, std::ptrdiff_t stride, std::size_t i,
                                      std::size_t m, const float* state) noexcept {
    auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
    see_three(d, looks_, products_, i, i, state, s0, s1, s2);
    const float* with = products_ + i * (pairs + 2);
    const DeltaToken* token = tokens_ + i;
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    float* delta = deltas_ + static_cast<std::ptrdiff_t>(i) * delta_rows * n;
    const auto solve = [&](auto& seen) TESSERA_LAMBDA {
      seen = d.rounded(d.mul(token->beta, d.sub(d.load(value), seen)));
      d.store(delta, seen);
      if constexpr (!PerKey) d.store(delta + n, d.rounded(d.mul(token->left, seen)));
      ++token, delta += delta_rows * n, value += stride;
    };
    solve(s0);
    if (i + 1 == m) return;
    s1 = d.fma(with[2], s0, s1);
    s2 = d.fma(with[4], s0, s2);
    solve(s1);
    if (i + 2 == m) return;
    s2 = d.fma(with[pairs + 4], s1, s2);
    solve(s2);
  }

  /// Outputs of tokens i to i + 2: of the state before the chunk, then of the deltas up to each.
  template <class D>
  TESSERA_INLINE void outputs_of_three(D d, float* out, std::ptrdiff_t stride, std::size_t i,
                                       std::size_t m, const float* state) noexcept {
    auto s0 = d.set(0.0f), s1 = s0, s2 = s0;
    see_three(d, reads_, products_ + 1, i, i + 1, state, s0, s1, s2);
    const float* with = products_ + i * (pairs + 2) + pairs + 1;
    const auto n = delta_rows * static_cast<std::ptrdiff_t>(d.size());
    const float* delta = deltas_ + static_cast<std::ptrdiff_t>(i + 1) * n;
    const float scale = from_bits(r_.scale_bits);
    const auto write = [&](auto sum) TESSERA_LAMBDA {
      d.store(out, d.rounded(d.mul(scale, sum)));
      out += stride;
    };
    write(s0);
    if (i + 1 == m) return;
    s0 = d.load(delta);
    write(d.fma(with[2], s0, s1));
    if (i + 2 == m) return;
    s2 = d.fma(with[4], s0, s2);
    write(d.fma(with[pairs + 4], d.load(delta + n), s2));
  }

  /// Keys k to k + n - 1 of the state after the chunk: token i writes writes[i * Token + j * Key] of
  /// its delta into the j-th of them.
  template <std::size_t Token, std::size_t Key, class D>
  TESSERA_INLINE void write_keys(D d, const float* writes, std::size_t k, std::size_t n,
                                 std::size_t m, float* state) noexcept {
    const float* kept = PerKey ? kept_ + k : &tokens_[m - 1].kept;
    const std::ptrdiff_t row = ld();
    state += static_cast<std::ptrdiff_t>(k) * row;
    const auto by_three = [&](auto times, std::size_t tokens) TESSERA_LAMBDA {
      for (std::size_t left = n / 3; left > 0;
           --left, writes += 3 * Key, state += 3 * row, kept += PerKey ? 3 : 0)
        write_three<Token, Key, decltype(times)::value>(d, writes, kept, tokens, state, state + row,
                                                        state + 2 * row);
    };
    if (m == delta_net_chunk)  // a constant: no loop
      by_three(Index<delta_net_chunk / 8>(), delta_net_chunk);
    else
      by_three(Index<1>(), m);
    // One or two are left: a row of nothing takes the place of the others.
    if (n % 3 != 0)
      write_three<Token, Key, 0>(d, writes, kept, m, state, n % 3 == 2 ? state + row : spare_,
                                 spare_);
  }

  template <std::size_t Token, std::size_t Key, std::size_t Times, class D>
  TESSERA_INLINE void write_three(D d, const float* writes, const float* kept, std::size_t m,
                                  float* to0, float* to1, float* to2) const noexcept {
    const auto n = static_cast<std::ptrdiff_t>(d.size());
    auto s0 = d.rounded(d.mul(kept[0], d.load(to0)));
    auto s1 = d.rounded(d.mul(kept[PerKey ? 1 : 0], d.load(to1)));
    auto s2 = d.rounded(d.mul(kept[PerKey ? 2 : 0], d.load(to2)));
    fma_three<Token, Key, Times>(d, writes, deltas_ + (delta_rows - 1) * n, delta_rows * n, m, s0,
                                 s1, s2);
    d.store(to0, s0), d.store(to1, s1), d.store(to2, s2);
  }

  const Recurrence& r_;
  const Sequence& sequence_;
  std::size_t head_;
  std::size_t keys_;
  std::size_t values_;
  RowPanels panels_;   ///< of the next three
  float* looks_;       ///< of k: what the state before the chunk is asked for deltas
  float* reads_;       ///< of q: for outputs
  float* writes_;      ///< of k: what goes into the state after the chunk
  float* transposed_;  ///< keys x tokens x (k, q)
  float* products_;
  float* weights_;
  DeltaToken* tokens_;
  float* gates_;
  float* kept_;  ///< gates per key: what is left of the state before the chunk
  float* left_;  ///< the same of a token's write after the chunk
  float* deltas_;
  float* spare_;
  float* copy_;  ///< of the state, where its order is not the one used here
};

/// Units [begin, end): one per sequence and head, heads fastest.
template <class V, bool PerKey>
TESSERA_NOINLINE void run_chunks(const Recurrence& r, UnitRange range) noexcept {
  for (std::size_t u = range.begin; u < range.end; ++u)
    HeadChunks<V, PerKey>(r, u / r.value.heads, u % r.value.heads).run();
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_GATED_DELTA_NET_CHUNKED_HPP_
