// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Every instruction of the model, and what follows from the list: decoder, encoder, disassembler,
// legality and execution. An instruction is added by one struct in insns/ and one line in the list.
#ifndef TESSERA_ISA_IME_ALL_HPP_
#define TESSERA_ISA_IME_ALL_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/isa/ime/insns/vmadotsu.hpp"
#include "tessera/isa/ime/insns/vmadotu.hpp"
#include "tessera/isa/ime/insns/vmadotus.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/list.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

using Instructions = InstructionList<  //
    Vmadot<Element::int8>, Vmadotu<Element::int8>, Vmadotsu<Element::int8>,
    Vmadotus<Element::int8>,  //
    Vmadot<Element::int4>, Vmadotu<Element::int4>, Vmadotsu<Element::int4>,
    Vmadotus<Element::int4>>;

inline constexpr int instruction_count = Instructions::count;

/// The instruction that a word names, by its position in the list.
struct Identified {
  int index = -1;          ///< -1: none
  Rule rule = Rule::none;  ///< unknown_word; reserved_data_type: of the family of `index`
};

/// Which instruction a word is, whether or not its operands are legal.
TESSERA_INLINE constexpr Identified identify(std::uint32_t word) {
  for (int i = 0; i < instruction_count; ++i) {
    if (Instructions::table[i].encoding.matches(word)) return {i, Rule::none};
  }
  for (int i = 0; i < instruction_count; ++i) {
    const Encoding e = Instructions::table[i].encoding;
    if (((word ^ e.match) & e.mask & ~data_type_mask) == 0) return {i, Rule::reserved_data_type};
  }
  return {-1, Rule::unknown_word};
}

/// The first rule of the word that is broken on this profile.
TESSERA_INLINE constexpr Rule check_word(const Profile& profile, std::uint32_t word) {
  const Identified found = identify(word);
  if (found.rule != Rule::none) return found.rule;
  return Instructions::check_word(found.index, profile, word);
}

/// The first rule of the word or of the state that is broken.
TESSERA_INLINE constexpr Rule check(const Profile& profile, const VectorState& state,
                                    std::uint32_t word) {
  const Rule rule = check_word(profile, word);
  if (rule != Rule::none) return rule;
  return Instructions::check_state(identify(word).index, profile, state);
}

/// Checks and executes one word. On a broken rule nothing is changed.
TESSERA_INLINE constexpr Rule execute(const Profile& profile, VectorState& state,
                                      std::uint32_t word) {
  const Rule rule = check(profile, state, word);
  if (rule == Rule::none) Instructions::exec(identify(word).index, profile, state, word);
  return rule;
}

/// A decoded legal word; `index` is -1 where the word is not legal on the profile.
struct Decoded {
  int index = -1;
  Operands operands;
  TESSERA_INLINE constexpr explicit operator bool() const { return index >= 0; }
  TESSERA_INLINE constexpr const Descriptor& descriptor() const {
    return Instructions::table[index];
  }
};

/// Exactly the words that are legal on the profile decode.
TESSERA_INLINE constexpr Decoded decode(std::uint32_t word, const Profile& profile) {
  if (check_word(profile, word) != Rule::none) return {};
  const int index = identify(word).index;
  return {index, Instructions::operands(index, word)};
}

/// The word of an instruction. Precondition: every operand fits its field.
template <class Insn>
TESSERA_INLINE constexpr std::uint32_t encode(const Operands& operands) {
  return Insn::encoding.match | Insn::operand_bits(operands);
}

/// Appends `smt.vmadot v2, v0, v1` (with `, i4` for int4), or `.4byte 0x...` for an unknown word or
/// a reserved data type.
TESSERA_INLINE constexpr void disassemble(std::uint32_t word, Text& text) {
  const Identified found = identify(word);
  if (found.rule != Rule::none) {
    text.put(".4byte ").hex(word, 8);
    return;
  }
  text.put(Instructions::table[found.index].mnemonic).put(' ');
  Instructions::write_operands(found.index, text, word);
}

/// Appends the name that statistics use: the mnemonic, and `:i4` for an int4 form.
TESSERA_INLINE constexpr void write_name(int index, Text& text) {
  text.put(Instructions::table[index].mnemonic);
  if (Instructions::table[index].element == Element::int4) text.put(":i4");
}

/// One tile on plain memory: c (M x N int32, row-major) += a (M rows of K) * transposed b (N rows
/// of K), exactly as `Insn` computes it on profile P. This is the instruction's only definition.
template <class Insn, Profile P>
TESSERA_INLINE constexpr void exec_tile(std::int32_t* c, const std::uint8_t* a,
                                        const std::uint8_t* b) {
  Insn::template tile<P>(c, a, b);
}

// Two published words. The second is an assembler's test: its vd:vd+1 holds vs1, so it assembles
// and disassembles but is legal nowhere.
static_assert(encode<Vmadot<Element::int8>>({.vd = 2, .vs1 = 0, .vs2 = 1}) == 0xe210312b);
static_assert(decode(0xe210312b, k1).operands == Operands{.vd = 2, .vs1 = 0, .vs2 = 1});
static_assert(encode<Vmadot<Element::int8>>({.vd = 2, .vs1 = 3, .vs2 = 4}) == 0xe241b12b);
static_assert(check_word(k3, 0xe241b12b) == Rule::vd_overlaps_vs1);

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_ALL_HPP_
