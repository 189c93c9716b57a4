// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which code reads the keys and the values of a problem.
#ifndef TESSERA_KERNELS_ATTENTION_READERS_HPP_
#define TESSERA_KERNELS_ATTENTION_READERS_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/formats/format_id.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/kv_cache.hpp"
#include "tessera/kernels/attention/kv_rows.hpp"
#include "tessera/kernels/attention/problem.hpp"
#include "tessera/kernels/attention/scaled_codes.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// Is F a KvTiles?
template <class F>
concept KvCached = requires { F::is_kv_cache; };

/// How keys of format K meet the query.
template <class K>
TESSERA_INLINE KeyProducts key_products(Query query) noexcept {
  if constexpr (KvCached<K>) {
    return query == Query::full ? KeyProducts::floats : KeyProducts::codes;
  } else if constexpr (K::is_float) {
    return KeyProducts::floats;
  } else {
    if (query == Query::full) return KeyProducts::floats;
    return K::has_minima ? KeyProducts::codes_with_minima : KeyProducts::codes;
  }
}

/// How a cache in tiles of T meets backend B.
template <class B, class T>
TESSERA_INLINE CacheReaders kv_readers(Query query) noexcept {
  CacheReaders readers = {key_products<KvTiles<T>>(query),
                          &decode_kv_keys<B, T>,
                          nullptr,
                          &decode_kv_values<B>,
                          nullptr,
                          1,
                          1,
                          false,
                          false};
  if (readers.products == KeyProducts::floats) return readers;
  using Own = typename B::KeyAtom::tile;
  if constexpr (T::n == Own::n && T::k == Own::k) {
    readers.key_tiles = true;
    readers.key_blocks = 0;
  } else {
    readers.key_codes = &load_kv_codes<B, T>;
  }
  return readers;
}

/// Rows of F to floats.
template <class B, class F>
TESSERA_INLINE DecodeRows row_decoder() noexcept {
  if constexpr (ScaledCodes<F>) {
    return &decode_scaled<B, F>;
  } else {
    return &decode_rows<B, F>;
  }
}
/// Rows of F to the tile of codes.
template <class B, class F>
TESSERA_INLINE LoadCodes code_loader() noexcept {
  if constexpr (ScaledCodes<F>) {
    return &load_scaled_codes<B, F>;
  } else {
    return &load_codes<B, F>;
  }
}
/// Are rows of F floats as they lie?
template <class F>
TESSERA_INLINE constexpr bool reads_in_place() noexcept {
  if constexpr (F::is_float) return F::id == FormatId::f32;
  return false;
}

/// How one K and one V format meet backend B.
template <class B, class K, class V>
  requires(!KvCached<K>)
TESSERA_INLINE CacheReaders cache_readers(Query query) noexcept {
  CacheReaders readers = {
      key_products<K>(query), row_decoder<B, K>(), nullptr, row_decoder<B, V>(), nullptr, 0, 0,
      reads_in_place<K>(),    reads_in_place<V>()};
  if constexpr (!K::is_float) {
    if (readers.products != KeyProducts::floats) readers.key_codes = code_loader<B, K>();
    readers.key_blocks = 1;
  }
  if constexpr (!V::is_float) {
    if constexpr (!ScaledCodes<V> && !V::has_minima && requires { &B::Vectors::weigh_rows; }) {
      if (!B::Vectors::decodes_wide()) readers.weigh_values = &weigh_codes<B, V>;
    }
    readers.value_blocks = 1;
  }
  return readers;
}

template <class B, class K, class V>
  requires KvCached<K>
TESSERA_INLINE CacheReaders cache_readers(Query query) noexcept {
  return kv_readers<B, typename K::tile>(query);
}

/// Tells an emulating backend of decoded blocks.
template <class B>
TESSERA_INLINE void count_decoded(std::size_t blocks) noexcept {
  if constexpr (requires { B::decoded(blocks); }) B::decoded(blocks);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_READERS_HPP_
