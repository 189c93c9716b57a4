// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention: softmax(scale * Q K^T + bias) V with grouped queries over caches of any two formats.
///
/// Exactness class: `identical`. Definition, per query head and query, over the keys it sees:
/// - product: of float keys, and of any with Query::full, one f32 fma chain over ascending d from
///   zero, keys decoded to f32 first. Else of int8 codes: the query is quantised per group of 32 as
///   matmul's activations are (scale sa); per ascending group the exact int32 sum of code products,
///   `dot = fma(float(sum), sa * d, dot)`, the product of the scales rounded; with a minimum m then
///   `dot = fma(sa * float(sum of the query's codes), m, dot)`, the product rounded; codes whose scales
///   lie apart: the query times their scales, rounded, is what is quantised, and d is 1;
/// - score, each step rounded: `s = dot * scale`; with a cap c, `s = c * tanh(s / c)`; with a mask,
///   `s = fma(slope, mask, s)` (slope 1 without slopes); with slopes but no mask,
///   `s = fma(-slope, |position - key|, s)`, the query's position being its index + causal_offset;
/// - keys are cut at multiples of attention_block; each block gives, from zero, its max, `p = exp(s -
///   max)`, the sum of p in 32 virtual lanes, and per output element one fma chain over ascending keys
///   (values decoded to f32);
/// - blocks are folded in ascending order: both sides rescaled to the larger max, `sum = fma(sum,
///   exp(m - larger), blocksum * exp(mb - larger))`, outputs likewise, inner products rounded; a block
///   whose sum is 0 is left out. A sink is folded last, as a block of sum 1 and output 0;
/// - `o = total * (1 / sum)`, then with a gate `o * sigmoid(gate)`; log-sum-exp `max + ln(sum)` in
///   double, rounded once. A query that sees no key, or only scores of -inf, gives zeros and -inf
///   (with a sink: zeros and the sink).
/// A NaN among a query's scores or values, or a score of +inf, makes its output and log-sum-exp NaN. A
/// quantised query whose group holds a NaN or an infinity has NaN scores. Keys that a query does not
/// see (causal limit, window, length of the sequence, mask of -inf) cannot reach its result, whatever
/// they hold; keys beyond a sequence's length, and blocks that nobody in a tile of queries sees, are
/// not read.
#ifndef TESSERA_ATTENTION_HPP_
#define TESSERA_ATTENTION_HPP_

#include <cstddef>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/formats/f32.hpp"
#include "tessera/kernels/attention/attention.hpp"
#include "tessera/kernels/attention/checks.hpp"
#include "tessera/kernels/attention/kv_cache.hpp"
#include "tessera/kernels/attention/merge.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/attention/scaled_codes.hpp"

TESSERA_NAMESPACE_BEGIN

/// Keys and values can be stored in F: f32, f16, bf16, or blocks of 32 codes with one f16 scale and at
/// most one f16 minimum (q8_0, q5_0, q5_1, q4_0, q4_1, iq4_nl); ScaledInt8 and
/// ScaledInt4; or both are KvTiles of one tile.
template <class F>
concept CacheFormat =
    requires { F::is_kv_cache; } || requires { F::has_outer_scales; } || F::is_float ||
    (F::group == 32 && requires(const typename F::Block& b) { Float16{b.d}; } &&
     (!F::has_minima || requires(const typename F::Block& b) { Float16{b.m}; }));

