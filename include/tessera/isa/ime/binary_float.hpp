// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Binary floating point in integers: exact products and sums, and one rounding to nearest even. It
// does not depend on the machine's rounding mode, flush-to-zero or contraction, and is constexpr.
#ifndef TESSERA_ISA_IME_BINARY_FLOAT_HPP_
#define TESSERA_ISA_IME_BINARY_FLOAT_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// An IEEE 754 interchange layout: sign, exponent, fraction.
struct FloatLayout {
  int exponent_bits;
  int fraction_bits;

  TESSERA_INLINE constexpr int exponent_mask() const { return (1 << exponent_bits) - 1; }
  /// Exponent of the lowest fraction bit of a subnormal.
  TESSERA_INLINE constexpr int lowest() const {
    return 2 - (1 << (exponent_bits - 1)) - fraction_bits;
  }
  TESSERA_INLINE constexpr std::uint32_t sign_bit() const {
    return std::uint32_t{1} << (exponent_bits + fraction_bits);
  }
  TESSERA_INLINE constexpr std::uint32_t infinity() const {
    return static_cast<std::uint32_t>(exponent_mask()) << fraction_bits;
  }
  /// The canonical one.
  TESSERA_INLINE constexpr std::uint32_t quiet_nan() const {
    return infinity() | std::uint32_t{1} << (fraction_bits - 1);
  }
};

inline constexpr FloatLayout layout_fp16{5, 10};
inline constexpr FloatLayout layout_bf16{8, 7};
inline constexpr FloatLayout layout_fp32{8, 23};

TESSERA_INLINE constexpr FloatLayout layout_of(HalfFormat half) {
  return half == HalfFormat::bf16 ? layout_bf16 : layout_fp16;
}

/// A number taken apart: (-1)^negative * significand * 2^exponent where it is finite.
struct BinaryFloat {
  enum class Kind : std::uint8_t { finite, infinite, not_a_number };
  Kind kind = Kind::finite;
  bool negative = false;
  std::uint64_t significand = 0;  ///< below 2^48
  int exponent = 0;

  TESSERA_INLINE constexpr bool zero() const { return kind == Kind::finite && significand == 0; }
};

inline constexpr BinaryFloat binary_nan{BinaryFloat::Kind::not_a_number};

/// Exact.
TESSERA_INLINE constexpr BinaryFloat unpack_float(const FloatLayout& layout, std::uint32_t bits) {
  const bool negative = (bits & layout.sign_bit()) != 0;
  const int biased = static_cast<int>(bits >> layout.fraction_bits) & layout.exponent_mask();
  const std::uint32_t fraction = bits & ((std::uint32_t{1} << layout.fraction_bits) - 1);
  if (biased == layout.exponent_mask()) {
    if (fraction != 0) return binary_nan;
    return {BinaryFloat::Kind::infinite, negative};
  }
  if (biased == 0) return {BinaryFloat::Kind::finite, negative, fraction, layout.lowest()};
  return {BinaryFloat::Kind::finite, negative, fraction | std::uint32_t{1} << layout.fraction_bits,
          layout.lowest() + biased - 1};
}

/// Exact.
TESSERA_INLINE constexpr BinaryFloat from_integer(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  return {BinaryFloat::Kind::finite, value < 0, value < 0 ? 0u - bits : bits, 0};
}

/// Exact. Precondition: the significands' product is below 2^48.
TESSERA_INLINE constexpr BinaryFloat exact_product(const BinaryFloat& x, const BinaryFloat& y) {
  using Kind = BinaryFloat::Kind;
  if (x.kind == Kind::not_a_number || y.kind == Kind::not_a_number) return binary_nan;
  const bool negative = x.negative != y.negative;
  if (x.kind == Kind::infinite || y.kind == Kind::infinite) {
    if (x.zero() || y.zero()) return binary_nan;
    return {Kind::infinite, negative};
  }
  return {Kind::finite, negative, x.significand * y.significand, x.exponent + y.exponent};
}

