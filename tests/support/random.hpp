// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Seeded numbers and test data that are the same under every compiler, library and flag (the
/// standard's distributions are not).
#ifndef TESSERA_TESTS_SUPPORT_RANDOM_HPP_
#define TESSERA_TESTS_SUPPORT_RANDOM_HPP_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/core/arithmetic.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/core/rounded.hpp"

namespace tessera_test {

/// splitmix64: one 64-bit state, any seed is good. Source: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", 2014.
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t bits64() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  constexpr std::uint32_t bits32() noexcept { return static_cast<std::uint32_t>(bits64() >> 32); }

  /// In [0, n), n >= 1. The bias (below 2^-32 for n below 2^32) does not matter to a test.
  constexpr std::uint64_t below(std::uint64_t n) noexcept { return bits64() % n; }
  /// In [low, high].
  constexpr int between(int low, int high) noexcept {
    const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low + 1);
    return static_cast<int>(low + static_cast<std::int64_t>(below(range)));
  }
  constexpr bool coin() noexcept { return (bits64() >> 63) != 0; }

  /// A multiple of 2^-24 in [0, 1).
  constexpr float uniform() noexcept {
    return static_cast<float>(bits64() >> 40) * 0x1p-24f;  // exact, so nothing can be contracted
  }
  /// In [low, high]; one rounding in double, one to float.
  float uniform(float low, float high) noexcept {
    const double width = static_cast<double>(high) - static_cast<double>(low);
    const double part = tessera::rounded(width * static_cast<double>(uniform()));
    return static_cast<float>(static_cast<double>(low) + part);
  }
  /// Mean 0, deviation `sigma`: a sum of twelve uniform integers, which needs no libm. Beyond
  /// 6 sigma there is nothing.
  float gaussian(float sigma = 1.0f) noexcept {
    std::int64_t sum = -6 * (std::int64_t{1} << 32);
    for (int i = 0; i < 12; ++i) sum += bits32();
    const double unit = static_cast<double>(sum) * 0x1p-32;  // exact: 36 bits
    return tessera::rounded(static_cast<float>(unit) * sigma);
  }
  /// Any finite float, all exponents alike.
  float any_finite() noexcept {
    std::uint32_t bits = bits32();
    while ((bits & 0x7f800000u) == 0x7f800000u) bits = bits32();
    return tessera::from_bits(bits);
  }

 private:
  std::uint64_t state_;
};

/// Floats where things go wrong: zeros, subnormals, the ends of ranges, integers that stop being
/// exact, ties, infinities, NaNs. Signs alternate.
inline constexpr std::uint32_t special_float_bits[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
    0x33000000, 0xb3000000, 0x33800000, 0xb3800000, 0x38800000, 0xb8800000, 0x3effffff, 0xbeffffff,
    0x3f000000, 0xbf000000, 0x3f7fffff, 0xbf7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001,
    0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x42fe0000, 0xc2fe0000, 0x477fe000, 0xc77fe000,
    0x477ff000, 0xc77ff000, 0x4b7fffff, 0xcb7fffff, 0x4f000000, 0xcf000000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001};
inline constexpr std::size_t special_floats = sizeof special_float_bits / sizeof(std::uint32_t);

/// Kinds of test data.
enum class Fill {
  gaussian,  ///< deviation 1
  uniform,   ///< [-1, 1]
  one_hot,   ///< zeros and a single 1 at a random place
  extreme,   ///< the largest magnitude of the kind, random signs (int8: -128 and 127)
  tiny,      ///< around the smallest normal number
  integers,  ///< small whole numbers: sums of products are exact
  special,   ///< zeros, subnormals, ties, infinities, NaNs among ordinary values
};
inline constexpr Fill all_fills[] = {Fill::gaussian, Fill::uniform,  Fill::one_hot, Fill::extreme,
                                     Fill::tiny,     Fill::integers, Fill::special};
/// Those without infinities and NaNs.
inline constexpr Fill finite_fills[] = {Fill::gaussian, Fill::uniform, Fill::one_hot,
                                        Fill::extreme,  Fill::tiny,    Fill::integers};

constexpr const char* name(Fill fill) noexcept {
  switch (fill) {
    case Fill::gaussian:
      return "gaussian";
    case Fill::uniform:
      return "uniform";
    case Fill::one_hot:
      return "one_hot";
    case Fill::extreme:
      return "extreme";
    case Fill::tiny:
      return "tiny";
    case Fill::integers:
      return "integers";
    case Fill::special:
      return "special";
  }
  return "?";
}

/// One value of the kind; one_hot gives 0. `limit` is the magnitude of `extreme`.
inline float draw(Fill fill, Random& random, float limit = 0x1p60f) noexcept {
  switch (fill) {
    case Fill::gaussian:
      return random.gaussian();
    case Fill::uniform:
      return random.uniform(-1.0f, 1.0f);
    case Fill::one_hot:
      return 0.0f;
    case Fill::extreme:
      return random.coin() ? limit : -limit;
    case Fill::tiny:
      return tessera::from_bits((random.bits32() & 0x80ffffffu));
    case Fill::integers:
      return static_cast<float>(random.between(-15, 15));
    case Fill::special:
      if (random.below(4) != 0) return random.gaussian();
      return tessera::from_bits(special_float_bits[random.below(special_floats)]);
  }
  return 0.0f;
}

inline void fill(std::span<float> x, Fill kind, Random& random, float limit = 0x1p60f) noexcept {
  for (float& e : x) e = draw(kind, random, limit);
  if (kind == Fill::one_hot && !x.empty()) x[random.below(x.size())] = 1.0f;
}
/// Rounded to nearest even; `extreme` is the largest finite value.
inline void fill(std::span<tessera::Float16> x, Fill kind, Random& random) noexcept {
  for (auto& e : x) e = tessera::to_float16(draw(kind, random, 65504.0f));
  if (kind == Fill::one_hot && !x.empty()) x[random.below(x.size())] = tessera::to_float16(1.0f);
}
/// Rounded to nearest even.
inline void fill(std::span<tessera::BFloat16> x, Fill kind, Random& random) noexcept {
  for (auto& e : x) e = tessera::to_bfloat16(draw(kind, random));
  if (kind == Fill::one_hot && !x.empty()) x[random.below(x.size())] = tessera::to_bfloat16(1.0f);
}
/// Codes: `integers` is -15..15, `one_hot` one 1, `extreme` -128 or 127, all others any byte.
inline void fill(std::span<std::int8_t> x, Fill kind, Random& random) noexcept {
  for (auto& e : x) {
    int code = random.between(-128, 127);
    if (kind == Fill::one_hot) code = 0;
    if (kind == Fill::integers) code = random.between(-15, 15);
    if (kind == Fill::extreme) code = random.coin() ? 127 : -128;
    e = static_cast<std::int8_t>(code);
  }
  if (kind == Fill::one_hot && !x.empty()) x[random.below(x.size())] = 1;
}
/// Any bytes.
inline void fill_bytes(std::span<std::byte> x, Random& random) noexcept {
  for (auto& e : x) e = static_cast<std::byte>(random.bits32() & 255u);
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_RANDOM_HPP_
