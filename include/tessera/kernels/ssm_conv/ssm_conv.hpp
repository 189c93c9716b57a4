// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One sequence's convolution over a range of channels: where the rows come from, and the state.
#ifndef TESSERA_KERNELS_SSM_CONV_SSM_CONV_HPP_
#define TESSERA_KERNELS_SSM_CONV_SSM_CONV_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/sequences.hpp"
#include "tessera/core/units.hpp"
#include "tessera/kernels/ssm_conv/rows.hpp"
#include "tessera/kernels/ssm_conv/step.hpp"
#include "tessera/tile/copy_strided.hpp"

TESSERA_NAMESPACE_BEGIN

/// The last width - 1 rows of each sequence, oldest first: element (slot s, row i, channel c) is
/// `data[s * slot_stride + i * row_stride + c * channel_stride]`.
struct ConvStates {
  float* data = nullptr;
  std::size_t slots = 0;
  std::ptrdiff_t slot_stride = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t channel_stride = 1;

  [[nodiscard]] TESSERA_INLINE constexpr float* slot(std::size_t s) const noexcept {
    return data + static_cast<std::ptrdiff_t>(s) * slot_stride;
  }
};

/// Copies of states: snapshot s of sequence q is the state that was valid s tokens before the
/// sequence's end. Snapshots from before the sequence's first token stay unwritten.
struct ConvSnapshots {
  float* data = nullptr;
  std::size_t count = 0;  ///< per sequence; 0: none
  std::ptrdiff_t sequence_stride = 0;
  std::ptrdiff_t snapshot_stride = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t channel_stride = 1;

  [[nodiscard]] TESSERA_INLINE constexpr float* at(std::size_t q, std::size_t s) const noexcept {
    return data + static_cast<std::ptrdiff_t>(q) * sequence_stride +
           static_cast<std::ptrdiff_t>(s) * snapshot_stride;
  }
};

namespace internal {

/// Channels of a unit, and of the rows that are gathered in scratch.
inline constexpr std::size_t conv_channels = 256;
/// Tokens that are done for all channels before the next are begun.
inline constexpr std::size_t conv_tokens = 64;

/// Scratch, in floats: gathered rows of x, weights and output, each `channels` wide.
struct ConvScratch {
  std::size_t width;
  std::size_t channels;  ///< at most conv_channels

  TESSERA_INLINE std::size_t weights() const noexcept {
    return (width - 1 + conv_tokens) * channels;
  }
  TESSERA_INLINE std::size_t outputs() const noexcept { return weights() + width * channels; }
  TESSERA_INLINE std::size_t bytes() const noexcept {
    return round_up((outputs() + conv_tokens * channels) * sizeof(float), workspace_alignment);
  }
};

}  // namespace internal

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// conv_tokens where nothing is gathered: fewer rows stay nearer, but what precedes each stretch of channels counts
/// where eight registers are a vector (VLEN 256: 0.797 instructions per output with 16, 0.680 with 64).
template <class V>
inline constexpr std::size_t direct_tokens = V::state_registers < 8 ? 16 : conv_tokens;

template <class V>
class ConvSequence {
 public:
  ChannelView<const float> x;  ///< of the sequence alone
  ChannelView<const float> weight;
  const float* bias;
  ChannelView<float> y;
  bool silu;
  float* state;
  ConvStates states;
  ConvSnapshots snapshots;
  std::size_t index;  ///< of the sequence
  float* scratch;

