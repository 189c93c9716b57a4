// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Decode steps of state-space layers: one token of each sequence through convolution and recurrence in one
/// call, without tensors between them.
///
/// Exactness class: `identical`. Definition: the bits of the parts called one after the other:
/// - mamba2_step: ssm_conv with silu, then ssm_scan of its x, b and c;
/// - gated_delta_net_step: ssm_conv with silu, l2_norm of its q and k, then gated_delta_net.
/// NaN and infinity as there.
/// Sources: those of the parts; the order of the channels is that of the models' own projections.
#ifndef TESSERA_SSM_STEP_HPP_
#define TESSERA_SSM_STEP_HPP_

#include <cstddef>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/states.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"
#include "tessera/gated_delta_net.hpp"
#include "tessera/kernels/ssm_step/ssm_step.hpp"
#include "tessera/ssm_conv.hpp"
#include "tessera/ssm_scan.hpp"

TESSERA_NAMESPACE_BEGIN

/// H heads of P channels, G groups of heads that share b and c of N states: as SsmScanArgs with one rate per
/// head. A token's row of `xbc` is its x (H x P), b (G x N) and c (G x N) before the convolution: C = H * P +
/// 2 * G * N channels. A sequence has one token, or none.
struct Mamba2StepArgs {
  std::size_t groups = 1;
  std::size_t state_size = 0;            ///< N
  ChannelView<const float> xbc = {};     ///< T x C
  ChannelView<const float> weight = {};  ///< width x C, width 2 to 9
  const float* bias = nullptr;           ///< C, or null
  ConvStates conv_states = {};
  ChannelView<const float> dt = {};  ///< T x H
  ChannelView<const float> a = {};   ///< 1 x H
  const float* d = nullptr;          ///< H, or null: y += d * x
  HeadView<const float> z = {};      ///< H x T x P, or no data: y *= silu(z)
  HeadView<float> y = {};            ///< H x T x P
  bool softplus = true;              ///< is dt still to pass through softplus?
  Parameter<float, internal::parameter_bits(0.0f)> dt_min = {};  ///< the step's limits
  Parameter<float, internal::parameter_bits(__builtin_inff())> dt_max = {};
  std::span<const Sequence> sequences = {};
  States states = {};
  Workspace workspace = {};  ///< see workspace_size(args); `scratch` per concurrent call
};

