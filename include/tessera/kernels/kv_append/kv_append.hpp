// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Rows of floats to the places of their tokens in a KvCache.
#ifndef TESSERA_KERNELS_KV_APPEND_KV_APPEND_HPP_
#define TESSERA_KERNELS_KV_APPEND_KV_APPEND_HPP_

#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/q8_0.hpp"
#include "tessera/kernels/attention/kv_cache.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// The block's elements [e, e + 32) of a row as q8_0.
template <class A>
TESSERA_INLINE format::q8_0::Block kv_group(const A* row, std::size_t e) noexcept {
  float x[32];
  for (std::size_t i = 0; i < 32; ++i) {
    if constexpr (std::is_same_v<A, float>) {
      x[i] = row[e + i];
    } else {
      x[i] = to_float(row[e + i]);
    }
  }
  format::q8_0::Block block;
  format::q8_0::quantize_block(x, block);
  return block;
}

/// One token of one head: `block` is that of its slot, `slot` counts from the block's first.
template <class T, class A>
void store_kv_token(const KvLayout& layout, std::byte* block, std::size_t slot, const A* k,
                    const A* v) noexcept {
  const std::size_t groups = layout.dk / 32;
  for (std::size_t g = 0; g < groups; ++g) {
    const format::q8_0::Block b = kv_group(k, g * 32);
    for (std::size_t s = 0; s < 32 / T::k; ++s)
      __builtin_memcpy(block + kv_key_codes<T>(groups, slot, g, s), b.qs + s * T::k, T::k);
    __builtin_memcpy(block + layout.key_scales() + (g * attention_block + slot) * sizeof b.d, &b.d,
                     sizeof b.d);
  }
  for_strips(layout.dv, [&](std::size_t e, std::size_t n, std::size_t codes,
                            std::size_t scales) TESSERA_LAMBDA {
    std::byte* const to = block + layout.values();
    for (std::size_t i = 0; i < n; i += 32) {
      const format::q8_0::Block b = kv_group(v, e + i);
      __builtin_memcpy(to + codes + slot * n + i, b.qs, 32);
      __builtin_memcpy(to + scales + (slot * n + i) / 32 * sizeof b.d, &b.d, sizeof b.d);
    }
  });
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_KV_APPEND_KV_APPEND_HPP_