/// `q` is Hq x Tq x Dk, `k` Hkv x Tk rows of Dk elements of format K, `v` Hkv x Tk rows of Dv elements
/// of format V, `out` Hq x Tq x Dv. Sizes and strides of k and v count blocks (one element for float
/// formats): `k.dim` is Dk / K::group. Query head h uses key head h / (Hq / Hkv). Any Tq and Tk, 0
/// included; any Dk and Dv of float formats, whole blocks of others. `v` may be a view into `k`.
template <class K = format::f32, class V = format::f32>
struct AttentionArgs {
  HeadView<const float> q;
  HeadView<const typename K::Block> k;
  HeadView<const typename V::Block> v;
  HeadView<float> out;
  FloatDefaultOne scale = {};
  bool causal = false;
  /// The position of query i is i + causal_offset, and `causal` shows it the keys up to there. For
  /// queries that are the last tokens of the keys: tokens of k minus tokens of q.
  std::ptrdiff_t causal_offset = 0;
  Workspace workspace = {};  ///< scratch only, per concurrent call
  Query query = Query::quantized;
  FloatDefaultZero soft_cap = {};  ///< 0: none
  /// A window around each query's position: keys position - before .. position + after. A causal
  /// window of W tokens, the query's own included: before = W - 1. Symmetric: both W / 2.
  std::size_t before = unlimited;
  std::size_t after = unlimited;
  MaskView mask = {};
  std::span<const float> slopes = {};  ///< ALiBi, one per query head (alibi_slopes)
  std::span<const float> sinks = {};   ///< an extra score of no value, one per query head
  HeadView<const float> gate = {};     ///< shaped like out; no data: none
  MatrixView<float> log_sum_exp = {};  ///< sequences * Hq rows of Tq columns; no data: not wanted
  SequenceBatch sequences = {};
  PageTable pages = {};
  /// Of ScaledInt8 and ScaledInt4, and of these alone: one scale, or Hkv x Dk (Hkv x Dv) of them.
  std::span<const float> k_scales = {};
  std::span<const float> v_scales = {};
};

/// Keys and values of a KvCache<T>, which kv_append() filled. The result has the bits it has over q8_0 rows of
/// the same tokens, of which those that are no longer held are not seen. Key heads, Dk and Dv are those
/// of `cache.shape`; `held` says per sequence which tokens are there. Positions, and with them windows, slopes and the
/// columns of a mask, count all tokens that ever were: for queries that are the last tokens,
/// causal_offset is held.end minus tokens of q. Splits of the keys, too, are of positions.
template <class T>
struct AttentionArgs<KvTiles<T>, KvTiles<T>> {
  HeadView<const float> q;
  KvCache<T> cache;
  std::span<const KvHeld> held;  ///< one per sequence
  HeadView<float> out;
  FloatDefaultOne scale = {};
  bool causal = false;
  std::ptrdiff_t causal_offset = 0;
  Workspace workspace = {};  ///< scratch only, per concurrent call
  Query query = Query::quantized;
  FloatDefaultZero soft_cap = {};
  std::size_t before = unlimited;
  std::size_t after = unlimited;
  MaskView mask = {};
  std::span<const float> slopes = {};
  std::span<const float> sinks = {};
  HeadView<const float> gate = {};
  MatrixView<float> log_sum_exp = {};
  SequenceBatch sequences =
      {};  ///< as many as the cache's; its key_lengths and strides of k and v are unused
};

/// The arguments for a cache in the order of T.
template <class T>
using KvAttentionArgs = AttentionArgs<KvTiles<T>, KvTiles<T>>;

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// ALiBi's slopes for slopes.size() heads and a largest bias: with n the largest power of two up to
/// the number of heads, 2^(-max_bias (h + 1) / n) below n, 2^(-max_bias / 2 (2 (h - n) + 1) / n) from
/// there on. In double, rounded once. Source: GGUF runtimes. Precondition: max_bias in [0, 64].
inline void alibi_slopes(float max_bias, std::span<float> slopes) noexcept {
  std::size_t n = 1;
  while (2 * n <= slopes.size()) n *= 2;
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    const auto steps = static_cast<double>(h < n ? h + 1 : 2 * (h - n) + 1);
    const double part =
        rounded(static_cast<double>(max_bias) * steps) / static_cast<double>(h < n ? n : 2 * n);
    slopes[h] = static_cast<float>(exp_double(rounded(-ln2 * part)));
  }
}

