// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The loops of attention for one key head and one tile of queries, written once for all formats.
#ifndef TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_
#define TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/unroll.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/key_tile.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/attention/readers.hpp"
#include "tessera/kernels/attention/row.hpp"
#include "tessera/kernels/softmax/softmax.hpp"
#include "tessera/tile/fma_block.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Where the partial results of a split of the keys go: per row of (sequence, head, query) and block
/// of the split, max, sum and the block's output.
struct BlockPartials {
  float* data;
  std::size_t first;  ///< block
  std::size_t count;

  TESSERA_INLINE float* at(const AttentionProblem& p, const RowPlace& row,
                           std::size_t block) const noexcept {
    const std::size_t r = (row.sequence * p.q.heads + row.head) * p.q.tokens + row.query;
    return data + (r * count + (block - first)) * (p.dv + 2);
  }
};

/// One key head's keys against a tile of query rows: all heads of the group of some queries, query
/// by query.
template <class B>
class AttentionTile {
 public:
  TESSERA_INLINE AttentionTile(const AttentionProblem& problem, const CacheReaders& readers,
                               KeyRange split, const BlockPartials* partials,
                               bool scores_only) noexcept
      : p_(problem),
        readers_(readers),
        split_(split),
        partials_(partials),
        scores_only_(scores_only),
        layout_(problem, readers.products),
        tile_(problem.workspace.scratch.data(), layout_) {
    std::byte* scratch = problem.workspace.scratch.data();
    decoded_ = reinterpret_cast<float*>(scratch + layout_.decoded());
    scores_ = reinterpret_cast<float*>(scratch + layout_.scores());
    block_ = reinterpret_cast<float*>(scratch + layout_.block());
    total_ = reinterpret_cast<float*>(scratch + layout_.total());
    max_ = reinterpret_cast<float*>(scratch + layout_.maxima());
    sum_ = reinterpret_cast<float*>(scratch + layout_.sums());
    group_ = problem.group();
  }

  /// Units are (sequence, key head, tile of queries), tiles fastest.
  TESSERA_NOINLINE void run(std::size_t unit) noexcept {
    const std::size_t tiles = p_.query_tiles();
    query0_ = unit % tiles * p_.queries_per_unit();
    const std::size_t left = p_.q.tokens - query0_;
    queries_ = left < p_.queries_per_unit() ? left : p_.queries_per_unit();
    key_head_ = unit / tiles % p_.key_heads;
    sequence_ = unit / tiles / p_.key_heads;
    rows_ = queries_ * group_;
    limit_ = p_.limit(sequence_);
    begin();
    // A later query sees no earlier keys: the tile sees what lies between its ends.
    first_ = limit_.visible(query0_);
    last_ = limit_.visible(query0_ + queries_ - 1);
    KeyRange all = {first_.begin, last_.end};
    if (all.begin < split_.begin) all.begin = split_.begin;
    if (all.end > split_.end) all.end = split_.end;
    for (std::size_t key = all.begin / attention_block * attention_block; key < all.end;
         key += attention_block) {
      const std::size_t n = all.end - key < attention_block ? all.end - key : attention_block;
      if (has_mask() && masked_for_all(key, n)) continue;
      by_key_ = scores_by_key(key, n);
      score(key, n);
      if (scores_only_)
        store_scores(key, n);
      else if (by_key_)
        weigh_by_key(key, n);
      else
        weigh(key, n);
    }
    if (partials_ == nullptr && !scores_only_)
      for (std::size_t r = 0; r < rows_; ++r)
        finish_row<B>(p_, place(r), max_[r], sum_[r], total_ + r * p_.dv);
  }

 private:
  static constexpr std::size_t ld = KeyTile<B>::ld;

