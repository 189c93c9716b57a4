// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The kernels that carry a state behind the C interface.
#ifndef TESSERA_C_INTERFACE_RECURRENT_HPP_
#define TESSERA_C_INTERFACE_RECURRENT_HPP_

#include <cstddef>

#include "tessera/c_interface/common.hpp"
#include "tessera/config.hpp"
#include "tessera/gated_delta_net.hpp"
#include "tessera/linear_attention.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_scan.hpp"
#include "tessera/ssm_step.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace TSR_COPY_ {

/// Members of one name in both structs that recurrent kernels share.
template <class Args, class C>
TESSERA_INLINE void take_state(Args& args, const C& c) noexcept {
  args.sequences = view(c.sequences, c.sequence_count);
  args.states = view(c.states);
  if constexpr (requires { c.snapshots; }) args.snapshots = view(c.snapshots);
  args.workspace = view(c.workspace);
}
template <class C>
TESSERA_INLINE bool is_order(const C& c) noexcept {
  return c.states.order <= TSR_STATE_REDUCTION;
}
TESSERA_INLINE ConvStates view(const tsr_conv_states& s) noexcept {
  return {s.data, s.slots, s.slot_stride, s.row_stride, s.channel_stride};
}
TESSERA_INLINE ConvSnapshots view(const tsr_conv_snapshots& s) noexcept {
  return {s.data, s.count, s.sequence_stride, s.snapshot_stride, s.row_stride, s.channel_stride};
}
TESSERA_INLINE HeadMap head_map(tsr_head_map map) noexcept {
  return map == TSR_HEADS_MODULO ? HeadMap::modulo() : HeadMap::blocks();
}
TESSERA_INLINE bool is_head_map(tsr_head_map map) noexcept {
  return map == TSR_HEADS_MODULO || map == TSR_HEADS_BLOCKS;
}

template <class B>
Status call(const tsr_ssm_conv_args& c, const Request& r) noexcept {
  const SsmConvArgs args = {view(c.x),      view(c.weight),    c.bias,
                            view(c.y),      c.silu != 0,       view(c.sequences, c.sequence_count),
                            view(c.states), view(c.snapshots), view(c.workspace)};
  return answer<B>(
      args, r, [](const auto& a, std::size_t, UnitRange range) { return ssm_conv<B>(a, range); });
}

template <class B>
Status call(const tsr_ssm_scan_args& c, const Request& r) noexcept {
  if (c.algorithm > TSR_CHUNKED || !is_order(c)) return Status::unknown_choice;
  SsmScanArgs args = {};
  args.x = view(c.x), args.dt = view(c.dt), args.a = view(c.a);
  args.b = view(c.b), args.c = view(c.c), args.d = c.d, args.z = view(c.z), args.y = view(c.y);
  args.softplus = c.softplus != 0, args.dt_min = c.dt_min, args.dt_max = c.dt_max;
  if (c.algorithm == TSR_CHUNKED) args.algorithm = ScanAlgorithm::chunked;
  take_state(args, c);
  return answer<B>(
      args, r, [](const auto& a, std::size_t, UnitRange range) { return ssm_scan<B>(a, range); });
}

template <class B>
Status call(const tsr_mamba2_step_args& c, const Request& r) noexcept {
  if (!is_order(c)) return Status::unknown_choice;
  Mamba2StepArgs args = {};
  args.groups = c.groups, args.state_size = c.state_size;
  args.xbc = view(c.xbc), args.weight = view(c.weight), args.bias = c.bias;
  args.conv_states = view(c.conv_states);
  args.dt = view(c.dt), args.a = view(c.a), args.d = c.d, args.z = view(c.z), args.y = view(c.y);
  args.softplus = c.softplus != 0, args.dt_min = c.dt_min, args.dt_max = c.dt_max;
  take_state(args, c);
  return answer<B>(args, r, [](const auto& a, std::size_t phase, UnitRange range) {
    return mamba2_step_phase<B>(a, phase, range);
  });
}

template <class B>
Status call(const tsr_gated_delta_net_step_args& c, const Request& r) noexcept {
  if (!is_head_map(c.head_map) || !is_order(c)) return Status::unknown_choice;
  GatedDeltaNetStepArgs args = {.head_map = head_map(c.head_map)};
  args.key_heads = c.key_heads, args.key_size = c.key_size;
  args.qkv = view(c.qkv), args.weight = view(c.weight), args.bias = c.bias;
  args.conv_states = view(c.conv_states);
  args.eps = c.eps, args.scale = c.scale;
  args.log_gate = view(c.log_gate), args.beta = view(c.beta), args.out = view(c.out);
  take_state(args, c);
  return answer<B>(args, r, [](const auto& a, std::size_t phase, UnitRange range) {
    return gated_delta_net_step_phase<B>(a, phase, range);
  });
}

template <class B>
Status call(const tsr_gated_delta_net_args& c, const Request& r) noexcept {
  if (!is_head_map(c.head_map) || c.algorithm > TSR_CHUNKED || !is_order(c))
    return Status::unknown_choice;
  GatedDeltaNetArgs args = {.head_map = head_map(c.head_map)};
  args.q = view(c.q), args.k = view(c.k), args.v = view(c.v);
  args.log_gate = view(c.log_gate), args.beta = view(c.beta), args.out = view(c.out);
  args.scale = c.scale;
  if (c.algorithm == TSR_CHUNKED) args.algorithm = DeltaNetAlgorithm::chunked;
  take_state(args, c);
  return answer<B>(args, r, [](const auto& a, std::size_t, UnitRange range) {
    return gated_delta_net<B>(a, range);
  });
}

template <class B>
Status call(const tsr_gated_linear_attention_args& c, const Request& r) noexcept {
  if (!is_order(c)) return Status::unknown_choice;
  GatedLinearAttentionArgs args;
  args.q = view(c.q), args.k = view(c.k), args.v = view(c.v), args.gate = view(c.gate);
  args.out = view(c.out), args.scale = c.scale;
  take_state(args, c);
  return answer<B>(args, r, [](const auto& a, std::size_t, UnitRange range) {
    return gated_linear_attention<B>(a, range);
  });
}

template <class B>
Status call(const tsr_rwkv6_args& c, const Request& r) noexcept {
  if (!is_order(c)) return Status::unknown_choice;
  Rwkv6Args args;
  args.receptance = view(c.receptance), args.k = view(c.k), args.v = view(c.v);
  args.decay = view(c.decay), args.bonus = view(c.bonus), args.out = view(c.out);
  take_state(args, c);
  return answer<B>(args, r,
                   [](const auto& a, std::size_t, UnitRange range) { return rwkv6<B>(a, range); });
}

template <class B>
Status call(const tsr_rwkv7_args& c, const Request& r) noexcept {
  if (!is_order(c)) return Status::unknown_choice;
  Rwkv7Args args;
  args.receptance = view(c.receptance), args.k = view(c.k), args.v = view(c.v);
  args.decay = view(c.decay), args.a = view(c.a), args.b = view(c.b), args.out = view(c.out);
  take_state(args, c);
  return answer<B>(args, r,
                   [](const auto& a, std::size_t, UnitRange range) { return rwkv7<B>(a, range); });
}

}  // namespace TSR_COPY_

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_C_INTERFACE_RECURRENT_HPP_
