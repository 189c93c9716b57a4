// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the recurrent kernels share: sequences of tokens that carry a state, and channels over time.
#ifndef TESSERA_CORE_SEQUENCES_HPP_
#define TESSERA_CORE_SEQUENCES_HPP_

#include <cstddef>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/status.hpp"
#include "tessera/core/strided.hpp"

TESSERA_NAMESPACE_BEGIN

/// `tokens` consecutive tokens from `first` on, which continue the state in slot `slot` and leave the
/// new state there. No tokens is legal and leaves the slot alone.
struct Sequence {
  std::size_t first = 0;
  std::size_t tokens = 0;
  std::size_t slot = 0;
};

/// Element (token t, channel c) is `data[t * token_stride + c * channel_stride]`. One of the strides
/// is 1 in the two usual orders: time_major() and channel_major().
template <class T>
struct ChannelView {
  T* data = nullptr;
  std::size_t tokens = 0;
  std::size_t channels = 0;
  std::ptrdiff_t token_stride = 0;
  std::ptrdiff_t channel_stride = 1;

  [[nodiscard]] TESSERA_INLINE constexpr T* at(std::size_t t, std::size_t c) const noexcept {
    return data + static_cast<std::ptrdiff_t>(t) * token_stride +
           static_cast<std::ptrdiff_t>(c) * channel_stride;
  }
};

/// All channels of a token side by side: the order whose lanes are outputs.
template <class T>
[[nodiscard]] TESSERA_INLINE constexpr ChannelView<T> time_major(T* data, std::size_t tokens,
                                                                 std::size_t channels) noexcept {
  return {data, tokens, channels, static_cast<std::ptrdiff_t>(channels), 1};
}
/// All tokens of a channel side by side.
template <class T>
[[nodiscard]] TESSERA_INLINE constexpr ChannelView<T> channel_major(T* data, std::size_t tokens,
                                                                    std::size_t channels) noexcept {
  return {data, tokens, channels, 1, static_cast<std::ptrdiff_t>(tokens)};
}

namespace internal {

template <class T>
[[nodiscard]] TESSERA_INLINE Strided<2> strided(const ChannelView<T>& v) noexcept {
  return strided<2>(v.data, {{v.tokens, v.token_stride}, {v.channels, v.channel_stride}});
}
template <class T>
[[nodiscard]] TESSERA_INLINE Strided<3> strided(const HeadView<T>& v) noexcept {
  return strided<3>(v.data, {{v.heads, v.head_stride}, {v.tokens, v.token_stride}, {v.dim, 1}});
}

/// position_range: tokens or slots that are not there; overlap: two sequences share tokens or a slot.
[[nodiscard]] TESSERA_INLINE Status check_sequences(std::span<const Sequence> sequences,
                                                    std::size_t tokens,
                                                    std::size_t slots) noexcept {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const Sequence& a = sequences[i];
    if (a.tokens > tokens || a.first > tokens - a.tokens || a.slot >= slots)
      return Status::position_range;
    for (std::size_t j = 0; j < i; ++j) {
      const Sequence& b = sequences[j];
      if (a.slot == b.slot) return Status::overlap;
      if (a.first < b.first + b.tokens && b.first < a.first + a.tokens) return Status::overlap;
    }
  }
  return Status::ok;
}

}  // namespace internal

TESSERA_NAMESPACE_END

#endif  // TESSERA_CORE_SEQUENCES_HPP_
