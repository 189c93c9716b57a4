// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What happens to one query row of a block of keys, and how blocks are folded into a result.
#ifndef TESSERA_KERNELS_ATTENTION_ROW_HPP_
#define TESSERA_KERNELS_ATTENTION_ROW_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/softmax/softmax.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// e^x of one float, with the bits of the lanes.
TESSERA_INLINE float exp_of(float x) noexcept {
  const PackLanes<ScalarRegister, 1, true> one;
  return exp(one, one.set(x)).v[0];
}

/// Folds (max, sum) of a block into those of a row, for `rows` rows at once: both sides are rescaled to
/// the larger max, by factors that the outputs are then folded with. Where block_sum is 0 nothing changes.
template <class B>
TESSERA_NOINLINE void fold_sums(const float* block_max, const float* block_sum, float* max,
                                float* sum, float* keep, float* take, std::size_t rows) noexcept {
  // Two exponentials of four registers would spill.
  B::Vectors::template for_lanes<2>(rows, [&](auto d, std::size_t r) TESSERA_LAMBDA {
    const auto from = d.load(block_max + r);
    const auto to = d.load(max + r);
    const auto larger = d.max(from, to);
    const auto none = d.eq(larger, d.set(-infinity));
    const auto origin = d.select(none, 0.0f, larger);
    const auto kept = exp_below_40(d, d.sub(to, origin));
    const auto taken = exp_below_40(d, d.sub(from, origin));
    const auto added = d.load(block_sum + r);
    const auto old = d.load(sum + r);
    const auto empty = d.eq(added, d.set(0.0f));
    d.store(keep + r, kept);
    d.store(take + r, taken);
    d.store(max + r, d.select(empty, to, larger));
    d.store(sum + r, d.select(empty, old, d.fma(old, kept, d.mul(added, taken))));
  });
}

/// total = total * keep + block * take.
template <class B>
TESSERA_INLINE void fold_output(const float* block, float keep, float take, float* total,
                                std::size_t dv) noexcept {
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<Vectors::state_registers>(
      dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(total + i, d.fma(keep, d.load(total + i), d.mul(take, d.load(block + i))));
      });
}

/// The same for `rows` rows, but not where block_sum is 0: nothing was visible above -inf.
template <class B>
TESSERA_INLINE void fold_outputs(const float* block, const float* block_sum, const float* keep,
                                 const float* take, float* total, std::size_t rows,
                                 std::size_t dv) noexcept {
  using Vectors = typename B::Vectors;
  // Stretches outside: most rows are one, and its length is set once.
  Vectors::template for_lanes<Vectors::state_registers>(
      dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        const float* from = block + i;
        float* to = total + i;
        for (std::size_t r = 0; r < rows; ++r, from += dv, to += dv) {
          if (block_sum[r] == 0.0f) continue;
          d.store(to, d.fma(keep[r], d.load(to), d.mul(take[r], d.load(from))));
        }
      });
}

/// Folds a block's (max, sum, output) into the row's.
template <class B>
TESSERA_INLINE void fold_block(float block_max, float block_sum, const float* block, float& max,
                               float& sum, float* total, std::size_t dv) noexcept {
  if (block_sum == 0.0f) return;  // nothing visible above -inf
  float keep = 0.0f;
  float take = 0.0f;
  fold_sums<B>(&block_max, &block_sum, &max, &sum, &keep, &take, 1);
  fold_output<B>(block, keep, take, total, dv);
}

/// Where a row stands: what biases and masks ask for.
struct RowPlace {
  std::size_t sequence;
  std::size_t head;
  std::size_t query;
};

/// A row's entries of the mask from `key` on; at most one of the pointers is set.
struct MaskRow {
  const float* f32;
  const Float16* f16;

  TESSERA_INLINE MaskRow(const MaskView& mask, const RowPlace& at, std::size_t key) noexcept {
    const std::ptrdiff_t offset =
        static_cast<std::ptrdiff_t>(at.sequence % mask.sequences) * mask.sequence_stride +
        static_cast<std::ptrdiff_t>(at.head % mask.heads) * mask.head_stride +
        static_cast<std::ptrdiff_t>(at.query) * mask.query_stride +
        static_cast<std::ptrdiff_t>(key);
    f32 = mask.f32 == nullptr ? nullptr : mask.f32 + offset;
    f16 = mask.f16 == nullptr ? nullptr : mask.f16 + offset;
  }
  TESSERA_INLINE bool excludes(std::size_t j) const noexcept {
    return f32 != nullptr ? f32[j] == -infinity : f16 != nullptr && f16[j].bits == 0xfc00;
  }
};

