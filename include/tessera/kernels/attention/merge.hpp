// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Partial results of splits of the keys, folded in ascending order.
#ifndef TESSERA_KERNELS_ATTENTION_MERGE_HPP_
#define TESSERA_KERNELS_ATTENTION_MERGE_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/attention/row.hpp"

TESSERA_NAMESPACE_BEGIN

/// What attention_blocks() gave for some keys.
struct AttentionPart {
  KeyRange keys;
  std::span<const float> partials;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The blocks of a range of keys, cut to those there are; Status::key_split where it is not cut at
/// multiples of attention_block.
struct BlockRange {
  std::size_t first = 0;
  std::size_t count = 0;
};
inline Status blocks_of(const AttentionProblem& p, KeyRange keys, BlockRange& blocks) noexcept {
  const std::size_t end = keys.end < p.keys ? keys.end : p.keys;
  const std::size_t begin = keys.begin < end ? keys.begin : end;
  if (keys.begin > keys.end) return Status::key_split;
  if (begin < end && begin % attention_block != 0) return Status::key_split;
  if (begin < end && end < p.keys && end % attention_block != 0) return Status::key_split;
  blocks = {begin / attention_block, begin < end ? div_up(end - begin, attention_block) : 0};
  return Status::ok;
}

/// Floats that the partials of so many blocks take; 0 beyond what size_t holds.
inline std::size_t partial_floats(const AttentionProblem& p, std::size_t blocks) noexcept {
  std::size_t n = p.dv + 2;
  if (__builtin_mul_overflow(n, p.sequences.count, &n) ||
      __builtin_mul_overflow(n, p.q.heads, &n) || __builtin_mul_overflow(n, p.q.tokens, &n) ||
      __builtin_mul_overflow(n, blocks, &n) || n > (SIZE_MAX >> 3))
    return 0;
  return n;
}

/// Parts must follow one another from key 0 to the last.
inline Status check_parts(const AttentionProblem& p,
                          std::span<const AttentionPart> parts) noexcept {
  std::size_t next = 0;
  for (const AttentionPart& part : parts) {
    BlockRange blocks;
    if (const Status s = blocks_of(p, part.keys, blocks); s != Status::ok) return s;
    if (blocks.count == 0) continue;
    if (blocks.first != next) return Status::key_split;
    next += blocks.count;
    if (part.partials.size() < partial_floats(p, blocks.count)) return Status::workspace_too_small;
    if (misaligned(part.partials.data())) return Status::misaligned;
  }
  return next == div_up(p.keys, attention_block) ? Status::ok : Status::key_split;
}

/// Rows [begin, end) of (sequence, head, query), queries fastest.
template <class B>
TESSERA_NOINLINE void merge_parts(const AttentionProblem& p, std::span<const AttentionPart> parts,
                                  UnitRange range) noexcept {
  for (std::size_t r = range.begin; r < range.end; ++r) {
    const RowPlace at = {r / p.q.tokens / p.q.heads, r / p.q.tokens % p.q.heads, r % p.q.tokens};
    float* total = p.out_row(at.sequence, at.head, at.query);
    for (std::size_t i = 0; i < p.dv; ++i) total[i] = 0.0f;
    float max = -infinity;
    float sum = 0.0f;
    for (const AttentionPart& part : parts) {
      BlockRange blocks;
      (void)blocks_of(p, part.keys, blocks);
      const float* entry = part.partials.data() + r * blocks.count * (p.dv + 2);
      for (std::size_t b = 0; b < blocks.count; ++b, entry += p.dv + 2)
        fold_block<B>(entry[0], entry[1], entry + 2, max, sum, total, p.dv);
    }
    finish_row<B>(p, at, max, sum, total);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_MERGE_HPP_
