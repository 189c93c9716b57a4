// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A second transcription of the tile product, written from the prose and sharing nothing with the
// library: elements by bit position, 64-bit sums, a wrap by remainder.
#ifndef TESSERA_TESTS_ISA_WITNESS_HPP_
#define TESSERA_TESTS_ISA_WITNESS_HPP_

#include <cstdint>
#include <vector>

namespace witness {

struct Shape {
  int m, n, k;
  int bits;  // of one element
  bool a_signed, b_signed;
};

inline long long element(const std::vector<std::uint8_t>& bytes, int index, int bits,
                         bool is_signed) {
  long long value = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const int position = index * bits + bit;
    if (bytes.at(position / 8) & (1 << position % 8)) value += 1ll << bit;
  }
  if (is_signed && value >= 1ll << (bits - 1)) value -= 1ll << bits;
  return value;
}

inline std::vector<std::int32_t> multiply(const Shape& s, std::vector<std::int32_t> c,
                                          const std::vector<std::uint8_t>& a,
                                          const std::vector<std::uint8_t>& b) {
  for (int i = 0; i < s.m; ++i) {
    for (int j = 0; j < s.n; ++j) {
      long long total = c.at(s.n * i + j);
      for (int q = 0; q < s.k; ++q) {
        total += element(a, s.k * i + q, s.bits, s.a_signed) *
                 element(b, s.k * j + q, s.bits, s.b_signed);
      }
      const long long modulus = 1ll << 32;
      total %= modulus;
      if (total >= modulus / 2) total -= modulus;
      if (total < -modulus / 2) total += modulus;
      c.at(s.n * i + j) = static_cast<std::int32_t>(total);
    }
  }
  return c;
}

}  // namespace witness

#endif  // TESSERA_TESTS_ISA_WITNESS_HPP_
