// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The loops of attention for one key head and one tile of queries.
#ifndef TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_
#define TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/backend/scalar/vec.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/math.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/softmax/softmax.hpp"
#include "tessera/tile/fma_block.hpp"

TESSERA_NAMESPACE_BEGIN

/// Keys are cut at absolute multiples of this; part of the definition of the result.
///
/// Chosen by measurement, 64 / 128 / 256 keys: one AVX-512 core needs 1.15 / 1.39 / 1.59 ms for 8 heads
/// x 8 queries on 2048 f32 keys of 128 (64 transposed keys fill L1); RVV at VLEN 256 retires 0.350 /
/// 0.341 / 0.351 instructions per multiply-accumulate, at VLEN 1024 0.137 / 0.096 / 0.096 (the wider
/// block halves the count there, not the elements per instruction). Shorter blocks also err less.
inline constexpr std::size_t attention_block = 64;

namespace internal {

/// Rows (queries x grouped heads) a unit aims at: enough to share a transposed key block.
inline constexpr std::size_t attention_rows = 32;

/// Which keys a query sees: keys below `visible(i)`.
struct KeyLimit {
  std::size_t keys;
  bool causal;
  std::ptrdiff_t offset;

  TESSERA_INLINE std::size_t visible(std::size_t query) const noexcept {
    if (!causal) return keys;
    const std::size_t by = magnitude(offset);  // unsigned: no offset may overflow
    if (offset >= 0) return by >= keys || query >= keys - by ? keys : query + by + 1;
    if (query < by) return 0;
    return query - by < keys ? query - by + 1 : keys;
  }
};

/// Where the parts of a unit's scratch lie, in floats. R rows, Dk and Dv head sizes.
struct AttentionScratch {
  std::size_t dk;
  std::size_t dv;
  std::size_t rows;

