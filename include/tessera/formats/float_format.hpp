// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What f32, f16 and bf16 have in common: one element a block, no scale.
#ifndef TESSERA_FORMATS_FLOAT_FORMAT_HPP_
#define TESSERA_FORMATS_FLOAT_FORMAT_HPP_

#include <cstddef>

#include "tessera/config.hpp"
#include "tessera/core/float16.hpp"
#include "tessera/formats/format_id.hpp"

TESSERA_NAMESPACE_BEGIN

namespace format {

/// Base of the float formats. `Element` is the storage type, `round` the conversion from float.
template <class E, FormatId Id>
struct FloatFormat {
  static constexpr FormatId id = Id;
  static constexpr bool is_float = true;
  static constexpr std::size_t group = 1;  ///< elements that share a scale
  static constexpr std::size_t block_bytes = sizeof(E);
  using Element = E;
  using Block = E;
};

}  // namespace format

TESSERA_NAMESPACE_END

#endif  // TESSERA_FORMATS_FLOAT_FORMAT_HPP_
