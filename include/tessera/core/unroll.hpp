// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Compile-time loops and parameter packs of accumulators, which stay in registers also where vector
/// types are sizeless (no arrays, no members, no tuples of them).
#ifndef TESSERA_CORE_UNROLL_HPP_
#define TESSERA_CORE_UNROLL_HPP_

#include <cstddef>
#include <utility>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

/// A compile-time index, usable as a constant inside a generic lambda.
template <std::size_t I>
struct Index {
  static constexpr std::size_t value = I;
  constexpr operator std::size_t() const noexcept { return I; }
};

namespace detail {

template <class F, std::size_t... I>
TESSERA_INLINE void unroll_over(F&& f, std::index_sequence<I...>) {
  (f(Index<I>{}), ...);
}

}  // namespace detail

/// Calls f(Index<0>), ..., f(Index<N - 1>).
template <std::size_t N, class F>
TESSERA_INLINE void unroll(F&& f) {
  detail::unroll_over(f, std::make_index_sequence<N>{});
}

/// The I-th of the arguments, by reference.
template <std::size_t I, class First, class... Rest>
TESSERA_INLINE auto& nth(First& first, Rest&... rest) noexcept {
  if constexpr (I == 0) {
    return first;
  } else {
    return nth<I - 1>(rest...);
  }
}

/// Makes N values with init() and calls f(acc0&, ..., accN-1&): a register block.
template <std::size_t N, class Init, class F, class... Acc>
TESSERA_INLINE void with_accumulators(Init&& init, F&& f, Acc&... acc) {
  if constexpr (N == 0) {
    f(acc...);
  } else {
    auto next = init();
    with_accumulators<N - 1>(init, f, acc..., next);
  }
}

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_CORE_UNROLL_HPP_