  TESSERA_INLINE bool has_mask() const noexcept {
    return p_.mask.f32 != nullptr || p_.mask.f16 != nullptr;
  }
  TESSERA_INLINE RowPlace place(std::size_t row) const noexcept {
    return {sequence_, key_head_ * group_ + row % group_, query0_ + row / group_};
  }
  /// Keys of the block at `key` that a row sees, counted from the block's first.
  TESSERA_INLINE KeyRange visible_in_block(std::size_t row, std::size_t key,
                                           std::size_t n) const noexcept {
    return cut(limit_.visible(query0_ + row / group_), key, n);
  }
  TESSERA_INLINE static KeyRange cut(const KeyRange& all, std::size_t key, std::size_t n) noexcept {
    if (all.begin >= all.end || all.end <= key || all.begin >= key + n) return {0, 0};
    return {all.begin > key ? all.begin - key : 0, all.end - key < n ? all.end - key : n};
  }

  /// The query rows side by side, quantised if the keys ask for it; nothing attended to yet.
  TESSERA_NOINLINE void begin() noexcept {
    for (std::size_t r = 0; r < rows_; ++r) {
      const RowPlace at = place(r);
      const float* from = p_.q_row(at.sequence, at.head, at.query);
      float* const to = tile_.query_row(r);
      B::Vectors::template for_lanes<8>(
          p_.dk, [&](auto d, std::size_t i) TESSERA_LAMBDA { d.store(to + i, d.load(from + i)); });
      max_[r] = -infinity, sum_[r] = 0.0f;
      if (partials_ == nullptr) continue;
      for (std::size_t b = 0; b < partials_->count; ++b) {
        float* entry = partials_->at(p_, at, partials_->first + b);
        entry[0] = -infinity, entry[1] = 0.0f;
      }
    }
    if (partials_ == nullptr)
      B::Vectors::template for_lanes<8>(rows_ * p_.dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(total_ + i, d.set(0.0f));
      });
    if (readers_.products == KeyProducts::floats) return;
    if (p_.k.scales != nullptr)
      for (std::size_t r = 0; r < rows_; ++r) scale_query(tile_.query_row(r));
    tile_.quantize(rows_);
  }

  /// Codes whose scales lie apart meet a query that is multiplied by them.
  TESSERA_NOINLINE void scale_query(float* row) noexcept {
    const float* scales = p_.k.scales_of(key_head_);
    const bool per_channel = p_.k.channels != 0;
    B::Vectors::template for_lanes<4>(p_.dk, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      if (per_channel)
        d.store(row + i, d.rounded(d.mul(d.load(row + i), d.load(scales + i))));
      else
        d.store(row + i, d.rounded(d.mul(scales[0], d.load(row + i))));
    });
  }

  TESSERA_NOINLINE bool masked_for_all(std::size_t key, std::size_t n) const noexcept {
    const std::size_t step = p_.mask.heads == 1 || p_.mask.head_stride == 0 ? group_ : 1;
    for (std::size_t r = 0; r < rows_; r += step) {
      const MaskRow mask(p_.mask, place(r), key);
      for (std::size_t j = 0; j < n; ++j)
        if (!mask.excludes(j)) return false;
    }
    return true;
  }

  /// out[row][key] = scale * q . k.
  TESSERA_NOINLINE void store_scores(std::size_t key, std::size_t n) noexcept {
    for (std::size_t r = 0; r < rows_; ++r) {
      const RowPlace at = place(r);
      const float* from = scores_ + r * ld;
      float* out = p_.out_row(at.sequence, at.head, at.query) + key;
      B::Vectors::template for_lanes<4>(n, [&](auto d, std::size_t j) TESSERA_LAMBDA {
        d.store(out + j, d.rounded(d.mul(p_.scale, d.load(from + j))));
      });
    }
  }

  /// Keys that lie as columns are in the tile's order already.
  TESSERA_NOINLINE void score_columns(std::size_t key, std::size_t n) noexcept {
    for (std::size_t e = 0; e < p_.dk; e += attention_block) {
      const std::size_t count = p_.dk - e < attention_block ? p_.dk - e : attention_block;
      const std::byte* first = p_.k.row(sequence_, key_head_, e) + key * p_.k.block_bytes;
      readers_.keys({first, p_.k.token_stride, count}, n, tile_.floats() + e * attention_block,
                    attention_block);
    }
    tile_.score(rows_, n, scores_);
  }

  /// Do scores of a block come out key by key? All rows see the same keys then, and nothing but the scale
  /// is applied to them.
  TESSERA_INLINE bool scores_by_key(std::size_t key, std::size_t n) noexcept {
    if constexpr (!KeyTile<B>::by_key) return false;
    if (readers_.products != KeyProducts::codes || scores_only_ || !KeyTile<B>::takes_by_key(rows_))
      return false;
    if (p_.soft_cap != 0.0f || !p_.slopes.empty() || has_mask()) return false;
    common_ = cut(first_, key, n);
    const KeyRange last = cut(last_, key, n);
    return common_.end != 0 && common_.begin == last.begin && common_.end == last.end;
  }
  TESSERA_INLINE void score_codes(std::size_t n) noexcept {
    if (by_key_) {
      tile_.score_by_key(rows_, scores_);
      return;
    }
    tile_.set_scales();
    tile_.score_codes(n, scores_);
  }

  /// scores_[row][key] = q . k.
  TESSERA_NOINLINE void score(std::size_t key, std::size_t n) noexcept {
    if (p_.keys_transposed) {
      score_columns(key, n);
      return;
    }
    count_decoded<B>(readers_.key_blocks * n * p_.k.blocks);
    if (readers_.key_tiles) {
      const std::byte* block = p_.k.row(sequence_, key_head_, key / attention_block % p_.k.ring);
      tile_.read(block, block + attention_block * p_.dk);
      score_codes(n);
      return;
    }
    if (readers_.key_codes != nullptr) {
      p_.for_runs(p_.k, sequence_, key_head_, key, n,
                  [&](const RowRun& run, std::size_t at)
                      TESSERA_LAMBDA { readers_.key_codes(run, at, tile_.codes()); });
      score_codes(n);
      return;
    }
    const float* rows[attention_block];
    p_.for_runs(
        p_.k, sequence_, key_head_, key, n, [&](const RowRun& run, std::size_t at) TESSERA_LAMBDA {
          float* decoded = decoded_ + at * p_.dk;
          if (!readers_.keys_are_f32) readers_.keys(run, p_.k.blocks, decoded, p_.dk);
          for (std::size_t j = 0; j < run.count; ++j)
            rows[at + j] = readers_.keys_are_f32 ? reinterpret_cast<const float*>(run.row(j))
                                                 : decoded + j * p_.dk;
        });
    tile_.set_keys(rows, n);
    tile_.score(rows_, n, scores_);
  }

  /// A block's values in f32, rows `stride` floats apart.
  struct ValueRows {
    const float* first;
    std::ptrdiff_t stride;
  };
  TESSERA_INLINE ValueRows value_rows(std::size_t key, std::size_t n) noexcept {
    if (readers_.values_are_f32 && p_.pages.page_tokens == 0)
      return {reinterpret_cast<const float*>(p_.v.row(sequence_, key_head_, key)),
              p_.v.token_stride / static_cast<std::ptrdiff_t>(sizeof(float))};
    p_.for_runs(p_.v, sequence_, key_head_, key, n,
                [&](const RowRun& run, std::size_t at) TESSERA_LAMBDA {
                  readers_.values(run, p_.v.blocks, decoded_ + at * p_.dv, p_.dv);
                });
    count_decoded<B>(readers_.value_blocks * n * p_.v.blocks);
    return {decoded_, static_cast<std::ptrdiff_t>(p_.dv)};
  }

  /// Softmax of each row's visible part of the block, its weighted values, and the fold.
  TESSERA_NOINLINE void weigh(std::size_t key, std::size_t n) noexcept {
    if (rows_ == 1 && readers_.weigh_values != nullptr && !has_mask()) {
      weigh_one(key, n);
      return;
    }
    const ValueRows rows = value_rows(key, n);
    const float* const values = rows.first;
    const std::ptrdiff_t stride = rows.stride;
    const bool finite = !has_mask() || all_finite(values, stride, n);
    const KeyRange last = cut(last_, key, n);
    for (std::size_t r = 0; r < rows_;) {
      const KeyRange visible = visible_in_block(r, key, n);
      // Queries that see as much share one pass over the values; what they see never goes back.
      std::size_t same = r + group_;
      if (visible.begin == last.begin && visible.end == last.end) same = rows_;
      while (same < rows_) {
        const KeyRange next = visible_in_block(same, key, n);
        if (next.begin != visible.begin || next.end != visible.end) break;
        same += group_;
      }
      for (; visible.end != 0 && r < same; r += attention_rows) {
        const std::size_t count = same - r < attention_rows ? same - r : attention_rows;
        weigh_rows(key, visible, r, count, values, stride, finite);
      }
      r = same;
    }
  }

  /// All rows, whose scores lie key by key.
  TESSERA_NOINLINE void weigh_by_key(std::size_t key, std::size_t n) noexcept {
    if constexpr (KeyTile<B>::by_key) {
      const ValueRows rows = value_rows(key, n);
      using Major = typename B::KeyMajor;
      float maxima[attention_rows];
      float sums[attention_rows];
      const KeyRange visible = common_;
      const float* seen = rows.first + static_cast<std::ptrdiff_t>(visible.begin) * rows.stride;
      const auto step = scaled_stride(rows.stride, sizeof(float));
      for (std::size_t r = 0; r < rows_; r += Major::queries) {
        float* const p = scores_ + r * attention_block;
        const std::size_t count = rows_ - r < Major::queries ? rows_ - r : Major::queries;
        Major::soften(p, p_.scale, visible.begin, visible.end, maxima + r, sums + r);
        Major::weigh(p + visible.begin * Major::queries, seen, step, visible.end - visible.begin,
                     count, p_.dv, block_ + r * p_.dv);
      }
      keep_blocks(key, 0, rows_, maxima, sums);
    }
  }

  /// A single row: values meet their weights as they are decoded.
  TESSERA_NOINLINE void weigh_one(std::size_t key, std::size_t n) noexcept {
    const KeyRange visible = visible_in_block(0, key, n);
    if (visible.end == 0) return;
    float max, sum;
    exponentiate(key, visible, 0, 1, &max, &sum);
    for (std::size_t i = 0; i < p_.dv; ++i) block_[i] = 0.0f;
    p_.for_runs(p_.v, sequence_, key_head_, key + visible.begin, visible.end - visible.begin,
                [&](const RowRun& run, std::size_t at) TESSERA_LAMBDA {
                  readers_.weigh_values(run, p_.v.blocks, scores_ + visible.begin + at, block_);
                });
    count_decoded<B>(readers_.value_blocks * n * p_.v.blocks);
    keep_blocks(key, 0, 1, &max, &sum);
  }

  /// Scores of rows that see the same keys to weights; their maxima and sums.
  TESSERA_INLINE void exponentiate(std::size_t key, KeyRange visible, std::size_t begin,
                                   std::size_t count, float* maxima, float* sums) noexcept {
    float* p = scores_ + begin * ld;
    const bool plain =
        p_.soft_cap == 0.0f && p_.slopes.empty() && !has_mask() && visible.begin == 0;
    for (std::size_t i = 0; i < count && !plain; ++i)
      finish_scores<B>(p_, place(begin + i), key, visible, p + i * ld);
    exp_rows<B>(p, ld, count, plain ? p_.scale : 1.0f, visible.end, maxima, sums);
  }

  /// At most attention_rows rows that see the same keys.
  TESSERA_INLINE void weigh_rows(std::size_t key, KeyRange visible, std::size_t begin,
                                 std::size_t count, const float* values, std::ptrdiff_t stride,
                                 bool finite) noexcept {
    float maxima[attention_rows];
    float sums[attention_rows];
    float* p = scores_ + begin * ld;
    exponentiate(key, visible, begin, count, maxima, sums);
    float* block = block_ + begin * p_.dv;
    const float* seen = values + static_cast<std::ptrdiff_t>(visible.begin) * stride;
    if (finite)
      weighted_sums<B>(p + visible.begin, Index<ld>(), seen, stride, visible.end - visible.begin,
                       count, p_.dv, block);
    if (!finite)
      for (std::size_t i = 0; i < count; ++i)
        weigh_unmasked(key, visible, begin + i, values, stride, block + i * p_.dv);
    keep_blocks(key, begin, count, maxima, sums);
  }

  /// A block's results of some rows: folded, or handed out.
  TESSERA_NOINLINE void keep_blocks(std::size_t key, std::size_t begin, std::size_t count,
                                    const float* maxima, const float* sums) noexcept {
    if (partials_ != nullptr) {
      for (std::size_t i = 0; i < count; ++i) {
        float* entry = partials_->at(p_, place(begin + i), key / attention_block);
        entry[0] = maxima[i], entry[1] = sums[i];
        __builtin_memcpy(entry + 2, block_ + (begin + i) * p_.dv, p_.dv * sizeof(float));
      }
      return;
    }
    float keep[attention_rows];
    float take[attention_rows];
    fold_sums<B>(maxima, sums, max_ + begin, sum_ + begin, keep, take, count);
    fold_outputs<B>(block_ + begin * p_.dv, sums, keep, take, total_ + begin * p_.dv, count, p_.dv);
  }

  TESSERA_NOINLINE bool all_finite(const float* values, std::ptrdiff_t stride,
                                   std::size_t n) const noexcept {
    const auto full = B::Vectors::full_virtual();
    auto largest = full.set_i32(0);
    for (std::size_t j = 0; j < n; ++j, values += stride)
      B::Vectors::for_virtual(p_.dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        const auto magnitude = d.iand(d.bits(d.load(values + i)), d.set_i32(INT32_MAX));
        largest = d.keep(largest, d.imax(magnitude, largest));
      });
    return full.imax_lane(largest) < 0x7f800000;
  }

  /// The weighted values of one row where a masked key's value may be NaN: such keys are left out.
  TESSERA_NOINLINE void weigh_unmasked(std::size_t key, KeyRange visible, std::size_t row,
                                       const float* values, std::ptrdiff_t stride,
                                       float* block) noexcept {
    const MaskRow mask(p_.mask, place(row), key);
    for (std::size_t i = 0; i < p_.dv; ++i) block[i] = 0.0f;
    for (std::size_t j = visible.begin; j < visible.end; ++j) {
      if (mask.excludes(j)) continue;
      const float p = scores_[row * ld + j];
      const float* value = values + static_cast<std::ptrdiff_t>(j) * stride;
      B::Vectors::template for_lanes<4>(p_.dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(block + i, d.fma(p, d.load(value + i), d.load(block + i)));
      });
    }
  }

  const AttentionProblem& p_;
  const CacheReaders& readers_;
  const KeyRange split_;
  const BlockPartials* partials_;
  const bool scores_only_;
  const AttentionScratch layout_;
  KeyTile<B> tile_;
  float* decoded_;
  float* scores_;
  float* block_;
  float* total_;
  float* max_;
  float* sum_;
  std::size_t group_;

  // The unit at hand.
  std::size_t sequence_ = 0;
  std::size_t key_head_ = 0;
  std::size_t query0_ = 0;
  std::size_t queries_ = 0;
  std::size_t rows_ = 0;
  KeyLimit limit_ = {};
  KeyRange first_ = {};  ///< what its first query sees, and its last
  KeyRange last_ = {};
  // The block at hand.
  bool by_key_ = false;
  KeyRange common_ = {};  ///< what all rows see of it, if by_key_
};

/// Units [range.begin, range.end) over the keys of `split`.
template <class B>
TESSERA_NOINLINE void attend(const AttentionProblem& problem, const CacheReaders& readers,
                             UnitRange range, KeyRange split, const BlockPartials* partials,
                             bool scores_only = false) noexcept {
  AttentionTile<B> tile(problem, readers, split, partials, scores_only);
  for (std::size_t u = range.begin; u < range.end; ++u) tile.run(u);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_
