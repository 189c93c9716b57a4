// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The causal depthwise convolution in front of state-space layers, with its state carried along.
///
/// Exactness class: `identical`. Definition, per output (token t, channel c), over the last width
/// inputs ascending (those before the sequence's first token come from the state): one fma per
/// tap onto the bias (0 without one), then, if asked for, `silu` of core/math.hpp. The new state is the last width - 1 rows of (old state, inputs), copied. So
/// a sequence split over several calls gives the same bits. NaN and infinity as IEEE arithmetic gives,
/// in their own channel only.
/// Source: the convolution of Mamba (Gu, Dao, "Mamba: Linear-Time Sequence Modeling with Selective
/// State Spaces", 2023), correlation order.
#ifndef TESSERA_SSM_CONV_HPP_
#define TESSERA_SSM_CONV_HPP_

#include <cstddef>
#include <span>

#include "tessera/backend/control.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/config.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/ssm_conv/ssm_conv.hpp"

TESSERA_NAMESPACE_BEGIN

/// `x` and `y` are tokens x channels, all sequences in one; tokens that belong to no sequence are left
/// alone. `weight` is width x channels (its `tokens` are the taps, the last meets the newest input),
/// width 2 to 9. Any strides; channels at stride 1 are the order that is not copied first.
struct SsmConvArgs {
  ChannelView<const float> x;
  ChannelView<const float> weight;
  const float* bias = nullptr;  ///< channels, or null
  ChannelView<float> y;
  bool silu = false;
  std::span<const Sequence> sequences = {};
  ConvStates states;
  ConvSnapshots snapshots = {};
  Workspace workspace = {};  ///< scratch only, per concurrent call
};

/// Does a call with these strides convolve in place, or gather its rows first, element by element?
enum class ConvAccess : unsigned char { in_place, gathered };

/// Named at compile time where the strides are known then.
[[nodiscard]] TESSERA_INLINE constexpr ConvAccess conv_access(const SsmConvArgs& args) noexcept {
  return args.x.channel_stride == 1 && args.y.channel_stride == 1 && args.weight.channel_stride == 1
             ? ConvAccess::in_place
             : ConvAccess::gathered;
}

