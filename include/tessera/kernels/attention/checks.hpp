// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What of an attention problem can be refused, whatever its formats.
#ifndef TESSERA_KERNELS_ATTENTION_CHECKS_HPP_
#define TESSERA_KERNELS_ATTENTION_CHECKS_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Rows of bytes in up to three dimensions.
struct ByteGrid {
  const void* data;
  std::size_t count[3];
  std::ptrdiff_t stride[3];
  std::size_t row;

  TESSERA_INLINE bool empty() const noexcept {
    return count[0] == 0 || count[1] == 0 || count[2] == 0 || row == 0;
  }
  /// Does it span more than a pointer can?
  TESSERA_INLINE bool too_large() const noexcept {
    std::size_t reach = row;
    for (int i = 0; i < 3; ++i) {
      std::size_t step = 0;
      if (__builtin_mul_overflow(count[i] - 1, internal::magnitude(stride[i]), &step) ||
          __builtin_add_overflow(reach, step, &reach))
        return true;
    }
    return reach > static_cast<std::size_t>(PTRDIFF_MAX);
  }
  TESSERA_INLINE Extent extent() const noexcept {
    std::uintptr_t low = reinterpret_cast<std::uintptr_t>(data);
    std::uintptr_t high = low + row;
    for (int i = 0; i < 3; ++i) {
      const std::size_t far = (count[i] - 1) * internal::magnitude(stride[i]);
      if (stride[i] < 0)
        low -= far;
      else
        high += far;
    }
    return {low, high};
  }
  /// Does every dimension step over all of those with smaller steps?
  TESSERA_INLINE bool rows_apart() const noexcept {
    std::size_t reach = row;
    bool done[3] = {count[0] <= 1, count[1] <= 1, count[2] <= 1};
    for (int turn = 0; turn < 3; ++turn) {
      int next = -1;
      for (int i = 0; i < 3; ++i)
        if (!done[i] &&
            (next < 0 || internal::magnitude(stride[i]) < internal::magnitude(stride[next])))
          next = i;
      if (next < 0) break;
      if (internal::magnitude(stride[next]) < reach) return false;
      reach += (count[next] - 1) * internal::magnitude(stride[next]);
      done[next] = true;
    }
    return true;
  }
  TESSERA_INLINE bool touches(const ByteGrid& other) const noexcept {
    return !empty() && !other.empty() && data != nullptr && other.data != nullptr &&
           intersects(extent(), other.extent());
  }
};

template <class T>
TESSERA_INLINE ByteGrid grid_of(const HeadView<T>& v, std::size_t outer,
                                std::ptrdiff_t outer_stride) noexcept {
  return {v.data,
          {outer, v.heads, v.tokens},
          {scaled_stride(outer_stride, sizeof(T)), scaled_stride(v.head_stride, sizeof(T)),
           scaled_stride(v.token_stride, sizeof(T))},
          v.dim * sizeof(T)};
}
template <class T>
TESSERA_INLINE ByteGrid grid_of(std::span<T> v) noexcept {
  return {v.data(), {1, 1, 1}, {0, 0, 0}, v.size_bytes()};
}

/// A cache: whole sequences, or the pages there are.
TESSERA_INLINE ByteGrid grid_of(const AttentionProblem& p, const CacheRows& rows, std::size_t heads,
                                std::size_t tokens) noexcept {
  const bool paged = p.pages.page_tokens != 0;
  if (rows.ring != 0)
    return {rows.data,
            {p.sequences.count, heads, rows.ring},
            {rows.outer_stride, rows.head_stride, rows.token_stride},
            attention_block * rows.blocks * rows.block_bytes};
  return {rows.data,
          {paged ? p.pages.pages : p.sequences.count, heads, paged ? p.pages.page_tokens : tokens},
          {rows.outer_stride, rows.head_stride, rows.token_stride},
          rows.blocks * rows.block_bytes};
}

TESSERA_INLINE ByteGrid scales_grid(const CacheRows& rows, std::size_t heads) noexcept {
  const std::size_t n = rows.channels == 0 ? 1 : heads * rows.channels;
  return {rows.scales, {1, 1, 1}, {0, 0, 0}, n * sizeof(float)};
}

TESSERA_INLINE ByteGrid mask_grid(const AttentionProblem& p) noexcept {
  const MaskView& m = p.mask;
  const std::size_t size = m.f32 != nullptr ? sizeof(float) : sizeof(Float16);
  const void* data = m.f32 != nullptr ? static_cast<const void*>(m.f32) : m.f16;
  return {data,
          {m.sequences, m.heads, p.q.tokens},
          {scaled_stride(m.sequence_stride, size), scaled_stride(m.head_stride, size),
           scaled_stride(m.query_stride, size)},
          p.keys * size};
}

