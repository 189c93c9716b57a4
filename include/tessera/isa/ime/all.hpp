// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Every instruction of the model, and what follows from the list: decoder, encoder, disassembler,
// legality and execution. An instruction is added by one struct in insns/ and one line in the list.
#ifndef TESSERA_ISA_IME_ALL_HPP_
#define TESSERA_ISA_IME_ALL_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/exec_tile.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/vfwmadot.hpp"
#include "tessera/isa/ime/insns/vmadot.hpp"
#include "tessera/isa/ime/insns/vmadot1.hpp"
#include "tessera/isa/ime/insns/vmadot2.hpp"
#include "tessera/isa/ime/insns/vmadot3.hpp"
#include "tessera/isa/ime/insns/vmadot_hp.hpp"
#include "tessera/isa/ime/insns/vmadot_sp.hpp"
#include "tessera/isa/ime/insns/vmadotsu.hpp"
#include "tessera/isa/ime/insns/vmadotu.hpp"
#include "tessera/isa/ime/insns/vmadotus.hpp"
#include "tessera/isa/ime/insns/vnpack.hpp"
#include "tessera/isa/ime/insns/vnpack4.hpp"
#include "tessera/isa/ime/insns/vnspack.hpp"
#include "tessera/isa/ime/insns/vnspack4.hpp"
#include "tessera/isa/ime/insns/vpack.hpp"
#include "tessera/isa/ime/insns/vupack.hpp"
#include "tessera/isa/ime/legality.hpp"
#include "tessera/isa/ime/list.hpp"
#include "tessera/isa/ime/numerics.hpp"
#include "tessera/isa/ime/regfile.hpp"
#include "tessera/isa/ime/text.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

using Instructions = InstructionList<  //
    Vmadot<Element::int8>, Vmadotu<Element::int8>, Vmadotsu<Element::int8>,
    Vmadotus<Element::int8>,  //
    Vmadot<Element::int4>, Vmadotu<Element::int4>, Vmadotsu<Element::int4>,
    Vmadotus<Element::int4>,                  //
    Vmadot1, Vmadot1u, Vmadot1su, Vmadot1us,  //
    Vmadot2, Vmadot2u, Vmadot2su, Vmadot2us,  //
    Vmadot3, Vmadot3u, Vmadot3su, Vmadot3us,  //
    VmadotSp<Element::int8>, VmadotuSp<Element::int8>, VmadotsuSp<Element::int8>,
    VmadotusSp<Element::int8>,  //
    VmadotSp<Element::int4>, VmadotuSp<Element::int4>, VmadotsuSp<Element::int4>,
    VmadotusSp<Element::int4>,  //
    VmadotHp<Element::int8>, VmadotuHp<Element::int8>, VmadotsuHp<Element::int8>,
    VmadotusHp<Element::int8>,  //
    VmadotHp<Element::int4>, VmadotuHp<Element::int4>, VmadotsuHp<Element::int4>,
    VmadotusHp<Element::int4>,                  //
    Vfwmadot, Vfwmadot1, Vfwmadot2, Vfwmadot3,  //
    Vpack, Vupack, Vnpack, Vnspack, Vnpack4, Vnspack4>;

inline constexpr int instruction_count = Instructions::count;
static_assert(instruction_count == 46);

/// The instruction that a word names, by its position in the list.
struct Identified {
  int index = -1;  ///< -1: none
  /// none; unknown_word; reserved_data_type and slide_not_int8: of the family of `index`
  Rule rule = Rule::unknown_word;
};

