// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The gated delta rule (and, without gates, the plain one).
///
/// Exactness class: `identical`. Definition, per token of a sequence and head, with the state M (keys i
/// x values j):
/// - `gate_i = exp(log_gate)`, `look_i = gate_i * k_i` rounded;
/// - `seen_j = fma(look_i, M_ij, seen_j)` over ascending i from zero;
/// - `delta_j = beta * (v_j - seen_j)`, each rounded;
/// - `M_ij = fma(k_i, delta_j, gate_i * M_ij)`, the inner product rounded;
/// - `out_j = scale * sum`, `sum = fma(q_i, M_ij, sum)` over ascending i from zero.
/// So a sequence split over several calls gives the same bits. NaN and infinity as IEEE arithmetic
/// gives, in their own head (of q or k: in the heads that share it), and later tokens inherit them.
///
/// DeltaNetAlgorithm::chunked, without snapshots, gives the same up to roundings, also `identical` on all
/// backends: chunks of delta_net_chunk tokens are cut from the first token of the call on. A decay over
/// several tokens is the product of their gates, hence of exponentials of what is at most zero; nothing
/// is divided or inverted. Products of two are rounded, sums of products are fma chains over ascending
/// keys or tokens from zero. With M the state before the chunk, `kept_i` the gates of its tokens up to i
/// multiplied in ascending order, `left_ij` those of tokens j + 1 to i in descending order:
/// - `seen_i = kept_i * (k_i . M)`, then fma of w_ij and delta_j for ascending j below i, where
///   `w_ij = left_ij * (k_j . k_i)`;
/// - `delta_i = beta_i * (v_i - seen_i)`, each rounded;
/// - `out_i = scale * sum`, `sum = kept_i * (q_i . M)`, then fma of r_ij and delta_j for j up to i, where
///   `r_ij = left_ij * (k_j . q_i)`;
/// - `M = kept * M`, then fma of k_j and `left_j * delta_j`: both decays up to the chunk's last token, in
///   a chunk that is not whole as well.
///
/// With a gate per key, kept and left belong to rows: `(kept_i * k_i) . M`, `k_j . (left_ij * k_i)`, where
/// left_ij is multiplied into k_i one gate after the other, `left_j * k_j` and delta_j: a pass more over
/// the keys of each token. A NaN or infinity of a token reaches no token before it.
/// Source: Yang, Kautz, Hatamizadeh, "Gated Delta Networks: Improving Mamba2 with Delta Rule", 2024.
#ifndef TESSERA_GATED_DELTA_NET_HPP_
#define TESSERA_GATED_DELTA_NET_HPP_

#include <cstddef>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/gated_delta_net/chunked.hpp"
#include "tessera/kernels/gated_delta_net/operands.hpp"
#include "tessera/kernels/gated_delta_net/recurrence.hpp"

TESSERA_NAMESPACE_BEGIN

/// Which of Hk key heads head h of H uses. Models differ, and nothing in their tensors tells.
class HeadMap {
 public:
  /// h % Hk, as in GGUF files.
  [[nodiscard]] TESSERA_INLINE static constexpr HeadMap modulo() noexcept { return HeadMap(true); }
  /// h / (H / Hk), as in grouped-query attention and in the original checkpoints.
  [[nodiscard]] TESSERA_INLINE static constexpr HeadMap blocks() noexcept { return HeadMap(false); }
  [[nodiscard]] TESSERA_INLINE constexpr bool is_modulo() const noexcept { return modulo_; }

 private:
  TESSERA_INLINE explicit constexpr HeadMap(bool modulo) noexcept : modulo_(modulo) {}
  bool modulo_;
};

/// How the rule is computed; the two differ by roundings.
enum class DeltaNetAlgorithm : unsigned char {
  sequential,  ///< token by token
  chunked,     ///< in chunks of delta_net_chunk tokens, as matrix products: for prompts
};

/// `q` and `k` are Hk x T x S, `v` and `out` H x T x V, `beta` T x H. `log_gate` is H x T x 1, or H x T x
/// S for a gate per key, or has no data: the plain delta rule. q and k come normalised, beta within
/// (0, 1), as the model wants them.
///
/// A state is H x S x V in StateOrder::outputs (key rows over values), H x V x S in
/// StateOrder::reduction (value rows over keys, GGUF's). Tokens of no sequence are left alone.
struct GatedDeltaNetArgs {
  HeadMap head_map;  ///< without a default: say which
  HeadView<const float> q = {};
  HeadView<const float> k = {};
  HeadView<const float> v = {};
  HeadView<const float> log_gate = {};
  ChannelView<const float> beta = {};
  HeadView<float> out = {};
  FloatDefaultOne scale = {};  ///< usually 1 / sqrt(S)
  DeltaNetAlgorithm algorithm = DeltaNetAlgorithm::sequential;
  std::span<const Sequence> sequences = {};
  States states = {};
  Snapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

namespace internal {

[[nodiscard]] TESSERA_INLINE Recurrence recurrence(const GatedDeltaNetArgs& a) noexcept {
  Recurrence r;
  r.read = a.q, r.write = a.k, r.value = a.v, r.gate = a.log_gate, r.beta = a.beta, r.out = a.out;
  r.modulo = a.head_map.is_modulo();
  r.scale_bits = parameter_bits(static_cast<float>(a.scale));
  r.sequences = a.sequences, r.states = a.states, r.snapshots = a.snapshots;
  r.workspace = a.workspace;
  r.chunked = a.algorithm == DeltaNetAlgorithm::chunked;
  return r;
}

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of scratch a call needs; zeros where the shapes are refused.
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const GatedDeltaNetArgs& args) noexcept {
  return detail::recurrence_workspace(detail::recurrence(args));
}

/// One unit per sequence and head, heads fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const GatedDeltaNetArgs& args) noexcept {
  return args.sequences.size() * args.v.heads;
}

/// Errors: empty_shape, shape_mismatch, head_ratio, null_pointer, shape_too_large, misaligned,
/// stride_too_small (elements of out, the states or the snapshots coincide), position_range (a
/// sequence's tokens or slot; chunked with snapshots), not_finite (scale), overlap (two sequences share tokens or a slot; out,
/// the states or the snapshots meet another operand), scratch_too_small, workspace_misaligned,
/// wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const GatedDeltaNetArgs& args) noexcept {
  if (const Status s = detail::check_recurrence(detail::recurrence(args), detail::Rule::delta);
      s != Status::ok)
    return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status gated_delta_net(const GatedDeltaNetArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  using V = typename B::Vectors;
  const auto r = detail::recurrence(args);
  const bool per_key = args.log_gate.data != nullptr && args.log_gate.dim != 1;
  if (r.chunked && per_key)
    detail::run_chunks<V, true>(r, range);
  else if (r.chunked)
    detail::run_chunks<V, false>(r, range);
  else if (per_key)
    detail::run_recurrence<V, detail::Rule::delta, true>(r, range);
  else
    detail::run_recurrence<V, detail::Rule::delta, false>(r, range);
  return Status::ok;
}

/// All sequences and heads. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status gated_delta_net(const GatedDeltaNetArgs& args) noexcept {
  return gated_delta_net<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/gated_delta_net.hpp"
#endif

#endif  // TESSERA_GATED_DELTA_NET_HPP_