namespace detail {

template <class F>
TESSERA_INLINE CacheRows cache_rows(const HeadView<const typename F::Block>& v,
                                    std::ptrdiff_t outer_stride) noexcept {
  constexpr std::size_t bytes = sizeof(typename F::Block);
  return {reinterpret_cast<const std::byte*>(v.data),
          v.dim,
          bytes,
          alignof(typename F::Block),
          scaled_stride(v.head_stride, bytes),
          scaled_stride(v.token_stride, bytes),
          scaled_stride(outer_stride, bytes)};
}

// Not forced inline, like all that is the same on every backend: it would be compiled for each.
template <class Args>
AttentionProblem problem_with(const Args& a, const CacheRows& k, const CacheRows& v,
                              std::size_t key_heads, std::size_t keys) noexcept {
  return {a.q,
          a.out,
          k,
          v,
          key_heads,
          key_heads,
          keys,
          keys,
          a.q.dim,
          a.out.dim,
          a.scale,
          a.soft_cap,
          a.causal_offset,
          a.before,
          a.causal ? 0 : a.after,
          a.mask,
          a.slopes,
          a.sinks,
          a.gate,
          a.log_sum_exp,
          a.sequences,
          {},
          a.workspace};
}

template <class K, class V>
AttentionProblem problem_of(const AttentionArgs<K, V>& a) noexcept {
  const bool paged = a.pages.page_tokens != 0;
  AttentionProblem p = problem_with(
      a, cache_rows<K>(a.k, paged ? a.pages.k_stride : a.sequences.k_stride),
      cache_rows<V>(a.v, paged ? a.pages.v_stride : a.sequences.v_stride), a.k.heads, a.k.tokens);
  const auto scale = [](CacheRows& rows, std::span<const float> scales, std::size_t dim)
                         TESSERA_LAMBDA {
                           rows.scales = scales.data();
                           rows.channels = scales.size() > 1 ? dim : 0;
                         };
  scale(p.k, a.k_scales, p.dk);
  scale(p.v, a.v_scales, p.dv);
  p.value_heads = a.v.heads;
  p.values = a.v.tokens;
  p.pages = a.pages;
  return p;
}

template <class T>
AttentionProblem problem_of(const AttentionArgs<KvTiles<T>, KvTiles<T>>& a) noexcept {
  const KvShape& shape = a.cache.shape;
  const KvLayout layout(check_kv_cache(a.cache) == Status::ok ? shape : KvShape{});
  const auto rows = [&](std::size_t dim, std::size_t offset) TESSERA_LAMBDA {
    return CacheRows{layout.ring == 0 ? nullptr : a.cache.memory.data() + offset,
                     dim / 32,
                     34,
                     workspace_alignment,
                     static_cast<std::ptrdiff_t>(layout.head()),
                     static_cast<std::ptrdiff_t>(layout.block()),
                     static_cast<std::ptrdiff_t>(layout.sequence()),
                     layout.ring};
  };
  std::size_t keys = 0;
  for (const KvHeld& held : a.held) keys = held.end > keys ? held.end : keys;
  AttentionProblem p =
      problem_with(a, rows(shape.dk, 0), rows(shape.dv, layout.values()), shape.key_heads, keys);
  p.held = a.held;
  return p;
}

/// Scratch of a unit; zeros where the shapes are refused.
inline WorkspaceSize attention_workspace(const AttentionProblem& p, KeyProducts products) noexcept {
  constexpr std::size_t limit = std::size_t{1} << 40;
  if (p.dk > limit || p.dv > limit || p.q.heads > limit) return {};
  const AttentionScratch layout(p, products);
  if (layout.rows > limit / (p.dk + p.dv + 1024)) return {};
  return {0, layout.bytes()};
}

/// What the formats alone know of the arguments.
struct FormatChecks {
  Status k;  ///< shape, pointer, extent and alignment
  Status v;
  Status k_length;  ///< rows in whole blocks
  Status v_length;
  KeyProducts products;
};

/// Everything but the backend's own.
inline Status check_problem(const AttentionProblem& p, const FormatChecks& formats) noexcept {
  if (const Status s = check_input(p.q); s != Status::ok) return s;
  if (formats.k != Status::ok) return formats.k;
  if (formats.v != Status::ok) return formats.v;
  if (const Status s = check_output(p.out); s != Status::ok) return s;
  if (formats.k_length != Status::ok) return formats.k_length;
  if (formats.v_length != Status::ok) return formats.v_length;
  if (p.value_heads != p.key_heads || p.values != p.keys || p.q.heads != p.out.heads ||
      p.q.tokens != p.out.tokens)
    return Status::shape_mismatch;
  if (p.q.heads % p.key_heads != 0) return Status::head_ratio;
  if (const Status s = check_key_lengths(p); s != Status::ok) return s;
  if (const Status s = check_pages(p); s != Status::ok) return s;
  if (const Status s = check_mask(p); s != Status::ok) return s;
  if (const Status s = check_row_operands(p); s != Status::ok) return s;
  if (const Status s = check_numbers(p); s != Status::ok) return s;
  if (const Status s = check_overlaps(p); s != Status::ok) return s;
  const WorkspaceSize need = attention_workspace(p, formats.products);
  if (need.scratch == 0) return Status::shape_too_large;
  return check_workspace(p.workspace, need);
}

/// The rows' lengths in whole blocks.
template <class F>
TESSERA_INLINE Status check_blocks(std::size_t elements, std::size_t blocks) noexcept {
  if (elements % F::group != 0) return Status::group_multiple;
  return elements / F::group == blocks ? Status::ok : Status::shape_mismatch;
}

template <class K, class V>
Status check_args(const AttentionArgs<K, V>& args, const AttentionProblem& p) noexcept {
  const bool paged = args.pages.page_tokens != 0;
  FormatChecks formats = {check_cache(args.k, grid_of(p, p.k, args.k.heads, args.k.tokens),
                                      paged ? args.pages.k_stride : args.sequences.k_stride),
                          check_cache(args.v, grid_of(p, p.v, args.v.heads, args.v.tokens),
                                      paged ? args.pages.v_stride : args.sequences.v_stride),
                          check_blocks<K>(args.q.dim, args.k.dim),
                          check_blocks<V>(args.out.dim, args.v.dim), key_products<K>(args.query)};
  if (formats.k == Status::ok)
    formats.k = check_scales(args.k_scales, ScaledCodes<K>, args.k.heads, args.k.dim * K::group);
  if (formats.v == Status::ok)
    formats.v = check_scales(args.v_scales, ScaledCodes<V>, args.v.heads, args.v.dim * V::group);
  if (ScaledCodes<K> && formats.products != KeyProducts::floats &&
      args.q.dim % activation_group != 0)
    formats.k_length = Status::group_multiple;
  return check_problem(p, formats);
}

template <class T>
Status check_args(const AttentionArgs<KvTiles<T>, KvTiles<T>>& args,
                  const AttentionProblem& p) noexcept {
  const KvShape& shape = args.cache.shape;
  Status cache = check_kv_cache(args.cache);
  if (cache == Status::ok) cache = check_held(shape, args.held);
  const Status dims =
      args.q.dim == shape.dk && args.out.dim == shape.dv ? Status::ok : Status::shape_mismatch;
  return check_problem(p,
                       {cache, Status::ok, dims, Status::ok, key_products<KvTiles<T>>(args.query)});
}

/// Everything that check(args) looks at.
template <class B, class Args>
TESSERA_INLINE Status check_all(const Args& args, const AttentionProblem& p) noexcept {
  if (const Status s = check_args(args, p); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return check_control();
}

TESSERA_INLINE std::size_t units_of(const AttentionProblem& p) noexcept {
  return p.sequences.count * p.key_heads * p.query_tiles();
}

/// Units `range` of a problem that was accepted.
template <class B, class K, class V>
TESSERA_INLINE void attend_units(const AttentionArgs<K, V>& args, const AttentionProblem& p,
                                 UnitRange range) noexcept {
  const CacheReaders readers = cache_readers<B, K, V>(args.query);
  attend<B>(p, readers, range, {}, nullptr);
}

}  // namespace detail

/// Bytes of scratch a call needs, the same on every backend; zeros where the shapes are refused.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] TESSERA_INLINE WorkspaceSize
workspace_size(const AttentionArgs<K, V>& args) noexcept {
  return detail::attention_workspace(detail::problem_of(args), detail::key_products<K>(args.query));
}

/// One unit per sequence, key head and tile of queries, tiles fastest.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] TESSERA_INLINE std::size_t units(const AttentionArgs<K, V>& args) noexcept {
  return detail::units_of(detail::problem_of(args));
}

