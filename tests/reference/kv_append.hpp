// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Where a cache in tiles keeps an element, counted dimension by dimension, and how far the q8_0 value of
/// a float may lie from it.
#ifndef TESSERA_TESTS_REFERENCE_KV_APPEND_HPP_
#define TESSERA_TESTS_REFERENCE_KV_APPEND_HPP_

#include <cmath>
#include <cstddef>

#include "tests/reference/expected.hpp"

namespace reference {

/// Byte offsets of the code and the scale of one element.
struct KvPlace {
  std::size_t code;
  std::size_t scale;
};

/// A cache for tiles of N keys with K codes each; capacity a multiple of 64.
struct KvPlaces {
  std::size_t n;
  std::size_t k;
  std::size_t heads;
  std::size_t capacity;
  std::size_t dk;
  std::size_t dv;

  std::size_t block(std::size_t s, std::size_t h, std::size_t t) const {
    const std::size_t bytes = 64 * (dk + dv) + 64 * 2 * (dk / 32 + dv / 32);
    return ((s * heads + h) * (capacity / 64) + t % capacity / 64) * bytes;
  }
  KvPlace key(std::size_t s, std::size_t h, std::size_t t, std::size_t d) const {
    const std::size_t slot = t % 64;
    // [panel][group][step][N][K]
    std::size_t code = slot / n;
    code = code * (dk / 32) + d / 32;
    code = code * (32 / k) + d % 32 / k;
    code = code * n + slot % n;
    code = code * k + d % k;
    const std::size_t at = block(s, h, t);
    return {at + code, at + 64 * dk + (d / 32 * 64 + slot) * 2};
  }
  KvPlace value(std::size_t s, std::size_t h, std::size_t t, std::size_t d) const {
    const std::size_t slot = t % 64;
    const std::size_t first = d / 128 * 128;  // of the strip
    const std::size_t wide = dv - first < 128 ? dv - first : 128;
    const std::size_t at =
        block(s, h, t) + 64 * dk + 64 * 2 * (dk / 32) + 64 * first + 64 * 2 * (first / 32);
    return {at + slot * wide + (d - first),
            at + 64 * wide + (slot * (wide / 32) + (d - first) / 32) * 2};
  }
};

/// The 32 values of a block of q8_0, appended to `out`: half a step, the f16 scale's rounding, and the
/// smallest f16 where the scale is subnormal.
inline void q8_0_block(const float* x, Expected& out) {
  double largest = 0;
  for (std::size_t i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(double{x[i]}));
  for (std::size_t i = 0; i < 32; ++i) {
    out.value.push_back(double{x[i]});
    out.limit.push_back(largest / 127 * 0.5 + std::fabs(double{x[i]}) * 0x1p-11 + 128 * 0x1p-25);
  }
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_KV_APPEND_HPP_