/// z = fma(slope, m, z), and -inf where m is -inf, whatever the slope.
template <class B, class Element>
TESSERA_INLINE void add_mask(const Element* mask, float slope, float* z, std::size_t n) noexcept {
  B::Vectors::template for_lanes<4>(n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
    const auto m = d.load(mask + j);
    const auto sum = d.fma(slope, m, d.load(z + j));
    d.store(z + j, d.select(d.eq(m, d.set(-infinity)), m, sum));
  });
}

/// Scores of keys [begin, end) of a block, from products: scale, cap, bias, mask; -inf before begin.
template <class B>
TESSERA_NOINLINE void finish_scores(const AttentionProblem& p, const RowPlace& at, std::size_t key,
                                    KeyRange visible, float* z) noexcept {
  const std::size_t end = visible.end;
  B::Vectors::template for_lanes<4>(end, [&](auto d, std::size_t j) TESSERA_LAMBDA {
    d.store(z + j, d.rounded(d.mul(p.scale, d.load(z + j))));
  });
  if (p.soft_cap != 0.0f)
    B::Vectors::template for_lanes<1>(end, [&](auto d, std::size_t j) TESSERA_LAMBDA {
      const auto t = tanh(d, d.div(d.load(z + j), d.set(p.soft_cap)));
      d.store(z + j, d.rounded(d.mul(p.soft_cap, t)));
    });
  const float slope = p.slopes.empty() ? 1.0f : p.slopes[at.head];
  const MaskRow mask(p.mask, at, key);
  if (mask.f32 != nullptr) {
    add_mask<B>(mask.f32, slope, z, end);
  } else if (mask.f16 != nullptr) {
    add_mask<B>(mask.f16, slope, z, end);
  } else if (!p.slopes.empty()) {
    const auto position = static_cast<std::ptrdiff_t>(at.query) +
                          p.limit(at.sequence).offset;  // checked: no overflow
    for (std::size_t j = visible.begin; j < end; ++j) {
      const std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(key + j) - position;
      z[j] = fma(-slope, static_cast<float>(distance < 0 ? -distance : distance), z[j]);
    }
  }
  for (std::size_t j = 0; j < visible.begin; ++j) z[j] = -infinity;
}

/// One row's result: the sink, 1 / sum, the gate and the log-sum-exp. out may be total.
template <class B>
TESSERA_NOINLINE void finish_row(const AttentionProblem& p, const RowPlace& at, float max,
                                 float sum, const float* total) noexcept {
  float keep = 1.0f;
  if (!p.sinks.empty() && p.sinks[at.head] != -infinity) {
    const float sink = p.sinks[at.head];
    const float larger = sink > max ? sink : max;
    keep = exp_of(max - larger);
    sum = fma(sum, keep, exp_of(sink - larger));
    max = larger;
  }
  const float inverse = inverse_of_sum(sum);
  const float* gate = p.gate.data == nullptr
                          ? nullptr
                          : p.gate.row(at.head, at.query) +
                                static_cast<std::ptrdiff_t>(at.sequence) * p.sequences.gate_stride;
  float* out = p.out_row(at.sequence, at.head, at.query);
  using Vectors = typename B::Vectors;
  Vectors::template for_lanes<Vectors::state_registers>(p.dv, [&](auto d,
                                                                  std::size_t i) TESSERA_LAMBDA {
    d.store(out + i, d.rounded(d.mul(d.rounded(d.mul(keep, d.load(total + i))), d.set(inverse))));
  });
  if (gate != nullptr)
    B::Vectors::template for_lanes<1>(p.dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(out + i, d.rounded(d.mul(d.load(out + i), sigmoid(d, d.load(gate + i)))));
    });
  if (p.log_sum_exp.data != nullptr) {
    float& lse = p.log_sum_exp.row(at.sequence * p.q.heads + at.head)[at.query];
    if (sum > 0.0f && sum < infinity)
      lse = static_cast<float>(static_cast<double>(max) + log_double(static_cast<double>(sum)));
    else
      lse = sum == 0.0f ? -infinity : quiet_nan;
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_ROW_HPP_
