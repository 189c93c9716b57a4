// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The angles of rotary embedding: frequencies, scaling, sections; all in double.
#ifndef TESSERA_KERNELS_ROPE_TABLE_HPP_
#define TESSERA_KERNELS_ROPE_TABLE_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/config.hpp"
#include "tessera/core/angles.hpp"
#include "tessera/core/parameter.hpp"
#include "tessera/core/rounded.hpp"

TESSERA_NAMESPACE_BEGIN

/// A double that is so much unless set.
template <std::uint64_t Bits>
using DoubleDefault = Parameter<double, Bits>;

/// Longer contexts than a model was trained with. With ext_factor 0: angles times frequency_scale,
/// cosines and sines times attention_factor. Else YaRN: pair p keeps `mix = ext_factor * ramp(p)` of
/// its angle and takes the scaled one for the rest, and the magnitude is attention_factor * (1 + 0.1
/// ln(1 / frequency_scale)): here, and nowhere else.
///
/// ramp(p) = 1 - clamp((p - low) / max(0.001, high - low), 0, 1), low = max(0, floor(c(beta_fast))),
/// high = min(n - 1, ceil(c(beta_slow))), c(b) = n ln(original_context / (2 pi b)) / (2 ln base), n the
/// number of rotated elements; original_context 0: low = high = 0. Source: YaRN (Peng et al., 2023) as
/// GGUF runtimes compute it.
struct RopeScaling {
  DoubleDefault<internal::parameter_bits(1.0)> frequency_scale = {};
  DoubleDefault<internal::parameter_bits(0.0)> ext_factor = {};
  DoubleDefault<internal::parameter_bits(1.0)> attention_factor = {};
  DoubleDefault<internal::parameter_bits(32.0)> beta_fast = {};
  DoubleDefault<internal::parameter_bits(1.0)> beta_slow = {};
  std::uint32_t original_context = 0;
};

/// Which of a token's four positions (t, h, w, e) turns a pair. With s = p mod (sum of the sections):
enum class RopePlanes : std::uint8_t {
  one,          ///< there is one position per token
  sections,     ///< the plane whose section holds s: the first `section[0]` are t, and so on
  interleaved,  ///< h where s % 3 == 1 and s < 3 section[1], w where s % 3 == 2 and s < 3 section[2],
                ///< t where s % 3 == 0 and s < 3 section[0], else e
  vision        ///< as sections; a pair's exponent counts from its section's first pair, and the
                ///< exponent's divisor is the number of pairs instead of twice that
};

TESSERA_NAMESPACE_END

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The largest integer not above x, |x| < 2^31.
inline double floor_double(double x) noexcept {
  const double n = nearest_integer(x);
  return n > x ? n - 1.0 : n;
}

/// What a model and its scaling make of a pair, positions apart.
struct RopeFrequencies {
  double ln_base;
  double divisor;  ///< of the exponent 2p
  double frequency_scale;
  double ext_factor;
  double low = 0.0;
  double width = 0.001;
  double magnitude;

  RopeFrequencies(double base, std::size_t pairs, bool vision, const RopeScaling& s) noexcept
      : ln_base(log_double(base)),
        divisor(static_cast<double>(vision ? pairs : 2 * pairs)),
        frequency_scale(s.frequency_scale),
        ext_factor(s.ext_factor),
        magnitude(s.attention_factor) {
    if (ext_factor == 0.0) return;
    magnitude = rounded(magnitude * (1.0 - rounded(0.1 * log_double(frequency_scale))));
    if (s.original_context == 0) return;
    const double fast = floor_double(correction(s.original_context, s.beta_fast));
    const double slow = -floor_double(-correction(s.original_context, s.beta_slow));
    low = fast > 0.0 ? fast : 0.0;
    const double high = slow < divisor - 1.0 ? slow : divisor - 1.0;
    width = high - low > 0.001 ? high - low : 0.001;
  }

  /// The angle per position of pair p, whose exponent counts from `first`.
  double of(std::size_t p, std::size_t first, double factor) const noexcept {
    const double exponent = static_cast<double>(2 * (p - first)) / divisor;
    const double whole = exp_double(rounded(-exponent * ln_base)) / factor;
    const double scaled = rounded(whole * frequency_scale);
    if (ext_factor == 0.0) return scaled;
    const double t = (static_cast<double>(p) - low) / width;
    const double ramp = 1.0 - (t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t);
    const double mix = rounded(ramp * ext_factor);
    return rounded(scaled * (1.0 - mix)) + rounded(whole * mix);
  }

 private:
  /// c(beta), kept within what floor_double takes.
  double correction(std::uint32_t context, double beta) const noexcept {
    constexpr double two_pi = 0x1.921fb54442d18p+2;
    const double ratio = static_cast<double>(context) / rounded(two_pi * beta);
    const double c = rounded(divisor * log_double(ratio)) / (2.0 * ln_base);
    return c > 0x1p30 ? 0x1p30 : c < -0x1p30 ? -0x1p30 : c;
  }
};

/// Which plane turns pair p, and where its section begins (vision).
struct PairPlane {
  std::size_t plane;
  std::size_t first;
};
inline PairPlane plane_of(std::size_t p, RopePlanes planes, const std::uint32_t* section) noexcept {
  if (planes == RopePlanes::one) return {0, 0};
  const std::size_t sum = std::size_t{section[0]} + section[1] + section[2] + section[3];
  const std::size_t s = p % sum;
  if (planes == RopePlanes::interleaved) {
    const std::size_t plane = s % 3;
    return {s < 3 * std::size_t{section[plane]} ? plane : 3, 0};
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (s < begin + section[i]) return {i, planes == RopePlanes::vision ? p - (s - begin) : 0};
    begin += section[i];
  }
  return {3, planes == RopePlanes::vision ? p - (s - begin) : 0};
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ROPE_TABLE_HPP_