/// H heads of V values, Hk key heads of S keys: as GatedDeltaNetArgs. A token's row of `qkv` is its q (Hk x
/// S), k (Hk x S) and v (H x V) before the convolution: C = 2 * Hk * S + H * V channels. A sequence has one
/// token, or none.
struct GatedDeltaNetStepArgs {
  HeadMap head_map;                      ///< without a default: say which
  std::size_t key_heads = 0;             ///< Hk
  std::size_t key_size = 0;              ///< S
  ChannelView<const float> qkv = {};     ///< T x C
  ChannelView<const float> weight = {};  ///< width x C, width 2 to 9
  const float* bias = nullptr;           ///< C, or null
  ConvStates conv_states = {};
  Parameter<float, internal::parameter_bits(1e-6f)> eps = {};  ///< l2_norm's; 1e-6 unless set
  HeadView<const float> log_gate = {};                         ///< H x T x 1, H x T x S, or no data
  ChannelView<const float> beta = {};                          ///< T x H
  HeadView<float> out = {};                                    ///< H x T x V
  FloatDefaultOne scale = {};                                  ///< usually 1 / sqrt(S)
  std::span<const Sequence> sequences = {};
  States states = {};
  Workspace workspace = {};  ///< see workspace_size(args); `scratch` per concurrent call
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The scan of a step; its x, b and c are rows of the workspace.
[[nodiscard]] TESSERA_INLINE SsmScanArgs step_scan(const Mamba2StepArgs& a) noexcept {
  SsmScanArgs s;
  s.x.heads = a.y.heads, s.x.tokens = a.y.tokens, s.x.dim = a.y.dim;
  s.b.heads = a.groups, s.b.tokens = a.y.tokens, s.b.dim = a.state_size;
  s.c = s.b;
  s.dt = a.dt, s.a = a.a, s.d = a.d, s.z = a.z, s.y = a.y;
  s.softplus = a.softplus, s.dt_min = a.dt_min, s.dt_max = a.dt_max;
  s.sequences = a.sequences, s.states = a.states, s.workspace = a.workspace;
  return s;
}

/// The recurrence of a step; its q, k and v are rows of the workspace.
[[nodiscard]] TESSERA_INLINE Recurrence step_recurrence(const GatedDeltaNetStepArgs& a) noexcept {
  Recurrence r;
  r.read.heads = a.key_heads, r.read.tokens = a.out.tokens, r.read.dim = a.key_size;
  r.write = r.read;
  r.value.heads = a.out.heads, r.value.tokens = a.out.tokens, r.value.dim = a.out.dim;
  r.gate = a.log_gate, r.beta = a.beta, r.out = a.out;
  r.modulo = a.head_map.is_modulo();
  r.scale_bits = parameter_bits(static_cast<float>(a.scale));
  r.sequences = a.sequences, r.states = a.states, r.workspace = a.workspace;
  return r;
}

/// Channels of their own, H x dim, and shared ones, 2 x count x size, of all tokens: do their bytes fit?
[[nodiscard]] TESSERA_INLINE bool step_overflows(std::size_t heads, std::size_t dim,
                                                 std::size_t count, std::size_t size,
                                                 std::size_t tokens) noexcept {
  std::size_t own = 0, shared = 0, all = 0;
  return mul_overflows(heads, dim, &own) || mul_overflows(own, size, &all) ||
         all > static_cast<std::size_t>(PTRDIFF_MAX) / 8 || mul_overflows(count, size, &shared) ||
         mul_overflows(shared, 2 * sizeof(float), &all) || mul_overflows(all, tokens, &all) ||
         all > static_cast<std::size_t>(PTRDIFF_MAX) / 8 || size > (std::size_t{1} << 40);
}

[[nodiscard]] TESSERA_INLINE bool step_overflows(const Mamba2StepArgs& a) noexcept {
  return step_overflows(a.y.heads, a.y.dim, a.groups, a.state_size, a.y.tokens);
}
[[nodiscard]] TESSERA_INLINE bool step_overflows(const GatedDeltaNetStepArgs& a) noexcept {
  return step_overflows(a.out.heads, a.out.dim, a.key_heads, a.key_size, a.out.tokens);
}

[[nodiscard]] TESSERA_INLINE StepConv step_conv(const Mamba2StepArgs& a) noexcept {
  return {a.xbc,
          a.weight,
          a.bias,
          a.conv_states,
          {a.weight.tokens, a.y.tokens, 2 * a.groups * a.state_size, a.y.heads * a.y.dim,
           scan_scratch(step_scan(a)).bytes()},
          a.workspace};
}
[[nodiscard]] TESSERA_INLINE StepConv step_conv(const GatedDeltaNetStepArgs& a) noexcept {
  return {a.qkv,
          a.weight,
          a.bias,
          a.conv_states,
          {a.weight.tokens, a.out.tokens, 2 * a.key_heads * a.key_size, a.out.heads * a.out.dim,
           recurrence_scratch(step_recurrence(a)).bytes()},
          a.workspace};
}

template <class T>
concept Step = requires(const T& args) { step_conv(args); };

[[nodiscard]] TESSERA_INLINE std::size_t step_units(const Mamba2StepArgs& a,
                                                    std::size_t phase) noexcept {
  return phase == 0 ? a.groups : div_up(a.y.heads * a.y.dim, scan_columns);
}
[[nodiscard]] TESSERA_INLINE std::size_t step_units(const GatedDeltaNetStepArgs& a,
                                                    std::size_t phase) noexcept {
  return phase == 0 ? a.key_heads : a.out.heads;
}

/// Shapes, pointers and strides of the convolution's part; `states` is the recurrence's.
[[nodiscard]] inline Status check_step_conv(const StepConv& c, std::span<const Sequence> sequences,
                                            const States& states) noexcept {
  if (c.x.tokens != c.sizes.tokens || c.x.channels != c.sizes.shared + c.sizes.own ||
      c.weight.channels != c.x.channels)
    return Status::shape_mismatch;
  if (c.weight.tokens < 2 || c.weight.tokens > 9) return Status::position_range;
  const std::size_t slots = c.states.slots < states.slots ? c.states.slots : states.slots;
  if (const Status s = check_sequences(sequences, c.x.tokens, slots); s != Status::ok) return s;
  for (const Sequence& s : sequences)
    if (s.tokens > 1) return Status::position_range;
  return Status::ok;
}

/// The convolution's operands.
TESSERA_INLINE void add_operands(Operands& all, const StepConv& c) noexcept {
  all.reads(strided(c.x));
  all.reads(strided(c.weight));
  all.reads(strided<1>(c.bias, {{c.bias == nullptr ? 0 : c.x.channels, 1}}));
  all.writes(strided<3>(c.states.data, {{c.states.slots, c.states.slot_stride},
                                        {c.weight.tokens - 1, c.states.row_stride},
                                        {c.x.channels, c.states.channel_stride}}));
}

[[nodiscard]] inline Status check_step(const Mamba2StepArgs& a) noexcept {
  if (a.y.heads == 0 || a.y.dim == 0 || a.groups == 0 || a.state_size == 0)
    return Status::empty_shape;
  if (step_overflows(a)) return Status::shape_too_large;
  const StepConv conv = step_conv(a);
  const auto scan = step_scan(a);
  if (a.a.tokens != 1) return Status::shape_mismatch;
  if (const Status s = check_shapes(scan); s != Status::ok) return s;
  if (const Status s = check_step_conv(conv, a.sequences, a.states); s != Status::ok) return s;
  const float low = a.dt_min, high = a.dt_max;
  if (low != low || high != high) return Status::not_finite;
  if (low > high) return Status::position_range;
  Operands operands;
  add_operands(operands, conv);
  operands.reads(strided(a.dt));
  operands.reads(strided(a.a));
  operands.reads(strided<1>(a.d, {{a.d == nullptr ? 0 : a.y.heads, 1}}));
  operands.reads(strided(a.z.data == nullptr ? HeadView<const float>{} : a.z));
  operands.writes(strided(a.y));
  operands.writes(strided(a.states, a.y.heads * a.y.dim * a.state_size));
  return operands.status();
}

[[nodiscard]] inline Status check_step(const GatedDeltaNetStepArgs& a) noexcept {
  if (a.out.heads == 0 || a.out.dim == 0 || a.key_heads == 0 || a.key_size == 0)
    return Status::empty_shape;
  if (step_overflows(a)) return Status::shape_too_large;
  const StepConv conv = step_conv(a);
  if (const Status s = check_recurrence_shapes(step_recurrence(a), Rule::delta); s != Status::ok)
    return s;
  if (const Status s = check_step_conv(conv, a.sequences, a.states); s != Status::ok) return s;
  if (!is_finite(a.eps) || !is_finite(a.scale)) return Status::not_finite;
  if (a.eps < 0.0f) return Status::position_range;
  Operands operands;
  add_operands(operands, conv);
  operands.reads(strided(a.log_gate.data == nullptr ? HeadView<const float>{} : a.log_gate));
  operands.reads(strided(a.beta));
  operands.writes(strided(a.out));
  operands.writes(strided(a.states, a.out.heads * a.out.dim * a.key_size));
  return operands.status();
}

/// Unit u of a phase.
template <class B>
TESSERA_INLINE void run_step(const Mamba2StepArgs& a, std::size_t phase, std::size_t u) noexcept {
  const StepConv conv = step_conv(a);
  const std::size_t each = step_units(a, phase), index = u / each, part = u % each;
  if (phase == 0)
    return mamba2_shared<typename B::Vectors>(conv, a.sequences[index], a.groups, a.state_size,
                                              part);
  SsmScanArgs scan = step_scan(a);
  const auto n = static_cast<std::ptrdiff_t>(a.state_size);
  scan.x.data = conv.own(), scan.x.head_stride = static_cast<std::ptrdiff_t>(a.y.dim);
  scan.b.data = conv.shared(0), scan.c.data = scan.b.data + a.groups * a.state_size;
  scan.b.head_stride = scan.c.head_stride = n;
  scan.b.token_stride = scan.c.token_stride = static_cast<std::ptrdiff_t>(conv.sizes.shared);
  const std::size_t begin = part * scan_columns, columns = conv.sizes.own;
  mamba2_columns<typename B::Vectors>(
      conv, scan, index, begin, columns - begin < scan_columns ? columns : begin + scan_columns);
}
template <class B>
TESSERA_INLINE void run_step(const GatedDeltaNetStepArgs& a, std::size_t phase,
                             std::size_t u) noexcept {
  const StepConv conv = step_conv(a);
  const std::size_t each = step_units(a, phase), index = u / each, part = u % each;
  if (phase == 0)
    return delta_shared<B>(conv, a.sequences[index], a.key_heads, a.key_size, a.eps, part);
  Recurrence r = step_recurrence(a);
  r.read.data = conv.shared(0), r.write.data = r.read.data + a.key_heads * a.key_size;
  r.read.head_stride = r.write.head_stride = static_cast<std::ptrdiff_t>(a.key_size);
  r.read.token_stride = r.write.token_stride = static_cast<std::ptrdiff_t>(conv.sizes.shared);
  r.value.data = conv.own(), r.value.head_stride = static_cast<std::ptrdiff_t>(a.out.dim);
  delta_head<typename B::Vectors>(conv, r, index, part);
}

}  // namespace detail

