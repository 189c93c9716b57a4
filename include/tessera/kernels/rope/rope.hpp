// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The rotation of one row of a head.
#ifndef TESSERA_KERNELS_ROPE_ROPE_HPP_
#define TESSERA_KERNELS_ROPE_ROPE_HPP_

#include <cstddef>
#include <type_traits>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Pairs (a[p], b[p]) to (ya[p], yb[p]). The inverse rotation is this one with a and b exchanged.
template <class B, class T, class C>
TESSERA_INLINE void rotate_apart(const T* a, const T* b, const C* cosine, const C* sine,
                                 std::size_t pairs, T* ya, T* yb) noexcept {
  B::Vectors::template for_lanes<4>(pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    const auto x0 = d.load(a + p);
    const auto x1 = d.load(b + p);
    const auto c = d.load(cosine + p);
    const auto s = d.load(sine + p);
    d.store(ya + p, d.fnma(x1, s, d.mul(x0, c)));
    d.store(yb + p, d.fma(x1, c, d.mul(x0, s)));
  });
}

/// Pairs (x[2p], x[2p + 1]) to the same places of y, which may be x.
template <class B, bool Inverse, class C>
TESSERA_INLINE void rotate_interleaved(const float* x, const C* cosine, const C* sine,
                                       std::size_t pairs, float* y) noexcept {
  B::Vectors::template for_lanes<4>(pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    auto a = d.set(0.0f);
    auto b = d.set(0.0f);
    d.load_pairs(x + 2 * p, a, b);
    const auto c = d.load(cosine + p);
    const auto s = d.load(sine + p);
    if constexpr (Inverse) {
      d.store_pairs(y + 2 * p, d.fma(a, c, d.mul(b, s)), d.fnma(a, s, d.mul(b, c)));
    } else {
      d.store_pairs(y + 2 * p, d.fnma(b, s, d.mul(a, c)), d.fma(b, c, d.mul(a, s)));
    }
  });
}

/// The same for 16-bit elements, by way of floats.
template <class B, bool Inverse, class T, class C>
TESSERA_INLINE void rotate_interleaved_halves(const T* x, const C* cosine, const C* sine,
                                              std::size_t pairs, T* y) noexcept {
  constexpr std::size_t chunk = 64;
  for (std::size_t p = 0; p < pairs; p += chunk) {
    const std::size_t n = pairs - p < chunk ? pairs - p : chunk;
    float row[2 * chunk];
    B::Vectors::template for_lanes<4>(2 * n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(row + i, d.load(x + 2 * p + i));
    });
    rotate_interleaved<B, Inverse>(row, cosine + p, sine + p, n, row);
    B::Vectors::template for_lanes<4>(2 * n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
      d.store(y + 2 * p + i, d.load(row + i));
    });
  }
}

/// The rotated part of one row; y may be x.
template <class B, bool Inverse, class T, class C>
TESSERA_INLINE void rotate_row(const T* x, const C* cosine, const C* sine, std::size_t pairs,
                               bool interleaved, T* y) noexcept {
  if (!interleaved) {
    constexpr bool first = !Inverse;
    const std::size_t a = first ? 0 : pairs;
    const std::size_t b = first ? pairs : 0;
    rotate_apart<B>(x + a, x + b, cosine, sine, pairs, y + a, y + b);
  } else if constexpr (std::is_same_v<T, float>) {
    rotate_interleaved<B, Inverse>(x, cosine, sine, pairs, y);
  } else {
    rotate_interleaved_halves<B, Inverse>(x, cosine, sine, pairs, y);
  }
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ROPE_ROPE_HPP_
