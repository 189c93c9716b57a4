// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The published quantisation rules of q8_0 and q4_0 written out a second time, and blocks that put
/// them to the test.
#ifndef TESSERA_TESTS_FORMATS_BLOCK_RULES_HPP_
#define TESSERA_TESTS_FORMATS_BLOCK_RULES_HPP_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "tessera/core/float16.hpp"
#include "tests/support/random.hpp"

namespace tessera_test {

using Floats = std::array<float, 32>;

/// Codes with their offset taken off, and the scale before it is stored in 16 bits. Where 1 / d
/// overflows the published rules are silent, and the codes here stay 0.
struct Quantised {
  float d;
  float reciprocal;
  std::array<int, 32> codes;
};

/// A float32 operation is the exact (or correctly rounded) double rounded once more; the volatile
/// stops compilers from fusing it with the next.
inline float to_f32(double x) noexcept {
  volatile float r = static_cast<float>(x);
  return r;
}

/// d = amax / 127; code = x * (1 / d), rounded half away from zero. Finite x only.
inline Quantised q8_0_rule(const Floats& x) {
  double amax = 0;
  for (const float v : x) amax = std::fmax(amax, std::fabs(static_cast<double>(v)));
  Quantised q = {};
  q.d = to_f32(amax / 127.0);
  q.reciprocal = q.d == 0 ? 0.0f : to_f32(1.0 / static_cast<double>(q.d));
  if (!std::isfinite(q.reciprocal)) return q;
  for (std::size_t i = 0; i < 32; ++i) {
    const float scaled = to_f32(static_cast<double>(x[i]) * static_cast<double>(q.reciprocal));
    q.codes[i] = static_cast<int>(std::round(static_cast<double>(scaled)));
  }
  return q;
}

/// d = m / -8 with m the first of the largest magnitudes, signed; the nibble is min(15, x * (1 / d) +
/// 8.5 cut off), the code 8 less. Finite x only.
inline Quantised q4_0_rule(const Floats& x) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < 32; ++i)
    if (std::fabs(x[i]) > std::fabs(x[first])) first = i;
  Quantised q = {};
  // Of a block of zeros m is the start value of the search, a positive zero.
  q.d = to_f32((x[first] == 0 ? 0.0 : static_cast<double>(x[first])) / -8.0);
  q.reciprocal = q.d == 0 ? 0.0f : to_f32(1.0 / static_cast<double>(q.d));
  if (!std::isfinite(q.reciprocal)) return q;
  for (std::size_t i = 0; i < 32; ++i) {
    const float scaled = to_f32(static_cast<double>(x[i]) * static_cast<double>(q.reciprocal));
    const float shifted = to_f32(static_cast<double>(scaled) + 8.5);
    q.codes[i] = static_cast<int>(std::fmin(15.0, std::trunc(static_cast<double>(shifted)))) - 8;
  }
  return q;
}

/// Kinds of finite blocks.
enum class BlockKind {
  gaussian,         ///< of any magnitude
  ties,             ///< halfway between codes, exactly
  near_ties,        ///< a few units in the last place from there
  extreme,          ///< one magnitude, random signs
  zero,             ///< both zeros
  one_hot,          ///< a single value, of any magnitude
  tiny_among_zero,  ///< a single 1e-6
  subnormal,        ///< subnormal floats
  half_range,       ///< scales that are subnormal or just representable in 16 bits
  huge,             ///< scales that overflow 16 bits
  any_bits,         ///< any finite floats
};
inline constexpr BlockKind all_block_kinds[] = {
    BlockKind::gaussian,   BlockKind::ties,    BlockKind::near_ties,       BlockKind::extreme,
    BlockKind::zero,       BlockKind::one_hot, BlockKind::tiny_among_zero, BlockKind::subnormal,
    BlockKind::half_range, BlockKind::huge,    BlockKind::any_bits};

/// Values (i + 1/2) * d for codes i in [-top, top), among them the largest, `top` * d itself.
inline Floats block_of_ties(Random& r, int top, float d, int off) {
  Floats x;
  for (float& v : x) {
    v = to_f32((r.between(-top, top - 1) + 0.5) * static_cast<double>(d));
    for (int i = r.between(-off, off); i != 0; i += i < 0 ? 1 : -1)
      v = std::nextafter(v, i < 0 ? -1e38f : 1e38f);
  }
  x[r.below(32)] = to_f32(static_cast<double>(d) * (r.coin() ? top : -top));
  return x;
}

/// A block of the kind; `top` is the largest code of the format.
inline Floats make_block(BlockKind kind, Random& r, int top) {
  Floats x = {};
  const auto scaled = [&](int low, int high) {
    return to_f32(std::ldexp(static_cast<double>(r.gaussian()), r.between(low, high)));
  };
  const int exponent = r.between(-120, 100);
  switch (kind) {
    case BlockKind::gaussian:
      for (float& v : x) v = to_f32(std::ldexp(static_cast<double>(r.gaussian()), exponent));
      break;
    case BlockKind::ties:
      return block_of_ties(r, top, to_f32(std::ldexp(1.0, r.between(-14, 15))), 0);
    case BlockKind::near_ties:
      return block_of_ties(r, top, std::fabs(scaled(-10, 10)) + 0x1p-14f, 3);
    case BlockKind::extreme: {
      const float m = scaled(-100, 100);
      for (float& v : x) v = r.coin() ? m : -m;
      break;
    }
    case BlockKind::zero:
      for (float& v : x) v = r.coin() ? 0.0f : -0.0f;
      break;
    case BlockKind::one_hot:
      x[r.below(32)] = scaled(-120, 100);
      break;
    case BlockKind::tiny_among_zero:
      x[r.below(32)] = r.coin() ? 1e-6f : -1e-6f;
      break;
    case BlockKind::subnormal:
      for (float& v : x) v = tessera::from_bits(r.bits32() & 0x807fffffu);
      break;
    case BlockKind::half_range: {
      const int e = r.between(-26, -12);
      for (float& v : x) v = to_f32(std::ldexp(static_cast<double>(r.gaussian()) * top, e));
      break;
    }
    case BlockKind::huge:
      for (float& v : x) v = scaled(20, 100);
      break;
    case BlockKind::any_bits:
      for (float& v : x) v = r.any_finite();
      break;
  }
  return x;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_FORMATS_BLOCK_RULES_HPP_
