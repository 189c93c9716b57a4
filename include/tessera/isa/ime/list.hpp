// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What a list of instruction structs gives: a table of data, and dispatch by index. There are no
// function pointers and every function is inlined, so that no symbol of this model is shared
// between translation units built with different flags: the trap runtime runs some of it while
// the interrupted program's vector registers are live.
#ifndef TESSERA_ISA_IME_LIST_HPP_
#define TESSERA_ISA_IME_LIST_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// The data of one instruction.
struct Descriptor {
  const char* mnemonic;  ///< the assembler's, e.g. "smt.vmadot"
  Element element;
  Extension extension;
  Encoding encoding;
  Signature signature;
};

template <class T, class U>
inline constexpr bool same_type = false;
template <class T>
inline constexpr bool same_type<T, T> = true;

/// An instruction is a struct with: mnemonic, element, extension, encoding, signature;
/// operands(word), operand_bits(operands), write_meaning(text); check_state, exec<Numerics>.
template <class... Insns>
struct InstructionList {
  static constexpr int count = static_cast<int>(sizeof...(Insns));
  static constexpr Descriptor table[count] = {
      {Insns::mnemonic, Insns::element, Insns::extension, Insns::encoding, Insns::signature}...};

  /// Position of `Insn` in the list.
  template <class Insn>
  TESSERA_INLINE static constexpr int index_of() {
    int index = -1;
    int i = 0;
    ((same_type<Insn, Insns> ? void(index = i++) : void(i++)), ...);
    return index;
  }

  TESSERA_INLINE static constexpr Operands operands(int index, std::uint32_t word) {
    Operands result;
    int i = 0;
    ((i++ == index ? void(result = Insns::operands(word)) : void()), ...);
    return result;
  }
  TESSERA_INLINE static constexpr std::uint32_t encode(int index, const Operands& operands) {
    std::uint32_t word = 0;
    int i = 0;
    ((i++ == index ? void(word = Insns::encoding.match | Insns::operand_bits(operands)) : void()),
     ...);
    return word;
  }
  TESSERA_INLINE static constexpr void write_meaning(int index, Text& text) {
    int i = 0;
    ((i++ == index ? Insns::write_meaning(text) : void()), ...);
  }
  TESSERA_INLINE static constexpr Rule check_state(int index, const Profile& profile,
                                                   const VectorState& state,
                                                   const Operands& operands) {
    Rule rule = Rule::unknown_word;
    int i = 0;
    ((i++ == index ? void(rule = Insns::check_state(profile, state, operands)) : void()), ...);
    return rule;
  }
  template <class Numerics>
  TESSERA_INLINE static constexpr void exec(int index, const Profile& profile, VectorState& state,
                                            const Operands& operands) {
    int i = 0;
    ((i++ == index ? Insns::template exec<Numerics>(profile, state, operands) : void()), ...);
  }
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_LIST_HPP_
