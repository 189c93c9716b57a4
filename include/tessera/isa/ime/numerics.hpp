// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The arithmetic that no public board run has settled yet. Each fact stands here once, as a member
// of a policy, so that a measurement on silicon changes one function and a test can plug in another
// policy. Execution takes the policy as a template argument.
#ifndef TESSERA_ISA_IME_NUMERICS_HPP_
#define TESSERA_ISA_IME_NUMERICS_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/binary_float.hpp"
#include "tessera/isa/ime/geometry.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// What the vendor's text and the public board runs say, and IEEE 754 where they are silent.
struct DocumentedNumerics {
  static constexpr const char* name = "documented";

  /// Adds an exact integer sum to an int32 accumulator. Open: what happens past the end of the
  /// range. Every public model wraps modulo 2^32.
  TESSERA_INLINE static constexpr std::int32_t accumulate_int32(std::int32_t accumulator,
                                                                std::int32_t sum) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(accumulator) +
                                     static_cast<std::uint32_t>(sum));
  }

  /// The .hp forms: accumulator + sum * scale with one rounding to nearest even (seen on boards).
  /// Open: overflow (here infinity), infinities and NaN (IEEE 754, the canonical quiet NaN),
  /// subnormals (kept), other rounding modes (ignored), flags (none raised). A sum of 0 is +0.
  TESSERA_INLINE static constexpr std::uint16_t accumulate_scaled(HalfFormat half,
                                                                  std::uint16_t accumulator,
                                                                  std::int32_t sum,
                                                                  std::uint16_t scale) {
    const FloatLayout layout = layout_of(half);
    const BinaryFloat product = exact_product(from_integer(sum), unpack_float(layout, scale));
    return static_cast<std::uint16_t>(
        round_to(layout, sticky_sum(unpack_float(layout, accumulator), product)));
  }

  /// vfwmadot: accumulator (fp32) + the sum over q of a[q] * b[q]. Open: order and intermediate
  /// rounding. Here q ascends; each product is rounded to fp32 (it is exact there, except bf16
  /// products outside fp32's range) and added with one fp32 rounding. Subnormals are kept.
  TESSERA_INLINE static constexpr std::uint32_t accumulate_float(HalfFormat half,
                                                                 std::uint32_t accumulator,
                                                                 const std::uint16_t* a,
                                                                 const std::uint16_t* b, int k) {
    const FloatLayout layout = layout_of(half);
    for (int q = 0; q < k; ++q) {
      BinaryFloat product = exact_product(unpack_float(layout, a[q]), unpack_float(layout, b[q]));
      if (half == HalfFormat::bf16) {
        product = unpack_float(layout_fp32, round_to(layout_fp32, product));
      }
      accumulator =
          round_to(layout_fp32, sticky_sum(unpack_float(layout_fp32, accumulator), product));
    }
    return accumulator;
  }
};

using DefaultNumerics = DocumentedNumerics;

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_NUMERICS_HPP_
