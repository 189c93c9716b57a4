// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Reading the elements of A and B.
#ifndef TESSERA_ISA_IME_INSNS_ELEMENTS_HPP_
#define TESSERA_ISA_IME_INSNS_ELEMENTS_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// How the bits of an element are read.
enum class Reading : std::uint8_t { as_unsigned, as_signed };

/// Element `index` of a packed row. int4: element 2n is the low nibble of byte n.
template <Element E, Reading R>
TESSERA_INLINE constexpr std::int16_t element_at(const std::uint8_t* row, int index) {
  if constexpr (E == Element::int8) {
    if constexpr (R == Reading::as_signed) return static_cast<std::int8_t>(row[index]);
    return row[index];
  } else {
    const int nibble = row[index / 2] >> (4 * (index % 2)) & 15;
    if constexpr (R == Reading::as_signed) return static_cast<std::int16_t>((nibble ^ 8) - 8);
    return static_cast<std::int16_t>(nibble);
  }
}

/// The name of an element type that is read so.
template <Element E, Reading R>
TESSERA_INLINE constexpr const char* element_name() {
  if (R == Reading::as_signed) return E == Element::int4 ? "int4" : "int8";
  return E == Element::int4 ? "uint4" : "uint8";
}

/// Bits 14:12 of the families that have the signedness there (or 13:12 below a slide's bit).
template <Reading A, Reading B>
inline constexpr std::uint32_t signedness_bits =
    (A == Reading::as_signed ? 2u : 0u) | (B == Reading::as_signed ? 1u : 0u);

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_ELEMENTS_HPP_