/// Shape, pointer, extent and alignment of a cache; no tokens is legal. The strides in elements are
/// looked at first: in bytes they may have wrapped.
template <class T>
Status check_cache(const HeadView<T>& v, const ByteGrid& grid,
                   std::ptrdiff_t outer_stride) noexcept {
  if (v.heads == 0 || v.dim == 0) return Status::empty_shape;
  if (v.tokens == 0) return Status::ok;
  if (v.data == nullptr) return Status::null_pointer;
  if (grid.empty()) return Status::ok;  // no pages, no sequences: refused as such
  if (extent_overflows(grid.count[0], outer_stride, v.dim, sizeof(T)))
    return Status::shape_too_large;
  HeadView<T> rows = v;
  rows.tokens = grid.count[2];
  if (const Status s = check_input(rows); s != Status::ok) return s;
  return grid.too_large() ? Status::shape_too_large : Status::ok;
}

/// One scale, or one per head and channel, of codes that have them apart; none of other formats.
inline Status check_scales(std::span<const float> scales, bool wanted, std::size_t heads,
                           std::size_t dim) noexcept {
  if (!wanted) return scales.empty() ? Status::ok : Status::shape_mismatch;
  if (scales.data() == nullptr) return Status::null_pointer;
  if (scales.size() != 1 && (scales.size() / dim != heads || scales.size() % dim != 0))
    return Status::shape_mismatch;
  return misaligned(scales.data()) ? Status::misaligned : Status::ok;
}

inline Status check_key_lengths(const AttentionProblem& p) noexcept {
  const SequenceBatch& s = p.sequences;
  if (s.count == 0) return Status::empty_shape;
  if ((!s.key_lengths.empty() && s.key_lengths.size() != s.count) ||
      (!s.offsets.empty() && s.offsets.size() != s.count))
    return Status::shape_mismatch;
  if (p.k.ring != 0 && (s.count != p.held.size() || !s.key_lengths.empty()))
    return Status::shape_mismatch;
  for (const std::int32_t length : s.key_lengths)
    if (length < 0 || static_cast<std::size_t>(length) > p.keys) return Status::position_range;
  return Status::ok;
}

inline Status check_pages(const AttentionProblem& p) noexcept {
  const PageTable& t = p.pages;
  if (t.page_tokens == 0) return Status::ok;
  for (std::size_t s = 0; s < p.sequences.count; ++s) {
    const std::size_t used = div_up(p.limit(s).keys, t.page_tokens);
    std::size_t first = 0;
    if (used > t.pages_per_sequence || __builtin_mul_overflow(s, t.pages_per_sequence, &first) ||
        first > t.table.size() || used > t.table.size() - first)
      return Status::page_table;
    for (std::size_t i = 0; i < used; ++i)
      if (t.table[first + i] < 0 || static_cast<std::size_t>(t.table[first + i]) >= t.pages)
        return Status::page_table;
  }
  return Status::ok;
}

inline Status check_mask(const AttentionProblem& p) noexcept {
  const MaskView& m = p.mask;
  if (m.f32 == nullptr && m.f16 == nullptr) return Status::ok;
  if (m.f32 != nullptr && m.f16 != nullptr) return Status::shape_mismatch;
  if (m.heads == 0 || m.sequences == 0) return Status::empty_shape;
  if (p.q.heads % m.heads != 0) return Status::head_ratio;
  if (p.sequences.count % m.sequences != 0) return Status::shape_mismatch;
  if (misaligned(m.f32) || misaligned(m.f16)) return Status::misaligned;
  const std::size_t size = m.f32 != nullptr ? sizeof(float) : sizeof(Float16);
  if (extent_overflows(m.sequences, m.sequence_stride, p.keys, size) ||
      extent_overflows(m.heads, m.head_stride, p.keys, size) ||
      extent_overflows(p.q.tokens, m.query_stride, p.keys, size))
    return Status::shape_too_large;
  const ByteGrid grid = mask_grid(p);
  return grid.empty() || !grid.too_large() ? Status::ok : Status::shape_too_large;
}

/// What belongs to heads and rows: slopes, sinks, gate, log-sum-exp.
inline Status check_row_operands(const AttentionProblem& p) noexcept {
  if ((!p.slopes.empty() && p.slopes.size() != p.q.heads) ||
      (!p.sinks.empty() && p.sinks.size() != p.q.heads))
    return Status::shape_mismatch;
  if (misaligned(p.slopes.data()) || misaligned(p.sinks.data())) return Status::misaligned;
  if (p.gate.data != nullptr) {
    if (const Status s = check_input(p.gate); s != Status::ok) return s;
    if (p.gate.heads != p.out.heads || p.gate.tokens != p.out.tokens || p.gate.dim != p.out.dim)
      return Status::shape_mismatch;
  }
  if (p.log_sum_exp.data != nullptr && p.q.tokens != 0) {
    if (const Status s = check_output(p.log_sum_exp); s != Status::ok) return s;
    std::size_t rows = 0;
    if (__builtin_mul_overflow(p.sequences.count, p.q.heads, &rows) || p.log_sum_exp.rows != rows ||
        p.log_sum_exp.cols != p.q.tokens)
      return Status::shape_mismatch;
  }
  return Status::ok;
}

