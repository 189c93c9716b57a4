// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Heads of a key/value cache in a storage format, in whole blocks.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_CACHE_ROWS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_CACHE_ROWS_HPP_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tessera/core/type_list.hpp"
#include "tessera/formats/all.hpp"

namespace examples {

/// What a key/value cache can be made of.
using CacheFormats = tessera::TypeList<tessera::format::f32, tessera::format::f16,
                                       tessera::format::q8_0, tessera::format::q4_0>;

/// Elements of a head in a cache of format F: whole blocks. The rest is zero, which changes no score.
template <class F>
constexpr std::size_t cached_dim(std::size_t dim) {
  return (dim + F::group - 1) / F::group * F::group;
}

/// Encodes `rows` rows of `dim` floats that lie one behind the other.
template <class F>
void store_rows(const float* from, std::size_t dim, std::size_t rows, typename F::Block* to) {
  std::vector<float> padded(cached_dim<F>(dim));
  const std::size_t blocks = padded.size() / F::group;
  for (std::size_t row = 0; row < rows; ++row, from += dim, to += blocks) {
    std::copy_n(from, dim, padded.begin());
    if constexpr (F::is_float)
      F::quantize(padded.data(), blocks, to);
    else
      for (std::size_t b = 0; b < blocks; ++b)
        F::quantize_block(padded.data() + b * F::group, to[b]);
  }
}

/// Decodes them again.
template <class F>
void load_rows(const typename F::Block* from, std::size_t dim, std::size_t rows, float* to) {
  std::vector<float> padded(cached_dim<F>(dim));
  const std::size_t blocks = padded.size() / F::group;
  for (std::size_t row = 0; row < rows; ++row, from += blocks, to += dim) {
    if constexpr (F::is_float)
      F::dequantize(from, blocks, padded.data());
    else
      for (std::size_t b = 0; b < blocks; ++b)
        F::dequantize_block(from[b], padded.data() + b * F::group);
    std::copy_n(padded.begin(), dim, to);
  }
}

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_CACHE_ROWS_HPP_
