// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The rotation of one row of a head, and the angles.
#ifndef TESSERA_KERNELS_ROPE_ROPE_HPP_
#define TESSERA_KERNELS_ROPE_ROPE_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Cosines and sines of position * base^(-2p / rotary) for p < rotary / 2; ln_base in double.
inline void rope_table_row(std::int64_t position, double ln_base, std::size_t rotary, float* cosine,
                           float* sine) noexcept {
  for (std::size_t p = 0; p < rotary / 2; ++p) {
    const double exponent = static_cast<double>(2 * p) / static_cast<double>(rotary);
    const double frequency = exp_double(rounded(-exponent * ln_base));
    const CosSin c = cos_sin(rounded(static_cast<double>(position) * frequency));
    cosine[p] = c.cos;
    sine[p] = c.sin;
  }
}

/// Rotates pairs (2p, 2p + 1). y may be x.
template <class B>
TESSERA_INLINE void rotate_interleaved(const float* x, const float* cosine, const float* sine,
                                       std::size_t pairs, float* y) noexcept {
  B::Vectors::template for_lanes<2>(pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    auto a = d.set(0.0f);
    auto b = d.set(0.0f);
    d.load_pairs(x + 2 * p, a, b);
    const auto c = d.load(cosine + p);
    const auto s = d.load(sine + p);
    d.store_pairs(y + 2 * p, d.fnma(b, s, d.mul(a, c)), d.fma(b, c, d.mul(a, s)));
  });
}

/// Rotates pairs (p, p + pairs). y may be x.
template <class B>
TESSERA_INLINE void rotate_half(const float* x, const float* cosine, const float* sine,
                                std::size_t pairs, float* y) noexcept {
  B::Vectors::template for_lanes<2>(pairs, [&](auto d, std::size_t p) TESSERA_LAMBDA {
    const auto a = d.load(x + p);
    const auto b = d.load(x + pairs + p);
    const auto c = d.load(cosine + p);
    const auto s = d.load(sine + p);
    d.store(y + p, d.fnma(b, s, d.mul(a, c)));
    d.store(y + pairs + p, d.fma(b, c, d.mul(a, s)));
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ROPE_ROPE_HPP_