namespace internal {

/// Every mask lies in these bits, so 1024 entries hold the whole decoder.
inline constexpr std::uint32_t key_bits =
    std::uint32_t{63} << 26 | std::uint32_t{1} << 15 | std::uint32_t{7} << 12;

TESSERA_INLINE constexpr int key_of(std::uint32_t word) {
  return static_cast<int>(field(word, 26, 6) << 4 | field(word, 15, 1) << 3 | field(word, 12, 3));
}

struct DecodeTable {
  std::int8_t index[1024];
  Rule rule[1024];
};

/// Filled from the list. Where only the data type (of a matrix instruction: bit 31) is wrong, the
/// family is known. (A template, because clang 19 evaluates a plain constexpr function twice.)
template <int count>
TESSERA_INLINE constexpr DecodeTable make_decode_table() {
  constexpr std::uint32_t matrix = std::uint32_t{1} << 31;
  DecodeTable table{};
  for (int key = 0; key < 1024; ++key) {
    table.index[key] = -1;
    table.rule[key] = Rule::unknown_word;
  }
  for (int i = count - 1; i >= 0; --i) {
    const Descriptor& d = Instructions::table[i];
    const bool slide = d.element == Element::int8 && d.signature.form == Form::registers &&
                       d.signature.vs1_registers == 2;
    // All keys that differ in the data type and in what the mask leaves free.
    const std::uint32_t free = (key_bits & ~d.encoding.mask) | data_type_mask;
    std::uint32_t subset = 0;
    do {
      const std::uint32_t word = (d.encoding.match & ~free) | subset;
      const int key = key_of(word);
      if (((word ^ d.encoding.match) & d.encoding.mask) == 0) {
        table.index[key] = static_cast<std::int8_t>(i);
        table.rule[key] = Rule::none;
      } else if ((word & matrix) != 0 && table.rule[key] != Rule::none) {
        table.index[key] = static_cast<std::int8_t>(i);
        table.rule[key] = slide && (word & data_type_mask) == data_type_bits(Element::int4)
                              ? Rule::slide_not_int8
                              : Rule::reserved_data_type;
      }
      subset = (subset - free) & free;
    } while (subset != 0);
  }
  return table;
}

inline constexpr DecodeTable decode_table = make_decode_table<instruction_count>();

TESSERA_INLINE constexpr bool masks_fit_the_key() {
  for (const Descriptor& d : Instructions::table) {
    if ((d.encoding.mask & ~key_bits) != opcode_mask) return false;
  }
  return true;
}
static_assert(masks_fit_the_key());

}  // namespace internal

/// Which instruction a word is, whether or not its operands are legal.
TESSERA_INLINE constexpr Identified identify(std::uint32_t word) {
  if ((word & opcode_mask) != opcode_custom1) return {};
  const int key = internal::key_of(word);
  return {internal::decode_table.index[key], internal::decode_table.rule[key]};
}

/// The first rule that an instruction's word breaks on this profile.
TESSERA_INLINE constexpr Rule check_word_of(int index, const Profile& profile, std::uint32_t word) {
  const Descriptor& d = Instructions::table[index];
  if (!profile.has(d.extension)) return Rule::not_in_profile;
  if (!masking_right(d.signature, word)) return Rule::masked;
  return check_operands(d.signature, Instructions::operands(index, word));
}

/// The first rule of the word that is broken on this profile.
TESSERA_INLINE constexpr Rule check_word(const Profile& profile, std::uint32_t word) {
  const Identified found = identify(word);
  if (found.rule != Rule::none) return found.rule;
  return check_word_of(found.index, profile, word);
}

/// The first rule of the word or of the state that is broken.
TESSERA_INLINE constexpr Rule check(const Profile& profile, const VectorState& state,
                                    std::uint32_t word) {
  const Rule rule = check_word(profile, word);
  if (rule != Rule::none) return rule;
  const int index = identify(word).index;
  return Instructions::check_state(index, profile, state, Instructions::operands(index, word));
}

/// Checks and executes one word. On a broken rule nothing is changed.
template <class Numerics = DefaultNumerics>
TESSERA_INLINE constexpr Rule execute(const Profile& profile, VectorState& state,
                                      std::uint32_t word) {
  const Rule rule = check(profile, state, word);
  if (rule != Rule::none) return rule;
  const int index = identify(word).index;
  Instructions::exec<Numerics>(index, profile, state, Instructions::operands(index, word));
  return Rule::none;
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

/// Appends the operands as an assembly line has them: `v16, v2, v8, v0, 1, i4`. int8 is not spelled.
TESSERA_INLINE constexpr void write_operands(int index, const Operands& o, Text& text) {
  const Descriptor& d = Instructions::table[index];
  text.vreg(o.vd).put(", ").vreg(o.vs1).put(", ").vreg(o.vs2);
  if (d.signature.form == Form::registers_vmask_imm) text.put(", ").vreg(o.vmask);
  if (d.signature.form != Form::registers) text.put(", ").decimal(o.imm);
  if (d.element == Element::int4) text.put(", i4");
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
  write_operands(found.index, Instructions::operands(found.index, word), text);
}

/// Appends the name that statistics use: the mnemonic, and `:i4` for an int4 form.
TESSERA_INLINE constexpr void write_name(int index, Text& text) {
  text.put(Instructions::table[index].mnemonic);
  if (Instructions::table[index].element == Element::int4) text.put(":i4");
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
