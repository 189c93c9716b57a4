// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One attention problem with its types erased: operands in bytes, which keys a query sees, and the
/// scratch of a unit. Everything here is the same for all formats and backends.
#ifndef TESSERA_KERNELS_ATTENTION_PROBLEM_HPP_
#define TESSERA_KERNELS_ATTENTION_PROBLEM_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"

TESSERA_NAMESPACE_BEGIN

/// Keys are cut at absolute multiples of this; part of the definition of the result.
///
/// Chosen by measurement, 64 / 128 / 256 keys: one AVX-512 core needs 1.15 / 1.39 / 1.59 ms for 8 heads
/// x 8 queries on 2048 f32 keys of 128 (64 transposed keys fill L1); RVV at VLEN 256 retires 0.350 /
/// 0.341 / 0.351 instructions per multiply-accumulate, at VLEN 1024 0.137 / 0.096 / 0.096 (the wider
/// block halves the count there, not the elements per instruction). Shorter blocks also err less.
inline constexpr std::size_t attention_block = 64;

/// What a key of a block format is multiplied with. Float keys always meet the query as it is.
enum class Query : std::uint8_t {
  quantized,  ///< the query in int8 per group of 32: exact integer products
  full        ///< the f32 query: keys are decoded
};

/// No limit of attention's window.
inline constexpr std::size_t unlimited = SIZE_MAX;

/// Added to the scores. Entry (sequence s, head h, query i, key j) is at
/// `data[(s % sequences) * sequence_stride + (h % heads) * head_stride + i * query_stride + j]`, in
/// elements; a stride of 0 repeats. -inf: the key does not count. Neither pointer set: no mask.
struct MaskView {
  const float* f32 = nullptr;
  const Float16* f16 = nullptr;
  std::size_t heads = 1;
  std::size_t sequences = 1;
  std::ptrdiff_t query_stride = 0;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t sequence_stride = 0;
};

/// Several sequences in one call. Strides go from one sequence to the next, in elements of q, out
/// and gate and in blocks of k and v.
struct SequenceBatch {
  std::size_t count = 1;
  std::ptrdiff_t q_stride = 0;
  std::ptrdiff_t k_stride = 0;
  std::ptrdiff_t v_stride = 0;
  std::ptrdiff_t out_stride = 0;
  std::ptrdiff_t gate_stride = 0;
  /// Keys of each sequence, at most k.tokens; empty: k.tokens for all.
  std::span<const std::int32_t> key_lengths = {};
  /// causal_offset of each sequence; empty: the one of the arguments for all.
  std::span<const std::int32_t> offsets = {};
};

/// Keys and values in pages: key t of sequence s is row t % page_tokens of page
/// `table[s * pages_per_sequence + t / page_tokens]`. The strides between pages are in blocks.
/// page_tokens 0: no pages.
struct PageTable {
  std::size_t page_tokens = 0;
  std::span<const std::int32_t> table = {};
  std::size_t pages_per_sequence = 0;
  std::size_t pages = 0;  ///< that exist
  std::ptrdiff_t k_stride = 0;
  std::ptrdiff_t v_stride = 0;
};

/// Keys [begin, end).
struct KeyRange {
  std::size_t begin = 0;
  std::size_t end = unlimited;
};

/// Positions [begin, end) of the tokens that a KvCache holds of a sequence.
struct KvHeld {
  std::size_t begin = 0;
  std::size_t end = 0;
};

namespace internal {

/// Rows (queries x grouped heads) a unit aims at: enough to share a decoded key block.
inline constexpr std::size_t attention_rows = 64;

/// Which keys a query sees: positions p - before .. p + after, p = query + offset. None where begin >= end.
struct KeyLimit {
  std::size_t keys;
  std::ptrdiff_t offset;
  std::size_t before;
  std::size_t after;
  std::size_t first = 0;  ///< keys below are no longer there

  TESSERA_INLINE KeyRange visible(std::size_t query) const noexcept {
    const KeyRange all = around(query);
    return {all.begin > first ? all.begin : first, all.end};
  }