/// Reads no data but lengths and page tables. Errors: empty_shape (heads, head size, sequences or a
/// mask's repetition 0), null_pointer, group_multiple, shape_mismatch (also two masks, or slopes,
/// sinks, lengths or offsets of another number), shape_too_large, stride_too_small, misaligned,
/// head_ratio (query to key heads, to heads of the mask), position_range (a length, or an offset that
/// slopes cannot use, or what a KvCache cannot hold), page_table, cache_too_small, not_finite and not_positive (scale, cap), overlap (an output and
/// anything else), scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] Status check(const AttentionArgs<K, V>& args) noexcept {
  return detail::check_all<B>(args, detail::problem_of(args));
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] Status attention(const AttentionArgs<K, V>& args, UnitRange range) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  if (const Status s = detail::check_all<B>(args, p); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, detail::units_of(p)); s != Status::ok) return s;
  detail::attend_units<B>(args, p, range);
  return Status::ok;
}

/// All sequences, heads and queries. Errors: those of check(args).
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] Status attention(const AttentionArgs<K, V>& args) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  if (const Status s = detail::check_all<B>(args, p); s != Status::ok) return s;
  detail::attend_units<B>(args, p, {0, detail::units_of(p)});
  return Status::ok;
}

/// Floats that attention_blocks() writes for keys `keys`; 0 where there are none or the range is
/// refused. Grows with every dimension.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] TESSERA_INLINE std::size_t partial_size(const AttentionArgs<K, V>& args,
                                                      KeyRange keys) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  detail::BlockRange blocks;
  if (detail::blocks_of(p, keys, blocks) != Status::ok) return 0;
  return detail::partial_floats(p, blocks.count);
}