/// Does a written operand touch anything that is read?
inline bool touches_inputs(const AttentionProblem& p, const ByteGrid& written) noexcept {
  if (written.empty() || written.data == nullptr) return false;
  // Most operands are absent in most calls.
  const auto touches = [&](const void* data, auto&& grid)
                           TESSERA_LAMBDA { return data != nullptr && written.touches(grid()); };
  const SequenceBatch& s = p.sequences;
  const auto touches_span = [&](const auto& span) TESSERA_LAMBDA {
    return touches(span.data(), [&]() TESSERA_LAMBDA { return grid_of(span); });
  };
  if (written.touches(grid_of(p.q, s.count, s.q_stride)) ||
      written.touches(grid_of(p, p.k, p.key_heads, p.keys)) ||
      written.touches(grid_of(p, p.v, p.value_heads, p.values)))
    return true;
  const void* mask = p.mask.f32 != nullptr ? static_cast<const void*>(p.mask.f32) : p.mask.f16;
  if (touches(mask, [&]() TESSERA_LAMBDA { return mask_grid(p); }) ||
      touches(p.gate.data,
              [&]() TESSERA_LAMBDA { return grid_of(p.gate, s.count, s.gate_stride); }) ||
      touches_span(p.slopes) || touches_span(p.sinks) || touches_span(s.key_lengths) ||
      touches_span(s.offsets) || touches_span(p.held) || touches_span(p.pages.table))
    return true;
  if (p.k.scales != nullptr && written.touches(scales_grid(p.k, p.key_heads))) return true;
  return p.v.scales != nullptr && written.touches(scales_grid(p.v, p.value_heads));
}

TESSERA_INLINE ByteGrid out_grid(const AttentionProblem& p) noexcept {
  return grid_of(p.out, p.sequences.count, p.sequences.out_stride);
}
TESSERA_INLINE ByteGrid log_sum_exp_grid(const AttentionProblem& p) noexcept {
  return {p.log_sum_exp.data,
          {1, 1, p.log_sum_exp.rows},
          {0, 0, scaled_stride(p.log_sum_exp.row_stride, sizeof(float))},
          p.log_sum_exp.cols * sizeof(float)};
}

/// No output may touch another operand.
inline Status check_overlaps(const AttentionProblem& p) noexcept {
  if (p.q.tokens == 0) return Status::ok;
  const SequenceBatch& s = p.sequences;
  const ByteGrid out = out_grid(p);
  const ByteGrid lse = log_sum_exp_grid(p);
  if (extent_overflows(s.count, s.out_stride, p.out.dim, sizeof(float)) ||
      extent_overflows(s.count, s.q_stride, p.q.dim, sizeof(float)) ||
      extent_overflows(s.count, s.gate_stride, p.out.dim, sizeof(float)) || out.too_large() ||
      grid_of(p.q, s.count, s.q_stride).too_large() ||
      (p.gate.data != nullptr && grid_of(p.gate, s.count, s.gate_stride).too_large()))
    return Status::shape_too_large;
  if (!out.rows_apart()) return Status::stride_too_small;
  const bool touching = touches_inputs(p, out) || touches_inputs(p, lse) || out.touches(lse);
  return touching ? Status::overlap : Status::ok;
}

/// Partial results are written while everything else is read.
inline Status check_partials(const AttentionProblem& p, std::span<float> partials) noexcept {
  const ByteGrid grid = grid_of(partials);
  const bool touching =
      touches_inputs(p, grid) || grid.touches(out_grid(p)) || grid.touches(log_sum_exp_grid(p));
  return touching ? Status::overlap : Status::ok;
}
/// And read while the outputs are written.
inline Status check_apart_from_outputs(const AttentionProblem& p,
                                       std::span<const float> partials) noexcept {
  const ByteGrid grid = grid_of(partials);
  const bool touching = grid.touches(out_grid(p)) || grid.touches(log_sum_exp_grid(p));
  return touching ? Status::overlap : Status::ok;
}

inline Status check_numbers(const AttentionProblem& p) noexcept {
  const auto not_finite = [](float x) TESSERA_LAMBDA { return !(x - x == 0.0f); };
  if (not_finite(p.scale) || not_finite(p.soft_cap)) return Status::not_finite;
  if (p.soft_cap < 0.0f) return Status::not_positive;
  // The distances that slopes multiply are computed as integers.
  if (!p.slopes.empty() && internal::magnitude(p.offset) > (std::size_t{1} << 60))
    return Status::position_range;
  return Status::ok;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_CHECKS_HPP_