  /// Channels [begin, end), scratch for conv_channels of them.
  TESSERA_INLINE void run(std::size_t begin, std::size_t end) noexcept {
    // Rows before x's first lie in the state, so the first tokens see gathered rows.
    const bool direct =
        x.channel_stride == 1 && y.channel_stride == 1 && weight.channel_stride == 1;
    if (x.tokens == 1 && direct && states.channel_stride == 1) return step(begin, end);
    const std::size_t history = weight.tokens - 1;
    const std::size_t head = direct && history < x.tokens ? history : x.tokens;
    for (std::size_t c = begin; c < end; c += conv_channels) {
      const std::size_t n = end - c < conv_channels ? end - c : conv_channels;
      gather(head, c, n);
    }
    constexpr std::size_t at_once = direct_tokens<V>;
    for (std::size_t t = head; t < x.tokens; t += at_once) {
      const std::size_t m = x.tokens - t < at_once ? x.tokens - t : at_once;
      conv_rows<V>({x.at(t - history, begin), x.token_stride, weight.at(0, begin),
                    weight.token_stride, bias == nullptr ? nullptr : bias + begin, y.at(t, begin),
                    y.token_stride, weight.tokens, m, end - begin},
                   silu);
    }
    if (x.tokens == 0) return;
    for (std::size_t s = 0; s < snapshots.count && s < x.tokens; ++s)
      store_state(x.tokens - s, snapshots.at(index, s), snapshots.row_stride,
                  snapshots.channel_stride, begin, end);
    store_state(x.tokens, state, states.row_stride, states.channel_stride, begin, end);
  }

 private:
  /// One token whose channels lie side by side everywhere: nothing is gathered.
  TESSERA_INLINE void step(std::size_t begin, std::size_t end) noexcept {
    if (snapshots.count != 0)  // before the rows move
      store_state(1, snapshots.at(index, 0), snapshots.row_stride, snapshots.channel_stride, begin,
                  end);
    conv_step<V>({x.at(0, begin), weight.at(0, begin), weight.token_stride,
                  bias == nullptr ? nullptr : bias + begin, state + begin, states.row_stride,
                  y.at(0, begin), weight.tokens, end - begin, silu});
  }

  /// The first `tokens` outputs of channels [c, c + n) from copied rows.
  TESSERA_INLINE void gather(std::size_t tokens, std::size_t c, std::size_t n) noexcept {
    const std::size_t width = weight.tokens;
    const ConvScratch layout = {width, n};
    const auto row = static_cast<std::ptrdiff_t>(n);
    float* w = scratch + layout.weights();
    float* out = scratch + layout.outputs();
    for (std::size_t k = 0; k < width; ++k)
      copy_strided<V>(weight.at(k, c), weight.channel_stride, w + k * n, 1, n);
    for (std::size_t t = 0; t < tokens; t += conv_tokens) {
      const std::size_t m = tokens - t < conv_tokens ? tokens - t : conv_tokens;
      for (std::size_t i = 0; i < m + width - 1; ++i) load_row(t + i, c, n, scratch + i * n);
      conv_rows<V>(
          {scratch, row, w, row, bias == nullptr ? nullptr : bias + c, out, row, width, m, n},
          silu);
      for (std::size_t i = 0; i < m; ++i)
        copy_strided<V>(out + i * n, 1, y.at(t + i, c), y.channel_stride, n);
    }
  }

  /// Row i of (state, x).
  TESSERA_INLINE void load_row(std::size_t i, std::size_t c, std::size_t n, float* to) noexcept {
    move_row(i, c, n, to, 1);
  }
  TESSERA_NOINLINE void move_row(std::size_t i, std::size_t c, std::size_t n, float* to,
                                 std::ptrdiff_t to_stride) noexcept {
    const std::size_t history = weight.tokens - 1;
    if (i < history)
      copy_strided<V>(state + static_cast<std::ptrdiff_t>(i) * states.row_stride +
                          static_cast<std::ptrdiff_t>(c) * states.channel_stride,
                      states.channel_stride, to, to_stride, n);
    else
      copy_strided<V>(x.at(i - history, c), x.channel_stride, to, to_stride, n);
  }

  /// The state after `tokens` tokens: rows [tokens, tokens + width - 1) of (state, x). Ascending, so
  /// the state itself may be the target.
  TESSERA_INLINE void store_state(std::size_t tokens, float* to, std::ptrdiff_t row_stride,
                                  std::ptrdiff_t channel_stride, std::size_t begin,
                                  std::size_t end) noexcept {
    for (std::size_t i = 0; i + 1 < weight.tokens; ++i)
      move_row(tokens + i, begin, end - begin,
               to + static_cast<std::ptrdiff_t>(i) * row_stride +
                   static_cast<std::ptrdiff_t>(begin) * channel_stride,
               channel_stride);
  }
};

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_SSM_CONV_SSM_CONV_HPP_
