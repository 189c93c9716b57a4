// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Gated linear attention, RWKV-6 and RWKV-7: recurrences with a matrix M (keys i x values j) per head.
///
/// Exactness class: `identical`. Definition, per token of a sequence and head, sums over ascending i from
/// zero:
/// - gated linear attention: `M_ij = fma(k_i, v_j, gate_i * M_ij)`, inner products rounded here and
///   below; `out_j = scale * sum`, `sum = fma(q_i, M_ij, sum)`;
/// - RWKV-6: `out_j = fma(r_i, fma(bonus_i * k_i, v_j, M_ij), out_j)`, then
///   `M_ij = fma(k_i, v_j, decay_i * M_ij)`;
/// - RWKV-7: `seen_j = fma(a_i, M_ij, seen_j)`; then `M_ij = fma(b_i, seen_j, fma(k_i, v_j, decay_i *
///   M_ij))`; `out_j = fma(r_i, M_ij, out_j)`.
/// So a sequence split over several calls gives the same bits. Any head size. NaN and infinity as IEEE
/// arithmetic gives, in their own head; later tokens inherit them.
/// Sources: Yang et al., "Gated Linear Attention Transformers with Hardware-Efficient Training", 2023; Peng
/// et al., "Eagle and Finch: RWKV with Matrix-Valued States", 2024; Peng et al., "RWKV-7 Goose", 2025.
#ifndef TESSERA_LINEAR_ATTENTION_HPP_
#define TESSERA_LINEAR_ATTENTION_HPP_

#include <cstddef>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/gated_delta_net/recurrence.hpp"
#include "tessera/kernels/linear_attention/arguments.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of scratch a call needs; zeros where the shapes are refused.
template <internal::LinearAttention Args>
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const Args& args) noexcept {
  return detail::recurrence_workspace(detail::recurrence(args));
}

/// One unit per sequence and head, heads fastest.
template <internal::LinearAttention Args>
[[nodiscard]] TESSERA_INLINE std::size_t units(const Args& args) noexcept {
  return args.sequences.size() * args.v.heads;
}

/// Errors: those of gated_delta_net, which has the same operands but for head_ratio.
template <class B = default_backend, internal::LinearAttention Args>
[[nodiscard]] Status check(const Args& args) noexcept {
  const auto r = detail::recurrence(args);
  if (r.write.heads != r.value.heads && r.value.heads != 0 && r.write.heads != 0)
    return Status::shape_mismatch;
  if (const Status s = detail::check_recurrence(r, detail::rule_of(args)); s != Status::ok)
    return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

namespace detail {

template <class B, Rule R, class Args>
[[nodiscard]] Status run_linear_attention(const Args& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = check_range(range, units(args)); s != Status::ok) return s;
  run_recurrence<typename B::Vectors, R, true>(recurrence(args), range);
  return Status::ok;
}

}  // namespace detail

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status gated_linear_attention(const GatedLinearAttentionArgs& args,
                                            UnitRange range) noexcept {
  return detail::run_linear_attention<B, detail::Rule::linear>(args, range);
}
/// All sequences and heads. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status gated_linear_attention(const GatedLinearAttentionArgs& args) noexcept {
  return gated_linear_attention<B>(args, {0, units(args)});
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status rwkv6(const Rwkv6Args& args, UnitRange range) noexcept {
  return detail::run_linear_attention<B, detail::Rule::bonus>(args, range);
}
/// All sequences and heads. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status rwkv6(const Rwkv6Args& args) noexcept {
  return rwkv6<B>(args, {0, units(args)});
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status rwkv7(const Rwkv7Args& args, UnitRange range) noexcept {
  return detail::run_linear_attention<B, detail::Rule::pair>(args, range);
}
/// All sequences and heads. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status rwkv7(const Rwkv7Args& args) noexcept {
  return rwkv7<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/gated_delta_net.hpp"
#endif

#endif  // TESSERA_LINEAR_ATTENTION_HPP_
