// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Bit fields of the 32-bit words. All of them use the major opcode custom-1. Operands are written
// vd, vs1, vs2: the reverse of most vector instructions.
#ifndef TESSERA_ISA_IME_ENCODING_HPP_
#define TESSERA_ISA_IME_ENCODING_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// Register numbers and immediates of one word; a field that an instruction lacks is 0.
struct Operands {
  std::uint8_t vd = 0;
  std::uint8_t vs1 = 0;
  std::uint8_t vs2 = 0;
  std::uint8_t vmask = 0;  ///< register of a mask or of scales: 0 or 1
  std::uint8_t imm = 0;
  TESSERA_INLINE friend constexpr bool operator==(const Operands&, const Operands&) = default;
};

/// `(word & mask) == match` names the instruction, whatever its operands are.
struct Encoding {
  std::uint32_t match;
  std::uint32_t mask;

  TESSERA_INLINE constexpr bool matches(std::uint32_t word) const { return (word & mask) == match; }
};

inline constexpr std::uint32_t opcode_custom1 = 0x2b;
inline constexpr std::uint32_t opcode_mask = 0x7f;
inline constexpr std::uint32_t data_type_mask = std::uint32_t{3} << 29;
inline constexpr std::uint32_t unmasked_bit = std::uint32_t{1} << 25;

/// What an assembly line has behind vd, vs1, vs2.
enum class Form : std::uint8_t {
  registers,            ///< nothing
  registers_imm,        ///< an immediate
  registers_vmask_imm,  ///< v0 or v1 (a mask or scales), and an immediate
};

/// The operands of an instruction, as assembler and legality see them.
struct Signature {
  Form form;
  int vd_registers;    ///< 1, or 2: vd is even
  int vs1_registers;   ///< 1, or 2: vs1 is even
  int immediates = 0;  ///< the immediate is below this
};

/// The DT field, bits 30:29, in place.
TESSERA_INLINE constexpr std::uint32_t data_type_bits(Element element) {
  const std::uint32_t code = element == Element::int8 ? 3 : element == Element::int4 ? 2 : 0;
  return code << 29;
}

/// The encoding of a matrix instruction, with bit 31 = 1: DT, bits 28:26 and bits 14:12. Bit 25 is
/// left to the legality check, so that a masked word is named rather than unknown.
TESSERA_INLINE constexpr Encoding matrix_encoding(Element element, std::uint32_t group,
                                                  std::uint32_t funct3) {
  return {std::uint32_t{1} << 31 | data_type_bits(element) | group << 26 | funct3 << 12 |
              opcode_custom1,
          std::uint32_t{1} << 31 | data_type_mask | std::uint32_t{7} << 26 |
              std::uint32_t{7} << 12 | opcode_mask};
}

/// Bits [low + count - 1 : low] of a word.
TESSERA_INLINE constexpr std::uint32_t field(std::uint32_t word, int low, int count) {
  return (word >> low) & ((std::uint32_t{1} << count) - 1);
}

/// vd, vs1 and vs2 in place.
TESSERA_INLINE constexpr std::uint32_t register_bits(const Operands& operands) {
  return std::uint32_t{operands.vd} << 7 | std::uint32_t{operands.vs1} << 15 |
         std::uint32_t{operands.vs2} << 20;
}

/// vd, vs1 and vs2 of a word whose three register fields are whole.
TESSERA_INLINE constexpr Operands register_operands(std::uint32_t word) {
  Operands operands;
  operands.vd = static_cast<std::uint8_t>(field(word, 7, 5));
  operands.vs1 = static_cast<std::uint8_t>(field(word, 15, 5));
  operands.vs2 = static_cast<std::uint8_t>(field(word, 20, 5));
  return operands;
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_ENCODING_HPP_