/// Bits up to the highest set one; 0 for 0. By halves: compilers call a library for the
/// count of leading zeros on some targets.
TESSERA_INLINE constexpr int bit_length(std::uint64_t value) {
  int length = 0;
  for (int step = 32; step != 0; step /= 2) {
    if (value >> step != 0) {
      value >>= step;
      length += step;
    }
  }
  return length + static_cast<int>(value);
}

/// `value >> count` with every bit that is lost ORed into the lowest: the result rounds like the
/// value as long as the lowest bit is below the rounding position.
TESSERA_INLINE constexpr std::uint64_t shift_right_sticky(std::uint64_t value, int count) {
  if (count >= 64) return value != 0;
  return value >> count | ((value & ((std::uint64_t{1} << count) - 1)) != 0);
}

/// The sum, exact but for bits far below every rounding position, which are kept as one sticky bit:
/// rounding it once gives the rounded exact sum. An exact zero is positive unless both are -0.
TESSERA_INLINE constexpr BinaryFloat sticky_sum(const BinaryFloat& x, const BinaryFloat& y) {
  using Kind = BinaryFloat::Kind;
  if (x.kind == Kind::not_a_number || y.kind == Kind::not_a_number) return binary_nan;
  if (x.kind == Kind::infinite) {
    return y.kind == Kind::infinite && x.negative != y.negative ? binary_nan : x;
  }
  if (y.kind == Kind::infinite) return y;
  if (x.significand == 0 && y.significand == 0) {
    return {Kind::finite, x.negative && y.negative, 0, 0};
  }
  if (x.significand == 0) return y;
  if (y.significand == 0) return x;
  BinaryFloat high = x.exponent >= y.exponent ? x : y;
  BinaryFloat low = x.exponent >= y.exponent ? y : x;
  constexpr int room = 62;  // the sum of two such numbers fits 63 bits
  const int distance = high.exponent - low.exponent;
  const int space = room - bit_length(high.significand);
  const int up = distance < space ? distance : space;
  high.significand <<= up;
  high.exponent -= up;
  low.significand = shift_right_sticky(low.significand, distance - up);
  if (high.negative == low.negative) {
    high.significand += low.significand;
    return high;
  }
  if (high.significand == low.significand) return {};
  if (high.significand > low.significand) {
    high.significand -= low.significand;
    return high;
  }
  low.significand -= high.significand;
  low.exponent = high.exponent;
  return low;
}

/// One rounding to nearest, ties to even. Subnormals are kept; overflow gives infinity; a NaN is the
/// canonical quiet one.
TESSERA_INLINE constexpr std::uint32_t round_to(const FloatLayout& layout, const BinaryFloat& x) {
  if (x.kind == BinaryFloat::Kind::not_a_number) return layout.quiet_nan();
  const std::uint32_t sign = x.negative ? layout.sign_bit() : 0;
  if (x.kind == BinaryFloat::Kind::infinite) return sign | layout.infinity();
  if (x.significand == 0) return sign;
  // The exponent that the lowest kept bit has.
  const int normal = x.exponent + bit_length(x.significand) - 1 - layout.fraction_bits;
  const int kept = normal > layout.lowest() ? normal : layout.lowest();
  const int drop = kept - x.exponent;
  std::uint64_t fraction = 0;
  if (drop <= 0) {
    fraction = x.significand << -drop;
  } else {
    // In quarters, the last of them sticky: x.xx10 is a tie.
    const std::uint64_t quarters =
        drop == 1 ? x.significand << 1 : shift_right_sticky(x.significand, drop - 2);
    fraction = quarters >> 2;
    const std::uint64_t rest = quarters & 3;
    if (rest > 2 || (rest == 2 && (fraction & 1) != 0)) ++fraction;
  }
  // A fraction with its leading one adds 1 to the exponent field, and a carry one more.
  const std::uint64_t bits =
      fraction + (static_cast<std::uint64_t>(kept - layout.lowest()) << layout.fraction_bits);
  if (bits >= layout.infinity()) return sign | layout.infinity();
  return sign | static_cast<std::uint32_t>(bits);
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_BINARY_FLOAT_HPP_
