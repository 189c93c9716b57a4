// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Finite blocks of every kind that a quantiser's rule has to take a decision about.
#ifndef TESSERA_TESTS_FORMATS_RULE_BLOCKS_HPP_
#define TESSERA_TESTS_FORMATS_RULE_BLOCKS_HPP_

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/support/random.hpp"

namespace tessera_test {

inline constexpr int rule_kinds = 12;

/// n elements of a kind below rule_kinds; magnitudes between 2^-20 and 2^8, or zero.
inline std::vector<float> rule_block(int kind, std::size_t n, Random& r) {
  const float size = std::ldexp(1.0f, r.between(-16, 6));
  const auto constant = static_cast<float>(r.between(-100, 100)) * 0.01f * size;
  const std::size_t hot = r.below(n);
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float g = r.gaussian(size);
    const float magnitude = g < 0 ? -g : g;
    switch (kind) {
      case 0:
        x[i] = g;
        break;
      case 1:
        x[i] = magnitude;
        break;
      case 2:
        x[i] = -magnitude;
        break;
      case 3:
        x[i] = constant;
        break;
      case 4:
        x[i] = i == hot ? size : 0.0f;
        break;
      case 5:
        x[i] = r.coin() ? size : -size;
        break;
      case 6:
        x[i] = i / 16 % 2 == 0 ? g : g * 128.0f;
        break;
      case 7:
        x[i] = static_cast<float>(r.between(-20, 20)) * 0.25f;
        break;
      case 8:
        x[i] = i / 32 % 2 == 0 ? g : 0.0f;
        break;
      case 9:
        x[i] = size * 4.0f + g * 0.0078125f;
        break;
      case 10:
        x[i] = i % 2 == 0 ? magnitude : size;
        break;
      default:
        x[i] = static_cast<float>(i % 31) * size - (i / 64 % 2 == 0 ? 0.0f : g);
    }
  }
  return x;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_FORMATS_RULE_BLOCKS_HPP_