 private:
  TESSERA_INLINE KeyRange around(std::size_t query) const noexcept {
    // Position and magnitude apart, in unsigned: no offset may overflow.
    const std::size_t by = magnitude(offset);
    const bool negative = offset < 0 && query < by;
    const std::size_t p = offset >= 0 ? (query > SIZE_MAX - by ? SIZE_MAX : query + by)
                          : negative  ? by - query
                                      : query - by;
    if (negative) {
      if (after != unlimited && after < p) return {0, 0};
      const std::size_t last = after - p;  // unlimited stays beyond all keys
      return {0, last < keys ? last + 1 : keys};
    }
    const std::size_t end = after >= keys || p >= keys - after ? keys : p + after + 1;
    const std::size_t begin = p > before ? p - before : 0;
    return {begin < end ? begin : end, end};
  }
};

/// Rows of a cache by bytes: `outer` is a sequence or a page.
struct CacheRows {
  const std::byte* data;
  std::size_t blocks;  ///< of a row
  std::size_t block_bytes;
  std::size_t alignment;
  std::ptrdiff_t head_stride;
  std::ptrdiff_t token_stride;
  std::ptrdiff_t outer_stride;
  /// Blocks of attention_block tokens that repeat, token_stride apart (kv_cache.hpp); 0: rows.
  std::size_t ring = 0;
  const float* scales = nullptr;  ///< of codes whose scales lie apart (scaled_codes.hpp)
  std::size_t channels = 0;       ///< scales per head; 0: there is one for all

  TESSERA_INLINE const std::byte* row(std::size_t outer, std::size_t head,
                                      std::size_t token) const noexcept {
    // Wraps like the strides, which count for nothing where the index is 0.
    return data + static_cast<std::ptrdiff_t>(outer * static_cast<std::size_t>(outer_stride) +
                                              head * static_cast<std::size_t>(head_stride) +
                                              token * static_cast<std::size_t>(token_stride));
  }
  TESSERA_INLINE const float* scales_of(std::size_t head) const noexcept {
    return scales == nullptr ? nullptr : scales + head * channels;
  }
};

TESSERA_INLINE constexpr std::ptrdiff_t scaled_stride(std::ptrdiff_t stride,
                                                      std::size_t bytes) noexcept {
  return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(stride) * bytes);
}

/// Rows a constant number of bytes apart; or, of a KvCache, tokens of the block whose keys or values
/// begin at `first`.
struct RowRun {
  const std::byte* first;
  std::ptrdiff_t stride;
  std::size_t count;
  std::size_t begin = 0;  ///< first token of the block
  const float* scales = nullptr;
  bool scale_per_channel = false;

  TESSERA_INLINE const std::byte* row(std::size_t j) const noexcept {
    return first + static_cast<std::ptrdiff_t>(j) * stride;
  }
};

/// All arguments but those that depend on a format or a backend.
struct AttentionProblem {
  HeadView<const float> q;
  HeadView<float> out;
  CacheRows k;
  CacheRows v;
  std::size_t key_heads;
  std::size_t value_heads;
  std::size_t keys;  ///< of the longest sequence
  std::size_t values;
  std::size_t dk;
  std::size_t dv;
  float scale;
  float soft_cap;
  std::ptrdiff_t offset;
  std::size_t before;
  std::size_t after;
  MaskView mask;
  std::span<const float> slopes;
  std::span<const float> sinks;
  HeadView<const float> gate;
  MatrixView<float> log_sum_exp;
  SequenceBatch sequences;
  PageTable pages;
  Workspace workspace;
  bool keys_transposed = false;       ///< rows of k are elements, one column per key (scores only)
  std::span<const KvHeld> held = {};  ///< tokens of each sequence of a KvCache

  TESSERA_INLINE std::size_t group() const noexcept {
    return key_heads == 0 ? 1 : q.heads / key_heads;
  }
  TESSERA_INLINE std::size_t queries_per_unit() const noexcept {
    const std::size_t g = group();
    return g >= attention_rows || g == 0 ? 1 : attention_rows / g;
  }
  TESSERA_INLINE std::size_t query_tiles() const noexcept {
    return div_up(q.tokens, queries_per_unit());
  }
  TESSERA_INLINE KeyLimit limit(std::size_t sequence) const noexcept {
    const auto& lengths = sequences.key_lengths;
    const KvHeld range =
        held.empty()
            ? KvHeld{0, lengths.empty() ? keys : static_cast<std::size_t>(lengths[sequence])}
            : held[sequence];
    return {range.end,
            sequences.offsets.empty() ? offset
                                      : static_cast<std::ptrdiff_t>(sequences.offsets[sequence]),
            before, after, range.begin};
  }
  TESSERA_INLINE const float* q_row(std::size_t s, std::size_t h, std::size_t t) const noexcept {
    return q.row(h, t) + static_cast<std::ptrdiff_t>(s) * sequences.q_stride;
  }
  TESSERA_INLINE float* out_row(std::size_t s, std::size_t h, std::size_t t) const noexcept {
    return out.row(h, t) + static_cast<std::ptrdiff_t>(s) * sequences.out_stride;
  }
  /// Keys [key, key + n) of one of the caches as runs of rows that lie equally far apart: calls
  /// body(run, number of rows before it). They lie in one block of attention_block.
  template <class Body>
  TESSERA_INLINE void for_runs(const CacheRows& cache, std::size_t sequence, std::size_t head,
                               std::size_t key, std::size_t n, Body&& body) const noexcept {
    if (cache.ring != 0) {
      const std::byte* block = cache.row(sequence, head, key / attention_block % cache.ring);
      body(RowRun{block, 0, n, key % attention_block}, std::size_t{0});
      return;
    }
    const std::size_t page = pages.page_tokens;
    for (std::size_t j = 0; j < n;) {
      const std::size_t at = page == 0 ? key + j : (key + j) % page;
      const std::size_t count = page == 0 || n - j < page - at ? n - j : page - at;
      std::size_t outer = sequence;
      if (page != 0)
        outer = static_cast<std::size_t>(
            pages.table[sequence * pages.pages_per_sequence + (key + j) / page]);
      body(RowRun{cache.row(outer, head, at), cache.token_stride, count, 0, cache.scales_of(head),
                  cache.channels != 0},
           j);
      j += count;
    }
  }
};

