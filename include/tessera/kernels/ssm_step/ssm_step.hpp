// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One token through convolution and recurrence: what heads share first, then head by head.
#ifndef TESSERA_KERNELS_SSM_STEP_SSM_STEP_HPP_
#define TESSERA_KERNELS_SSM_STEP_SSM_STEP_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/gated_delta_net/recurrence.hpp"
#include "tessera/kernels/l2_norm/l2_norm.hpp"
#include "tessera/kernels/ssm_conv/ssm_conv.hpp"
#include "tessera/kernels/ssm_scan/ssm_scan.hpp"

TESSERA_NAMESPACE_BEGIN

namespace internal {

/// Channels that heads share are convolved in phase 0 into the shared workspace, a row per token; those of
/// their own in phase 1 into scratch, which holds the recurrence's, the convolution's and a row of them.
struct StepSizes {
  std::size_t width, tokens;
  std::size_t shared, own;  ///< channels
  std::size_t recurrence;   ///< bytes

  TESSERA_INLINE std::size_t convolution() const noexcept {
    return ConvScratch{width, shared + own < conv_channels ? shared + own : conv_channels}.bytes();
  }
  TESSERA_INLINE WorkspaceSize workspace() const noexcept {
    return {
        round_up(tokens * shared * sizeof(float), workspace_alignment),
        recurrence + convolution() + round_up(own * sizeof(float), workspace_alignment),
    };
  }
};

/// The convolution's operands, and where a step's rows go.
struct StepConv {
  ChannelView<const float> x;
  ChannelView<const float> weight;
  const float* bias;
  ConvStates states;
  StepSizes sizes;
  Workspace workspace;

  /// The row of a token's shared channels.
  TESSERA_INLINE float* shared(std::size_t token) const noexcept {
    return reinterpret_cast<float*>(workspace.shared.data()) + token * sizes.shared;
  }
  TESSERA_INLINE std::byte* scratch() const noexcept {
    return workspace.scratch.data() + sizes.recurrence;
  }
  TESSERA_INLINE float* own() const noexcept {
    return reinterpret_cast<float*>(scratch() + sizes.convolution());
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Channels [first, first + n) of a sequence's token, silu'd, to `to`; their state moves on.
template <class V>
TESSERA_NOINLINE void convolve_step(const StepConv& c, const Sequence& s, std::size_t first,
                                    std::size_t n, float* to) noexcept {
  const auto at = [&](const ChannelView<const float>& v, std::size_t row,
                      std::size_t rows) TESSERA_LAMBDA {
    return ChannelView<const float>{v.at(row, first), rows, n, v.token_stride, v.channel_stride};
  };
  ConvSequence<V> kernel{
      at(c.x, s.first, 1),
      at(c.weight, 0, c.weight.tokens),
      c.bias == nullptr ? nullptr : c.bias + first,
      time_major(to, 1, n),
      true,
      c.states.slot(s.slot) + static_cast<std::ptrdiff_t>(first) * c.states.channel_stride,
      c.states,
      {},
      0,
      reinterpret_cast<float*>(c.scratch())};
  kernel.run(0, n);
}

/// Phase 0 of Mamba-2: b and c of group g.
template <class V>
TESSERA_INLINE void mamba2_shared(const StepConv& c, const Sequence& s, std::size_t groups,
                                  std::size_t states, std::size_t g) noexcept {
  if (s.tokens == 0) return;
  for (std::size_t part = 0; part < 2; ++part) {
    const std::size_t at = (part * groups + g) * states;
    convolve_step<V>(c, s, c.sizes.own + at, states, c.shared(s.first) + at);
  }
}

/// Phase 1 of Mamba-2: columns [begin, end). The inputs of `scan` are rows of the workspace.
template <class V>
TESSERA_INLINE void mamba2_columns(const StepConv& c, const SsmScanArgs& scan, std::size_t index,
                                   std::size_t begin, std::size_t end) noexcept {
  const Sequence& s = scan.sequences[index];
  if (s.tokens == 0) return;
  convolve_step<V>(c, s, begin, end - begin, c.own() + begin);
  ScanSequence<V>(scan, index).run(begin, end);
}

/// Phase 0 of the gated delta net: q and k of a key head, at unit length.
template <class B>
TESSERA_INLINE void delta_shared(const StepConv& c, const Sequence& s, std::size_t key_heads,
                                 std::size_t keys, float eps, std::size_t key_head) noexcept {
  if (s.tokens == 0) return;
  for (std::size_t part = 0; part < 2; ++part) {
    const std::size_t at = (part * key_heads + key_head) * keys;
    float* row = c.shared(s.first) + at;
    convolve_step<typename B::Vectors>(c, s, at, keys, row);
    l2_norm_row<B>(row, row, keys, eps);
  }
}

/// Phase 1 of the gated delta net: one head. The rows of `r` are rows of the workspace.
template <class V>
TESSERA_INLINE void delta_head(const StepConv& c, const Recurrence& r, std::size_t index,
                               std::size_t head) noexcept {
  const Sequence& s = r.sequences[index];
  if (s.tokens == 0) return;
  const std::size_t at = head * r.value.dim;
  convolve_step<V>(c, s, c.sizes.shared + at, r.value.dim, c.own() + at);
  if (r.gate.data != nullptr && r.gate.dim != 1)
    HeadRecurrence<V, Rule::delta, true>(r, index, head).run();
  else
    HeadRecurrence<V, Rule::delta, false>(r, index, head).run();
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_STEP_SSM_STEP_HPP_
