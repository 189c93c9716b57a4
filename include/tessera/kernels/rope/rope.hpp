// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The rotation of rows of a head.
#ifndef TESSERA_KERNELS_ROPE_ROPE_HPP_
#define TESSERA_KERNELS_ROPE_ROPE_HPP_

#include <cstddef>

#include "tessera/config.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Rows of some tokens of a head, and those of the tables that belong to them.
template <class T, class C>
struct RopeRun {
  const T* x;
  T* y;
  const C* cosine;
  const C* sine;
  std::ptrdiff_t x_step;
  std::ptrdiff_t y_step;
  std::ptrdiff_t cosine_step;
  std::ptrdiff_t sine_step;
  std::size_t pairs;

  /// Calls body(x, cosine, sine, y) for rows of `tokens` tokens, all pointers moved by these many elements.
  template <class Body>
  TESSERA_INLINE void for_rows(std::size_t tokens, std::size_t moved, std::size_t pair,
                               Body&& body) const noexcept {
    const T* from = x + moved;
    T* to = y + moved;
    const C* c = cosine + pair;
    const C* s = sine + pair;
    for (;;) {
      body(from, c, s, to);
      if (--tokens == 0) return;  // a step that nobody needs may lead anywhere
      from += x_step, to += y_step, c += cosine_step, s += sine_step;
    }
  }
};

/// Pairs (x[p], x[pairs + p]) of all rows, one stretch of pairs after another. The inverse rotation is
/// this one with the halves exchanged. y may be x.
template <class B, bool Inverse, class T, class C>
TESSERA_INLINE void rotate_halves(const RopeRun<T, C>& run, std::size_t tokens) noexcept {
  const std::size_t first = Inverse ? run.pairs : 0;
  const std::size_t second = Inverse ? 0 : run.pairs;
  B::Vectors::template for_lanes<4>(run.pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    run.for_rows(tokens, p, p,
                 [&](const T* x, const C* cosine, const C* sine, T* y) TESSERA_LAMBDA {
                   const auto x0 = d.load(x + first);
                   const auto x1 = d.load(x + second);
                   const auto c = d.load(cosine);
                   const auto s = d.load(sine);
                   d.store(y + first, d.fnma(x1, s, d.mul(x0, c)));
                   d.store(y + second, d.fma(x1, c, d.mul(x0, s)));
                 });
  });
}

/// Pairs (x[2p], x[2p + 1]) of all rows likewise.
template <class B, bool Inverse, class C>
TESSERA_INLINE void rotate_neighbours(const RopeRun<float, C>& run, std::size_t tokens) noexcept {
  B::Vectors::template for_lanes<4>(run.pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    run.for_rows(tokens, 2 * p, p,
                 [&](const float* x, const C* cosine, const C* sine, float* y) TESSERA_LAMBDA {
                   auto a = d.set(0.0f);
                   auto b = d.set(0.0f);
                   d.load_pairs(x, a, b);
                   const auto c = d.load(cosine);
                   const auto s = d.load(sine);
                   if constexpr (Inverse) {
                     d.store_pairs(y, d.fma(a, c, d.mul(b, s)), d.fnma(a, s, d.mul(b, c)));
                   } else {
                     d.store_pairs(y, d.fnma(b, s, d.mul(a, c)), d.fma(b, c, d.mul(a, s)));
                   }
                 });
  });
}

/// Pairs that are widened at once. (g++ 12 cannot compile an array in a lambda that is sized by a constant of
/// the function around it.)
inline constexpr std::size_t widened_pairs = 64;

/// The same for 16-bit elements, by way of floats.
template <class B, bool Inverse, class T, class C>
TESSERA_INLINE void rotate_neighbours(const RopeRun<T, C>& run, std::size_t tokens) noexcept {
  constexpr std::size_t chunk = widened_pairs;
  for (std::size_t p = 0; p < run.pairs; p += chunk) {
    const std::size_t n = run.pairs - p < chunk ? run.pairs - p : chunk;
    run.for_rows(
        tokens, 2 * p, p, [&](const T* x, const C* cosine, const C* sine, T* y) TESSERA_LAMBDA {
          float row[2 * widened_pairs];
          B::Vectors::template for_lanes<4>(2 * n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
            d.store(row + i, d.load(x + i));
          });
          rotate_neighbours<B, Inverse>(RopeRun<float, C>{row, row, cosine, sine, 0, 0, 0, 0, n},
                                        1);
          B::Vectors::template for_lanes<4>(2 * n, [&](auto d, std::size_t i) TESSERA_LAMBDA {
            d.store(y + i, d.load(row + i));
          });
        });
  }
}

/// The rotated part of the rows of at least one token; y may be x.
template <class B, bool Inverse, bool Interleaved, class T, class C>
TESSERA_NOINLINE void rotate_run(const RopeRun<T, C>& run, std::size_t tokens) noexcept {
  if constexpr (Interleaved) {
    rotate_neighbours<B, Inverse>(run, tokens);
  } else {
    rotate_halves<B, Inverse>(run, tokens);
  }
}

/// How rows of T are rotated with tables of C.
template <class T, class C>
using RotateRun = void (*)(const RopeRun<T, C>& run, std::size_t tokens) noexcept;
template <class B, class T, class C>
TESSERA_INLINE RotateRun<T, C> rotation(bool inverse, bool interleaved) noexcept {
  if (inverse)
    return interleaved ? &rotate_run<B, true, true, T, C> : &rotate_run<B, true, false, T, C>;
  return interleaved ? &rotate_run<B, false, true, T, C> : &rotate_run<B, false, false, T, C>;
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ROPE_ROPE_HPP_
