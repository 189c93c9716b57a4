// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The scores of attention alone: scale * Q K^T with grouped queries, for graphs that mask, soften and
/// weigh in steps of their own (softmax() is the next one).
///
/// Exactness class: `identical`. Definition: the product of attention.hpp, then `dot * scale` rounded.
/// NaN and infinity as IEEE arithmetic gives; a quantised query whose group holds a NaN or an infinity
/// has NaN scores.
#ifndef TESSERA_SCORES_HPP_
#define TESSERA_SCORES_HPP_

#include <cstddef>

#include "tessera/attention.hpp"
#include "tessera/config.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/core/views.hpp"

TESSERA_NAMESPACE_BEGIN

/// `q` is Hq x Tq x Dk, `k` Hkv x Tk rows of Dk elements of format K (sizes and strides in blocks),
/// `out` Hq x Tq x Tk. Query head h uses key head h / (Hq / Hkv).
template <class K = format::f32>
struct ScoresArgs {
  HeadView<const float> q;
  HeadView<const typename K::Block> k;
  HeadView<float> out;
  FloatDefaultOne scale = {};
  /// `k` is Hkv x Dk rows of Tk elements instead; float formats only.
  bool transposed = false;
  Workspace workspace = {};  ///< scratch only, per concurrent call
  Query query = Query::quantized;
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

template <class K>
TESSERA_INLINE AttentionProblem problem_of(const ScoresArgs<K>& a) noexcept {
  static_assert(!ScaledCodes<K>, "scores() takes no scales that lie apart");
  AttentionProblem p = {};
  p.q = a.q;
  p.out = a.out;
  p.k = cache_rows<K>(a.k, 0);
  p.key_heads = a.k.heads;
  p.keys = a.transposed ? a.k.dim : a.k.tokens;
  p.dk = a.q.dim;
  p.scale = a.scale;
  p.before = p.after = unlimited;
  p.workspace = a.workspace;
  p.keys_transposed = a.transposed;
  return p;
}

}  // namespace detail

/// Bytes of scratch a call needs, the same on every backend; zeros where the shapes are refused.
template <class B = default_backend, CacheFormat K = format::f32>
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const ScoresArgs<K>& args) noexcept {
  return detail::attention_workspace(detail::problem_of(args), detail::key_products<K>(args.query));
}

/// One unit per key head and tile of queries, tiles fastest.
template <class B = default_backend, CacheFormat K = format::f32>
[[nodiscard]] TESSERA_INLINE std::size_t units(const ScoresArgs<K>& args) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  return p.key_heads * p.query_tiles();
}

/// No keys is legal: nothing is written. Errors: empty_shape, null_pointer, group_multiple (head size,
/// or transposed blocks), shape_mismatch, shape_too_large, stride_too_small, misaligned, head_ratio,
/// not_finite (scale), overlap, scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend, CacheFormat K = format::f32>
[[nodiscard]] Status check(const ScoresArgs<K>& args) noexcept {
  const detail::AttentionProblem p = detail::problem_of(args);
  if (const Status s = detail::check_input(args.q); s != Status::ok) return s;
  if (args.transposed && K::group != 1) return Status::group_multiple;
  if (args.transposed ? args.k.heads == 0 || args.k.tokens == 0
                      : args.k.heads == 0 || args.k.dim == 0)
    return Status::empty_shape;
  const bool no_keys = p.keys == 0;
  if (!no_keys) {
    if (const Status s = detail::check_input(args.k); s != Status::ok) return s;
    if (const Status s = detail::check_output(args.out); s != Status::ok) return s;
  }
  const Status lengths = args.transposed
                             ? (args.k.tokens == args.q.dim ? Status::ok : Status::shape_mismatch)
                             : detail::check_blocks<K>(args.q.dim, args.k.dim);
  if (lengths != Status::ok) return lengths;
  if (args.out.heads != args.q.heads || args.out.tokens != args.q.tokens || args.out.dim != p.keys)
    return Status::shape_mismatch;
  if (args.q.heads % args.k.heads != 0) return Status::head_ratio;
  if (!is_finite(args.scale)) return Status::not_finite;
  if (!no_keys && args.q.tokens != 0) {
    const auto out = detail::extent(args.out);
    if (detail::intersects(out, detail::extent(args.q)) ||
        detail::intersects(out, detail::extent(args.k)))
      return Status::overlap;
  }
  const WorkspaceSize need = workspace_size(args);
  if (need.scratch == 0) return Status::shape_too_large;
  if (const Status s = detail::check_workspace(args.workspace, need); s != Status::ok) return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend, CacheFormat K = format::f32>
[[nodiscard]] Status scores(const ScoresArgs<K>& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  detail::CacheReaders readers = detail::cache_readers<B, K, format::f32>(args.query);
  detail::attend<B>(detail::problem_of(args), readers, range, {}, nullptr, true);
  return Status::ok;
}

/// All heads and queries. Errors: those of check(args).
template <class B = default_backend, CacheFormat K = format::f32>
[[nodiscard]] Status scores(const ScoresArgs<K>& args) noexcept {
  return scores<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/attention.hpp"
#endif

#endif  // TESSERA_SCORES_HPP_
