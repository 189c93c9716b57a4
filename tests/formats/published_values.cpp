// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The published layouts a second time: for one element, which bits of the block it is made of. Nothing
// of the library is used.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "tests/formats/entries.hpp"

namespace tessera_test {
namespace {

/// A block as unsigned bytes.
struct Bytes {
  const std::byte* data;
  unsigned operator[](std::size_t i) const { return static_cast<unsigned>(data[i]); }
  int signed_at(std::size_t i) const { return static_cast<std::int8_t>(data[i]); }
  /// Bits [at, at + n) of the little-endian number that starts at byte `from`.
  unsigned bits(std::size_t from, std::size_t at, std::size_t n) const {
    unsigned value = 0;
    for (std::size_t i = 0; i < n; ++i)
      value |= ((*this)[from + (at + i) / 8] >> (at + i) % 8 & 1u) << i;
    return value;
  }
  /// The binary16 at byte i.
  double half(std::size_t i) const {
    const unsigned bits = (*this)[i] | (*this)[i + 1] << 8;
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    const int exponent = static_cast<int>(bits >> 10 & 31u);
    const double mantissa = bits & 0x3ffu;
    if (exponent == 31)
      return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(1024 + mantissa, exponent - 25);
  }
  /// The binary32 at byte i.
  double single(std::size_t i) const {
    const std::uint32_t bits = this->bits(i, 0, 32);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  /// Nibble of element e of a half-split run of n elements that starts at byte `from`.
  unsigned half_split(std::size_t from, std::size_t e, std::size_t n) const {
    return e < n / 2 ? (*this)[from + e] % 16 : (*this)[from + e - n / 2] / 16;
  }
};

constexpr int unequal[16] = {-127, -104, -83, -65, -49, -35, -22, -10,
                             1,    13,   25,  38,  53,  69,  89,  113};

/// E2M1: sign, two bits of exponent (bias 1), one of mantissa.
double small_float(unsigned code) {
  const double sign = code >= 8 ? -1.0 : 1.0;
  const unsigned exponent = code >> 1 & 3u;
  const double half = code & 1u;
  return sign *
         (exponent == 0 ? half / 2 : std::ldexp(1 + half / 2, static_cast<int>(exponent) - 1));
}

/// Unsigned E4M3 with bias 7; the code of its NaN counts as 0.
double unsigned_e4m3(unsigned code) {
  if (code == 0x7f) return 0;
  const int exponent = static_cast<int>(code >> 3 & 15u);
  const double eighths = code & 7u;
  return exponent == 0 ? std::ldexp(eighths, -9) : std::ldexp(1 + eighths / 8, exponent - 7);
}

/// Sub-block j's scale and minimum, six bits each, of the twelve bytes at 4.
unsigned six_bits_scale(const Bytes& b, std::size_t j) {
  return j < 4 ? b.bits(4 + j, 0, 6) : b.bits(8 + j, 0, 4) + 16 * b.bits(j, 6, 2);
}
unsigned six_bits_minimum(const Bytes& b, std::size_t j) {
  return j < 4 ? b.bits(8 + j, 0, 6) : b.bits(8 + j, 4, 4) + 16 * b.bits(4 + j, 6, 2);
}

double q2_k(const Bytes& b, std::size_t e) {
  const unsigned code = b.bits(16 + 32 * (e / 128) + e % 32, e % 128 / 32 * 2, 2);
  return b.half(80) * b.bits(e / 16, 0, 4) * code - b.half(82) * b.bits(e / 16, 4, 4);
}
double q3_k(const Bytes& b, std::size_t e) {
  const int low = static_cast<int>(b.bits(32 + 32 * (e / 128) + e % 32, e % 128 / 32 * 2, 2));
  const int code = low - (b.bits(e % 32, e / 32, 1) != 0 ? 0 : 4);
  const std::size_t j = e / 16;
  const unsigned low4 = j < 8 ? b.bits(96 + j, 0, 4) : b.bits(96 + j - 8, 4, 4);
  const int scale = static_cast<int>(low4 + 16 * b.bits(104 + j % 4, 2 * (j / 4), 2)) - 32;
  return b.half(108) * scale * code;
}
double q4_k(const Bytes& b, std::size_t e) {
  const std::size_t j = e / 32;
  const unsigned code = b.bits(16 + 32 * (j / 2) + e % 32, j % 2 * 4, 4);
  return b.half(0) * six_bits_scale(b, j) * code - b.half(2) * six_bits_minimum(b, j);
}
double q5_k(const Bytes& b, std::size_t e) {
  const std::size_t j = e / 32;
  const unsigned code =
      b.bits(48 + 32 * (j / 2) + e % 32, j % 2 * 4, 4) + 16 * b.bits(16 + e % 32, j, 1);
  return b.half(0) * six_bits_scale(b, j) * code - b.half(2) * six_bits_minimum(b, j);
}
double q6_k(const Bytes& b, std::size_t e) {
  const std::size_t h = e / 128, g = e % 128 / 32, l = e % 32;
  const unsigned low = b.bits(64 * h + l + 32 * (g & 1), g < 2 ? 0 : 4, 4);
  const int code = static_cast<int>(low + 16 * b.bits(128 + 32 * h + l, 2 * g, 2)) - 32;
  return b.half(208) * b.signed_at(192 + e / 16) * code;
}
double iq4_xs(const Bytes& b, std::size_t e) {
  const std::size_t j = e / 32;
  const int scale =
      static_cast<int>(b.bits(4 + j / 2, j % 2 * 4, 4) + 16 * b.bits(2, 2 * j, 2)) - 32;
  return b.half(0) * scale * unequal[b.half_split(8 + 16 * j, e % 32, 32)];
}

}  // namespace

double published_value(const std::string& format, const std::byte* block, std::size_t e) {
  const Bytes b{block};
  const auto nibble = [&](std::size_t from) { return static_cast<int>(b.half_split(from, e, 32)); };
  const auto fifth = [&](std::size_t from) { return 16 * static_cast<int>(b.bits(from, e, 1)); };
  if (format == "q8_0") return b.signed_at(2 + e) * b.half(0);
  if (format == "q4_0") return (nibble(2) - 8) * b.half(0);
  if (format == "q4_1") return nibble(4) * b.half(0) + b.half(2);
  if (format == "q5_0") return (nibble(6) + fifth(2) - 16) * b.half(0);
  if (format == "q5_1") return (nibble(8) + fifth(4)) * b.half(0) + b.half(2);
  if (format == "q2_K") return q2_k(b, e);
  if (format == "q3_K") return q3_k(b, e);
  if (format == "q4_K") return q4_k(b, e);
  if (format == "q5_K") return q5_k(b, e);
  if (format == "q6_K") return q6_k(b, e);
  if (format == "iq4_nl") return unequal[nibble(2)] * b.half(0);
  if (format == "iq4_xs") return iq4_xs(b, e);
  if (format == "mxfp4")
    return small_float(b.half_split(1, e, 32)) * std::ldexp(1.0, static_cast<int>(b[0]) - 127);
  if (format == "nvfp4") {
    const std::size_t s = e / 16;
    return small_float(b.half_split(4 + 8 * s, e % 16, 16)) * unsigned_e4m3(b[s]);
  }
  if (format == "q1_0") return b.bits(2, e, 1) != 0 ? b.half(0) : -b.half(0);
  if (format == "q2_0") return (static_cast<int>(b.bits(2, 2 * e, 2)) - 1) * b.half(0);
  // Scales of 16 or 128 elements, then zero points in nibbles, then codes, low nibble first.
  if (format == "nbits16_f16z")
    return b.half(e / 16 * 2) * (static_cast<int>(b.bits(5, 4 * e, 4)) - 8) -
           b.half(e / 16 * 2) * (static_cast<int>(b.bits(4, e / 16 * 4, 4)) - 8);
  if (format == "nbits128_f32") return (static_cast<int>(b.bits(4, 4 * e, 4)) - 8) * b.single(0);
  throw std::invalid_argument("no published layout of " + format);
}

}  // namespace tessera_test
