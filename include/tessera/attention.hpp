// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Attention: softmax(scale * Q K^T) V with grouped queries and a causal limit.
///
/// Exactness class: `identical`. Definition, per query head and query, over the keys it sees:
/// - score: one f32 fma chain over ascending d from zero, then `s = dot * scale` rounded;
/// - keys are cut at multiples of attention_block; each block gives, from zero, its max, `p = exp(s -
///   max)`, the sum of p in 32 virtual lanes, and per output element one fma chain over ascending keys;
/// - blocks are folded in ascending order: both sides rescaled to the larger max, `sum = fma(sum,
///   exp(m - larger), blocksum * exp(mb - larger))`, outputs likewise, inner products rounded; a block
///   whose sum is 0 is left out;
/// - `o = total * (1 / sum)`; a query that sees no key, or only scores of -inf, gives zeros.
/// A NaN among a query's scores or values, or a score of +inf, makes its output NaN. Keys a query
/// does not see are never read for it and cannot reach its result.
#ifndef TESSERA_ATTENTION_HPP_
#define TESSERA_ATTENTION_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/arithmetic.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"
#include "tessera/kernels/attention/attention.hpp"

TESSERA_NAMESPACE_BEGIN

/// `q` is Hq x Tq x Dk, `k` Hkv x Tk x Dk, `v` Hkv x Tk x Dv, `out` Hq x Tq x Dv. Query head h uses
/// key head h / (Hq / Hkv). Any Tq and Tk, 0 included; any Dk and Dv.
struct AttentionArgs {
  HeadView<const float> q;
  HeadView<const float> k;
  HeadView<const float> v;
  HeadView<float> out;
  FloatDefaultOne scale = {};
  bool causal = false;
  /// With `causal`: query i sees keys 0 .. i + causal_offset. For queries that are the last tokens of
  /// the keys: tokens of k minus tokens of q.
  std::ptrdiff_t causal_offset = 0;
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

TESSERA_INLINE std::size_t queries_per_unit(const AttentionArgs& args) noexcept {
  const std::size_t group = args.k.heads == 0 ? 1 : args.q.heads / args.k.heads;
  return group >= attention_rows || group == 0 ? 1 : attention_rows / group;
}

TESSERA_INLINE AttentionScratch attention_scratch(const AttentionArgs& args) noexcept {
  const std::size_t group = args.k.heads == 0 ? 1 : args.q.heads / args.k.heads;
  return {args.k.dim, args.v.dim, group > attention_rows ? group : attention_rows};
}

}  // namespace detail

/// Bytes of scratch a call needs; zeros where the shapes are refused.
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const AttentionArgs& args) noexcept {
  constexpr std::size_t limit = std::size_t{1} << 40;
  if (args.k.dim > limit || args.v.dim > limit || args.q.heads > limit) return {};
  const detail::AttentionScratch layout = detail::attention_scratch(args);
  if (layout.rows > limit / (layout.dv + attention_block + 2)) return {};
  return {0, layout.bytes()};
}

/// One unit per key head and tile of queries, tiles fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const AttentionArgs& args) noexcept {
  return args.k.heads * detail::div_up(args.q.tokens, detail::queries_per_unit(args));
}

/// Errors: empty_shape (heads or head size 0), null_pointer, shape_mismatch, shape_too_large,
/// stride_too_small, misaligned, head_ratio, overlap (out and an input), not_finite (scale),
/// scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const AttentionArgs& args) noexcept {
  if (const Status s = detail::check_input(args.q); s != Status::ok) return s;
  if (const Status s = detail::check_input(args.k); s != Status::ok) return s;
  if (const Status s = detail::check_input(args.v); s != Status::ok) return s;
  if (const Status s = detail::check_output(args.out); s != Status::ok) return s;
  if (args.q.dim != args.k.dim || args.v.dim != args.out.dim || args.k.heads != args.v.heads ||
      args.k.tokens != args.v.tokens || args.q.heads != args.out.heads ||
      args.q.tokens != args.out.tokens)
    return Status::shape_mismatch;
  if (args.q.heads % args.k.heads != 0) return Status::head_ratio;
  if (!is_finite(args.scale)) return Status::not_finite;
  if (args.q.tokens != 0) {
    const auto out = detail::extent(args.out);
    if (detail::intersects(out, detail::extent(args.q))) return Status::overlap;
    if (args.k.tokens != 0 && (detail::intersects(out, detail::extent(args.k)) ||
                               detail::intersects(out, detail::extent(args.v))))
      return Status::overlap;
  }
  const WorkspaceSize need = workspace_size(args);
  if (need.scratch == 0) return Status::shape_too_large;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status attention(const AttentionArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t group = args.q.heads / args.k.heads;
  const std::size_t tile = detail::queries_per_unit(args);
  const std::size_t tiles = detail::div_up(args.q.tokens, tile);
  detail::AttentionTile<B> kernel(args.q, args.k, args.v, args.out, args.scale,
                                  {args.k.tokens, args.causal, args.causal_offset},
                                  args.workspace.scratch.data(), detail::attention_scratch(args));
  for (std::size_t u = range.begin; u < range.end; ++u) {
    const std::size_t head = u / tiles;
    const std::size_t query = u % tiles * tile;
    const std::size_t left = args.q.tokens - query;
    kernel.run(head, {head * group, group, query, left < tile ? left : tile});
  }
  return Status::ok;
}

/// All heads and queries. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status attention(const AttentionArgs& args) noexcept {
  return attention<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_ATTENTION_HPP_
