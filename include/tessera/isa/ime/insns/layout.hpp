// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What the six layout instructions share: the encoding, and blocks of bytes.
#ifndef TESSERA_ISA_IME_INSNS_LAYOUT_HPP_
#define TESSERA_ISA_IME_INSNS_LAYOUT_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Bits 31:26, bit 14, and an immediate in bits 13:12 that chooses the block size.
template <std::uint32_t Funct6, std::uint32_t Bit14, int VdRegisters>
struct Layout {
  static constexpr Element element = Element::none;
  static constexpr Extension extension = Extension::xsmtvdotii;
  static constexpr Signature signature{Form::registers_imm, VdRegisters, 1, 4};
  static constexpr Encoding encoding{
      Funct6 << 26 | Bit14 << 14 | opcode_custom1,
      std::uint32_t{63} << 26 | std::uint32_t{1} << 14 | opcode_mask};

  TESSERA_INLINE static constexpr std::uint32_t operand_bits(const Operands& operands) {
    return register_bits(operands) | unmasked_bit | std::uint32_t{operands.imm} << 12;
  }
  TESSERA_INLINE static constexpr Operands operands(std::uint32_t word) {
    Operands o = register_operands(word);
    o.imm = static_cast<std::uint8_t>(field(word, 12, 2));
    return o;
  }
};

/// Bytes of a block of vpack and vupack: SEW / 8, 16, 32 or 64.
TESSERA_INLINE constexpr int wide_block_bytes(const VectorState& state, int imm) {
  return imm == 0 ? state.vtype.sew() / 8 : 8 << imm;
}

/// Bytes that a narrowed block has in the result.
TESSERA_INLINE constexpr int narrow_block_bytes(int imm) {
  return 4 << imm;
}

/// Whole blocks; no overlap.
TESSERA_INLINE constexpr void copy_block(std::uint8_t* to, const std::uint8_t* from, int bytes) {
  for (int i = 0; i < bytes; ++i) to[i] = from[i];
}

/// Element `index` of a little-endian array of signed elements of `bytes` bytes.
TESSERA_INLINE constexpr std::int64_t signed_element(const std::uint8_t* from, int index,
                                                     int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= std::uint64_t{from[index * bytes + i]} << (8 * i);
  const std::uint64_t sign = std::uint64_t{1} << (8 * bytes - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

/// The nearest value that `bits` signed bits hold.
TESSERA_INLINE constexpr std::int64_t saturate(std::int64_t value, int bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  return value > most ? most : value < -most - 1 ? -most - 1 : value;
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_LAYOUT_HPP_