/// How keys meet the query.
enum class KeyProducts : std::uint8_t {
  floats,
  codes,             ///< exact integer products with the quantised query
  codes_with_minima  ///< the same, and the minima times the sums of the query's codes
};

/// Where the parts of a unit's scratch lie, in bytes. Large enough for any backend's tiles.
struct AttentionScratch {
  static constexpr std::size_t row_multiple = 16;  ///< rows of a register block
  static constexpr std::size_t key_columns =
      128;  ///< of a block's scores, tiles that stick out included
  static constexpr std::size_t lanes_per_scale = 8;  ///< copies of a scale that a tile may want

  std::size_t dk;
  std::size_t dv;
  std::size_t rows;
  bool integer;  ///< keys meet the quantised query
  bool minima;

  TESSERA_INLINE explicit AttentionScratch(const AttentionProblem& p, KeyProducts products) noexcept
      : dk(p.dk),
        dv(p.dv),
        rows(round_up(p.group() > attention_rows ? p.group() : attention_rows, row_multiple)),
        integer(products != KeyProducts::floats),
        minima(products == KeyProducts::codes_with_minima) {}

  TESSERA_INLINE std::size_t groups() const noexcept { return div_up(dk, 32); }
  TESSERA_INLINE static std::size_t aligned(std::size_t bytes) noexcept {
    return round_up(bytes, workspace_alignment);
  }
  TESSERA_INLINE static std::size_t floats(std::size_t n) noexcept {
    return aligned(n * sizeof(float));
  }
  TESSERA_INLINE std::size_t query_codes() const noexcept { return floats(rows * dk); }
  TESSERA_INLINE std::size_t key_tile() const noexcept {
    if (!integer) return query_codes();
    return query_codes() + aligned(rows * groups() * 32) +
           (minima ? 2 : 1) * floats(rows * groups() * lanes_per_scale) + floats(rows * groups());
  }
  TESSERA_INLINE std::size_t key_scales() const noexcept {
    return key_tile() +
           (integer ? aligned(key_columns * groups() * 32) : floats(dk * attention_block));
  }
  TESSERA_INLINE std::size_t key_minima() const noexcept {
    return key_scales() + (integer ? floats(key_columns * groups() * lanes_per_scale) : 0);
  }
  TESSERA_INLINE std::size_t raw_scales() const noexcept {
    return key_minima() + (minima ? floats(key_columns * groups() * lanes_per_scale) : 0);
  }
  TESSERA_INLINE std::size_t raw_minima() const noexcept {
    return raw_scales() + (integer ? aligned(groups() * attention_block * sizeof(Float16)) : 0);
  }
  TESSERA_INLINE std::size_t decoded() const noexcept {
    return raw_minima() + (minima ? aligned(groups() * attention_block * sizeof(Float16)) : 0);
  }
  TESSERA_INLINE std::size_t scores() const noexcept {
    return decoded() + floats((dk > dv ? dk : dv) * attention_block);
  }
  TESSERA_INLINE std::size_t block() const noexcept {
    return scores() + floats(rows * key_columns);
  }
  TESSERA_INLINE std::size_t total() const noexcept { return block() + floats(rows * dv); }
  TESSERA_INLINE std::size_t maxima() const noexcept { return total() + floats(rows * dv); }
  TESSERA_INLINE std::size_t sums() const noexcept { return maxima() + floats(rows); }
  TESSERA_INLINE std::size_t bytes() const noexcept { return sums() + floats(rows); }
};

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_PROBLEM_HPP_