namespace internal {

[[nodiscard]] TESSERA_INLINE ConvScratch conv_scratch(const SsmConvArgs& args) noexcept {
  return {args.weight.tokens, args.x.channels < conv_channels ? args.x.channels : conv_channels};
}
[[nodiscard]] TESSERA_INLINE Strided<3> strided_states(const SsmConvArgs& a) noexcept {
  return strided<3>(a.states.data, {{a.states.slots, a.states.slot_stride},
                                    {a.weight.tokens - 1, a.states.row_stride},
                                    {a.x.channels, a.states.channel_stride}});
}
[[nodiscard]] TESSERA_INLINE Strided<4> strided_snapshots(const SsmConvArgs& a) noexcept {
  return strided<4>(a.snapshots.data, {{a.sequences.size(), a.snapshots.sequence_stride},
                                       {a.snapshots.count, a.snapshots.snapshot_stride},
                                       {a.weight.tokens - 1, a.snapshots.row_stride},
                                       {a.x.channels, a.snapshots.channel_stride}});
}

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

/// Bytes of scratch a call needs; zeros for a width that is refused.
[[nodiscard]] TESSERA_INLINE WorkspaceSize workspace_size(const SsmConvArgs& args) noexcept {
  if (args.weight.tokens < 2 || args.weight.tokens > 9) return {};
  return {0, detail::conv_scratch(args).bytes()};
}

/// One unit per sequence and 256 channels, channels fastest.
[[nodiscard]] TESSERA_INLINE std::size_t units(const SsmConvArgs& args) noexcept {
  return args.sequences.size() * detail::div_up(args.x.channels, detail::conv_channels);
}

/// Errors: empty_shape (no channels), shape_mismatch, position_range (width, a sequence's tokens or
/// slot), null_pointer, shape_too_large, misaligned, stride_too_small (elements of y, the states or the
/// snapshots coincide), overlap (two sequences share tokens or a slot; y, the states or the snapshots
/// meet another operand), scratch_too_small, workspace_misaligned, wrong_vlen, control_register.
template <class B = default_backend>
[[nodiscard]] Status check(const SsmConvArgs& args) noexcept {
  if (args.x.channels == 0) return Status::empty_shape;
  if (args.weight.channels != args.x.channels || args.y.channels != args.x.channels ||
      args.y.tokens != args.x.tokens)
    return Status::shape_mismatch;
  if (args.weight.tokens < 2 || args.weight.tokens > 9) return Status::position_range;
  const auto x = detail::strided(args.x);
  const auto weight = detail::strided(args.weight);
  const auto bias =
      detail::strided<1>(args.bias, {{args.bias == nullptr ? 0 : args.x.channels, 1}});
  const auto y = detail::strided(args.y);
  const auto states = detail::strided_states(args);
  const auto snapshots = detail::strided_snapshots(args);
  if (const Status s = detail::check_input(x); s != Status::ok) return s;
  if (const Status s = detail::check_input(weight); s != Status::ok) return s;
  if (const Status s = detail::check_input(bias); s != Status::ok) return s;
  if (const Status s = detail::check_output(y); s != Status::ok) return s;
  if (const Status s = detail::check_output(states); s != Status::ok) return s;
  if (const Status s = detail::check_output(snapshots); s != Status::ok) return s;
  if (const Status s = detail::check_sequences(args.sequences, args.x.tokens, args.states.slots);
      s != Status::ok)
    return s;
  const auto ex = detail::extent(x), ew = detail::extent(weight), eb = detail::extent(bias);
  const auto ey = detail::extent(y), es = detail::extent(states), ek = detail::extent(snapshots);
  if (detail::meets(ey, ex, ew, eb, es, ek) || detail::meets(es, ex, ew, eb, ek) ||
      detail::meets(ek, ex, ew, eb))
    return Status::overlap;
  if (const Status s = detail::check_workspace(args.workspace, workspace_size(args));
      s != Status::ok)
    return s;
  if (const Status s = B::check(); s != Status::ok) return s;
  return detail::check_control();
}

/// Units `range`. Errors: those of check(args), bad_unit_range.
template <class B = default_backend>
[[nodiscard]] Status ssm_conv(const SsmConvArgs& args, UnitRange range) noexcept {
  if (const Status s = check<B>(args); s != Status::ok) return s;
  if (const Status s = detail::check_range(range, units(args)); s != Status::ok) return s;
  const std::size_t blocks = detail::div_up(args.x.channels, detail::conv_channels);
  for (std::size_t u = range.begin; u < range.end;) {
    const std::size_t q = u / blocks;
    const std::size_t begin = u % blocks;  // units of one sequence are done at once
    const std::size_t end = range.end - u < blocks - begin ? begin + (range.end - u) : blocks;
    const Sequence& seq = args.sequences[q];
    auto x = args.x;
    auto y = args.y;
    x.data = x.at(seq.first, 0), y.data = y.at(seq.first, 0);
    x.tokens = y.tokens = seq.tokens;
    detail::ConvSequence<typename B::Vectors> kernel{
        x,           args.weight,
        args.bias,   y,
        args.silu,   args.states.slot(seq.slot),
        args.states, args.snapshots,
        q,           reinterpret_cast<float*>(args.workspace.scratch.data())};
    const std::size_t last = end * detail::conv_channels;
    kernel.run(begin * detail::conv_channels, last < args.x.channels ? last : args.x.channels);
    u += end - begin;
  }
  return Status::ok;
}

/// All sequences and channels. Errors: those of check(args).
template <class B = default_backend>
[[nodiscard]] Status ssm_conv(const SsmConvArgs& args) noexcept {
  return ssm_conv<B>(args, {0, units(args)});
}

TESSERA_ISA_NAMESPACE_END

#if TESSERA_EXTERN_KERNELS
#include "tessera/instances/ssm_conv.hpp"
#endif

#endif  // TESSERA_SSM_CONV_HPP_