/// Bytes of workspace a step needs; zeros where the shapes are refused.
template <detail::Step Args>
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const Args& args) noexcept {
  if (args.weight.tokens < 2 || args.weight.tokens > 9 || detail::step_overflows(args)) return {};
  return detail::step_conv(args).sizes.workspace();
}

/// 2: what heads share, then the heads. The caller puts a barrier between phases.
template <detail::Step Args>
[[nodiscard]] constexpr std::size_t phases(const Args&) noexcept {
  return 2;
}

/// Independent work units of a phase. Phase 0: one per sequence and group or key head; phase 1: one per
/// sequence and 256 columns of all heads (mamba2_step) or head (gated_delta_net_step).
template <detail::Step Args>
[[nodiscard]] TESSERA_INLINE std::size_t units(const Args& args, std::size_t phase) noexcept {
  return args.sequences.size() * detail::step_units(args, phase);
}

/// Errors: empty_shape, shape_mismatch, head_ratio, position_range (width; a sequence's tokens or slot, more
/// than one token; dt_min above dt_max; eps below 0), not_finite (scale, eps; a limit is NaN), null_pointer,
/// shape_too_large, misaligned, stride_too_small (elements of the output or the states coincide), overlap
/// (two sequences share tokens or a slot; the output or the states meet another operand),
/// workspace_too_small, scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend, detail::Step Args>
[[nodiscard]] Status check(const Args& args) noexcept {
  if (const Status s = detail::check_step(args); s != Status::ok) return s;
  if (const Status s = detail::check_workspace(args.workspace, workspace_size(args));
      s != Status::ok)
    return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

namespace detail {

template <class B, class Args>
[[nodiscard]] Status run_phase(const Args& args, std::size_t phase, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (phase >= phases(args)) return Status::bad_phase;
  if (const Status s = check_range(range, units(args, phase)); s != Status::ok) return s;
  for (std::size_t u = range.begin; u < range.end; ++u) run_step<B>(args, phase, u);
  return Status::ok;
}

}  // namespace detail

/// Units `range` of one phase. Errors: those of check(args), bad_phase, bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status mamba2_step_phase(const Mamba2StepArgs& args, std::size_t phase,
                                       UnitRange range) noexcept {
  return detail::run_phase<B>(args, phase, range);
}
/// The whole step. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status mamba2_step(const Mamba2StepArgs& args) noexcept {
  const Status s = mamba2_step_phase<B>(args, 0, {0, units(args, 0)});
  return s != Status::ok ? s : mamba2_step_phase<B>(args, 1, {0, units(args, 1)});
}

/// Units `range` of one phase. Errors: those of check(args), bad_phase, bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status gated_delta_net_step_phase(const GatedDeltaNetStepArgs& args,
                                                std::size_t phase, UnitRange range) noexcept {
  return detail::run_phase<B>(args, phase, range);
}
/// The whole step. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status gated_delta_net_step(const GatedDeltaNetStepArgs& args) noexcept {
  const Status s = gated_delta_net_step_phase<B>(args, 0, {0, units(args, 0)});
  return s != Status::ok ? s : gated_delta_net_step_phase<B>(args, 1, {0, units(args, 1)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/ssm_step.hpp"
#endif

#endif  // TESSERA_SSM_STEP_HPP_
