// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The arguments of gated linear attention, RWKV-6 and RWKV-7: H heads, T tokens, S keys, V values.
#ifndef TESSERA_KERNELS_LINEAR_ATTENTION_ARGUMENTS_HPP_
#define TESSERA_KERNELS_LINEAR_ATTENTION_ARGUMENTS_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/kernels/gated_delta_net/operands.hpp"

TESSERA_NAMESPACE_BEGIN

/// `q`, `k` and `gate` are H x T x S, `v` and `out` H x T x V; gates are factors, not logarithms.
/// A state is H x S x V in StateOrder::outputs, H x V x S in StateOrder::reduction.
struct GatedLinearAttentionArgs {
  HeadView<const float> q = {};
  HeadView<const float> k = {};
  HeadView<const float> v = {};
  HeadView<const float> gate = {};
  HeadView<float> out = {};
  FloatDefaultOne scale = {};
  std::span<const Sequence> sequences = {};
  States states = {};
  Snapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

/// `receptance`, `k` and `decay` (factors) are H x T x S, `v` and `out` H x T x V, `bonus` H x S. States
/// as in GatedLinearAttentionArgs.
struct Rwkv6Args {
  HeadView<const float> receptance = {};
  HeadView<const float> k = {};
  HeadView<const float> v = {};
  HeadView<const float> decay = {};
  MatrixView<const float> bonus = {};
  HeadView<float> out = {};
  std::span<const Sequence> sequences = {};
  States states = {};
  Snapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

/// `receptance`, `k`, `decay` (factors), `a` and `b` are H x T x S, `v` and `out` H x T x V. States as in
/// GatedLinearAttentionArgs.
struct Rwkv7Args {
  HeadView<const float> receptance = {};
  HeadView<const float> k = {};
  HeadView<const float> v = {};
  HeadView<const float> decay = {};
  HeadView<const float> a = {};
  HeadView<const float> b = {};
  HeadView<float> out = {};
  std::span<const Sequence> sequences = {};
  States states = {};
  Snapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

namespace internal {

template <class Args>
[[nodiscard]] TESSERA_INLINE Recurrence carried(const Args& a) noexcept {
  Recurrence r;
  r.write = a.k, r.value = a.v, r.out = a.out;
  r.sequences = a.sequences, r.states = a.states, r.snapshots = a.snapshots;
  r.workspace = a.workspace;
  return r;
}
[[nodiscard]] TESSERA_INLINE Recurrence recurrence(const GatedLinearAttentionArgs& a) noexcept {
  Recurrence r = carried(a);
  r.read = a.q, r.gate = a.gate;
  r.scale_bits = parameter_bits(static_cast<float>(a.scale));
  return r;
}
[[nodiscard]] TESSERA_INLINE Recurrence recurrence(const Rwkv6Args& a) noexcept {
  Recurrence r = carried(a);
  r.read = a.receptance, r.gate = a.decay;
  r.extra = {a.bonus.data, a.bonus.rows, a.v.tokens, a.bonus.cols, a.bonus.row_stride, 0};
  return r;
}
[[nodiscard]] TESSERA_INLINE Recurrence recurrence(const Rwkv7Args& a) noexcept {
  Recurrence r = carried(a);
  r.read = a.receptance, r.gate = a.decay, r.look = a.a, r.extra = a.b;
  return r;
}

TESSERA_INLINE constexpr Rule rule_of(const GatedLinearAttentionArgs&) noexcept {
  return Rule::linear;
}
TESSERA_INLINE constexpr Rule rule_of(const Rwkv6Args&) noexcept {
  return Rule::bonus;
}
TESSERA_INLINE constexpr Rule rule_of(const Rwkv7Args&) noexcept {
  return Rule::pair;
}

template <class T>
concept LinearAttention = requires(const T& args) { rule_of(args); };

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_KERNELS_LINEAR_ATTENTION_ARGUMENTS_HPP_
