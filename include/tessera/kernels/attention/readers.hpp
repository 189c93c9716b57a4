// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which code reads the keys and the values of a problem.
#ifndef TESSERA_KERNELS_ATTENTION_READERS_HPP_
#define TESSERA_KERNELS_ATTENTION_READERS_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/formats/format_id.hpp"
#include "tessera/kernels/attention/decode_rows.hpp"
#include "tessera/kernels/attention/problem.hpp"

TESSERA_ISA_NAMESPACE_BEGIN

namespace detail {

/// How keys of format K meet the query.
template <class K>
TESSERA_INLINE KeyProducts key_products(Query query) noexcept {
  if constexpr (K::is_float) {
    return KeyProducts::floats;
  } else {
    if (query == Query::full) return KeyProducts::floats;
    return K::has_minima ? KeyProducts::codes_with_minima : KeyProducts::codes;
  }
}

/// How one K and one V format meet backend B.
template <class B, class K, class V>
TESSERA_INLINE CacheReaders cache_readers(Query query) noexcept {
  CacheReaders readers = {
      key_products<K>(query), &decode_rows<B, K>,    nullptr, &decode_rows<B, V>, nullptr, 0, 0,
      K::id == FormatId::f32, V::id == FormatId::f32};
  if constexpr (!K::is_float) {
    if (readers.products != KeyProducts::floats) readers.key_codes = &load_codes<B, K>;
    readers.key_blocks = 1;
  }
  if constexpr (!V::is_float) {
    if constexpr (!V::has_minima && requires { &B::Vectors::weigh_rows; }) {
      if (!B::Vectors::decodes_wide()) readers.weigh_values = &weigh_codes<B, V>;
    }
    readers.value_blocks = 1;
  }
  return readers;
}

/// Tells an emulating backend of decoded blocks.
template <class B>
TESSERA_INLINE void count_decoded(std::size_t blocks) noexcept {
  if constexpr (requires { B::decoded(blocks); }) B::decoded(blocks);
}

}  // namespace detail

TESSERA_ISA_NAMESPACE_END

#endif  // TESSERA_KERNELS_ATTENTION_READERS_HPP_