  TESSERA_INLINE std::size_t scores() const noexcept { return dk * attention_block; }
  TESSERA_INLINE std::size_t block() const noexcept { return scores() + rows * attention_block; }
  TESSERA_INLINE std::size_t total() const noexcept { return block() + rows * dv; }
  TESSERA_INLINE std::size_t maxima() const noexcept { return total() + rows * dv; }
  TESSERA_INLINE std::size_t sums() const noexcept { return maxima() + rows; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return round_up((sums() + rows) * sizeof(float), workspace_alignment);
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// e^x of one float, with the bits of the lanes.
TESSERA_INLINE float exp_of(float x) noexcept {
  const PackLanes<ScalarRegister, 1, true> one;
  return exp(one, one.set(x)).v[0];
}

/// Folds a block's (max, sum, output) into the row's: both sides are rescaled to the larger max.
template <class B>
TESSERA_INLINE void fold_block(float block_max, float block_sum, const float* block, float& max,
                               float& sum, float* total, std::size_t dv) noexcept {
  if (block_sum == 0.0f) return;  // nothing visible above -inf
  const float larger = block_max > max ? block_max : max;
  const float origin = larger == -infinity ? 0.0f : larger;
  const float keep = exp_of(max - origin);
  const float take = exp_of(block_max - origin);
  sum = fma(sum, keep, rounded(block_sum * take));
  B::Vectors::template for_lanes<4>(dv, [&](auto d, std::size_t i) TESSERA_LAMBDA {
    d.store(total + i,
            d.fma(d.load(total + i), d.set(keep), d.mul(d.load(block + i), d.set(take))));
  });
  max = larger;
}

/// The query rows of one unit, in the order the scratch keeps them: heads outside, queries inside.
struct QueryRows {
  std::size_t head0;   ///< first query head of the key head's group
  std::size_t heads;   ///< heads of the group
  std::size_t query0;  ///< first query of the tile
  std::size_t queries;

  TESSERA_INLINE std::size_t size() const noexcept { return heads * queries; }
  TESSERA_INLINE std::size_t query(std::size_t row) const noexcept {
    return query0 + row % queries;
  }
};

/// One key head's keys [0, keys) against a tile of query rows.
template <class B>
class AttentionTile {
 public:
  TESSERA_INLINE AttentionTile(const HeadView<const float>& q, const HeadView<const float>& k,
                               const HeadView<const float>& v, const HeadView<float>& out,
                               float scale, KeyLimit limit, std::byte* scratch,
                               const AttentionScratch& layout) noexcept
      : q_(q), k_(k), v_(v), out_(out), scale_(scale), limit_(limit), layout_(layout) {
    auto* floats = reinterpret_cast<float*>(scratch);
    keys_t_ = floats;
    scores_ = floats + layout.scores();
    block_ = floats + layout.block();
    total_ = floats + layout.total();
    max_ = floats + layout.maxima();
    sum_ = floats + layout.sums();
  }

  TESSERA_INLINE void run(std::size_t key_head, const QueryRows& rows) noexcept {
    for (std::size_t r = 0; r < rows.size(); ++r) max_[r] = -infinity, sum_[r] = 0.0f;
    for (std::size_t i = 0; i < rows.size() * v_.dim; ++i) total_[i] = 0.0f;
    const std::size_t end = limit_.visible(rows.query0 + rows.queries - 1);
    for (std::size_t key = 0; key < end; key += attention_block) {
      const std::size_t n = end - key < attention_block ? end - key : attention_block;
      transpose_keys(key_head, key, n);
      score(rows, n);
      weigh(key_head, rows, key, n);
    }
    store(rows);
  }

 private:
  static constexpr auto ld = static_cast<std::ptrdiff_t>(attention_block);

  /// keys_t_[d][key] = k[key][d], so that lanes run across keys.
  TESSERA_INLINE void transpose_keys(std::size_t head, std::size_t key, std::size_t n) noexcept {
    for (std::size_t j = 0; j < n; ++j) {
      const float* row = k_.row(head, key + j);
      for (std::size_t d = 0; d < k_.dim; ++d) keys_t_[d * attention_block + j] = row[d];
    }
  }

  /// scores_[row][key]: one fma chain over ascending d each.
  TESSERA_INLINE void score(const QueryRows& rows, std::size_t n) noexcept {
    if (rows.queries == 1) {
      fma_rows<B>(q_.row(rows.head0, rows.query0), q_.head_stride, keys_t_, ld, k_.dim, rows.heads,
                  n, scores_, ld);
      return;
    }
    for (std::size_t h = 0; h < rows.heads; ++h)
      fma_rows<B>(q_.row(rows.head0 + h, rows.query0), q_.token_stride, keys_t_, ld, k_.dim,
                  rows.queries, n, scores_ + h * rows.queries * attention_block, ld);
  }

  /// Softmax of each row's visible part of the block, its weighted values, and the fold.
  TESSERA_INLINE void weigh(std::size_t head, const QueryRows& rows, std::size_t key,
                            std::size_t n) noexcept {
    std::size_t r = 0;
    while (r < rows.size()) {
      const std::size_t visible = visible_in_block(rows.query(r), key, n);
      std::size_t same = r + 1;  // neighbours that see as much share one pass over the values
      while (same < rows.size() && visible_in_block(rows.query(same), key, n) == visible) ++same;
      if (visible != 0) weigh_rows(head, key, visible, r, same);
      r = same;
    }
  }

  TESSERA_INLINE void weigh_rows(std::size_t head, std::size_t key, std::size_t visible,
                                 std::size_t begin, std::size_t end) noexcept {
    float maxima[attention_rows];
    float sums[attention_rows];
    const auto dv = static_cast<std::ptrdiff_t>(v_.dim);
    while (begin < end) {
      const std::size_t count = end - begin < attention_rows ? end - begin : attention_rows;
      float* p = scores_ + begin * attention_block;
      for (std::size_t i = 0; i < count; ++i) {
        float* row = p + i * attention_block;
        maxima[i] = scale_and_max<B>(row, scale_, row, visible);
        sums[i] = exp_and_sum<B>(row, maxima[i], visible);
      }
      float* block = block_ + begin * v_.dim;
      fma_rows<B>(p, ld, v_.row(head, key), v_.token_stride, visible, count, v_.dim, block, dv);
      for (std::size_t i = 0; i < count; ++i)
        fold_block<B>(maxima[i], sums[i], block + i * v_.dim, max_[begin + i], sum_[begin + i],
                      total_ + (begin + i) * v_.dim, v_.dim);
      begin += count;
    }
  }

  TESSERA_INLINE std::size_t visible_in_block(std::size_t query, std::size_t key,
                                              std::size_t n) const noexcept {
    const std::size_t visible = limit_.visible(query);
    if (visible <= key) return 0;
    return visible - key < n ? visible - key : n;
  }

  TESSERA_INLINE void store(const QueryRows& rows) noexcept {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float inverse = inverse_of_sum(sum_[r]);
      const float* total = total_ + r * v_.dim;
      float* out = out_.row(rows.head0 + r / rows.queries, rows.query(r));
      B::Vectors::template for_lanes<4>(v_.dim, [&](auto d, std::size_t i) TESSERA_LAMBDA {
        d.store(out + i, d.rounded(d.mul(d.load(total + i), d.set(inverse))));
      });
    }
  }

  const HeadView<const float>& q_;
  const HeadView<const float>& k_;
  const HeadView<const float>& v_;
  const HeadView<float>& out_;
  float scale_;
  KeyLimit limit_;
  AttentionScratch layout_;
  float* keys_t_;
  float* scores_;
  float* block_;
  float* total_;
  float* max_;
  float* sum_;
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_ATTENTION_HPP_