/// Units `range` over some of the keys: the results of their blocks, for attention_merge(). The range
/// of keys is cut at multiples of attention_block (or ends with the keys). Writes `partials` instead of
/// out and log_sum_exp, which are still checked. Errors: those of check(args), key_split,
/// workspace_too_small (partials), overlap (partials and another operand), bad_unit_range.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] Status attention_blocks(const AttentionArgs<K, V>& args, KeyRange keys,
                                      std::span<float> partials, UnitRange range) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  if (const Status s = detail::check_all<B>(args, p); s != Status::ok) return s;
  detail::BlockRange blocks;
  if (const Status s = detail::blocks_of(p, keys, blocks); s != Status::ok) return s;
  if (partials.size() < detail::partial_floats(p, blocks.count)) return Status::workspace_too_small;
  if (detail::misaligned(partials.data())) return Status::misaligned;
  if (const Status s = detail::check_partials(p, partials); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const detail::CacheReaders readers = detail::cache_readers<B, K, V>(args.query);
  const detail::BlockPartials to = {partials.data(), blocks.first, blocks.count};
  if (blocks.count != 0) detail::attend<B>(p, readers, range, keys, &to);
  return Status::ok;
}

/// One unit per sequence, head and query of attention_merge().
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] TESSERA_INLINE std::size_t merge_units(const AttentionArgs<K, V>& args) noexcept {
  return args.sequences.count * args.q.heads * args.q.tokens;
}

/// out and log_sum_exp from the partials of all keys: the bits of attention(args). The parts follow one
/// another and cover all keys; empty ones are neutral. Errors: those of check(args), key_split (a gap,
/// an overlap or a wrong cut), workspace_too_small (partials), misaligned, overlap (partials and an
/// output), bad_unit_range.
template <class B = default_backend, CacheFormat K = format::f32, CacheFormat V = format::f32>
[[nodiscard]] Status attention_merge(const AttentionArgs<K, V>& args,
                                     std::span<const AttentionPart> parts,
                                     UnitRange range) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  if (const Status s = detail::check_all<B>(args, p); s != Status::ok) return s;
  if (const Status s = detail::check_parts(p, parts); s != Status::ok) return s;
  for (const AttentionPart& part : parts)
    if (const Status s = detail::check_apart_from_outputs(p, part.partials); s != Status::ok)
      return s;
  if (const Status s = detail::check_range(range, merge_units(args)); s != Status::ok) return s;
  detail::merge_parts<B>(p, parts, range);
  return Status::ok;
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/attention.hpp"
#endif

#endif  // TESSERA_ATTENTION_HPP_
