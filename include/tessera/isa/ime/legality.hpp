// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The rules a word and the vector state must keep. Hardware raises an illegal instruction for some
// of them; for the open ones (vstart, masking, vl) nobody knows, so the model refuses them too:
// code that passes here runs anywhere.
#ifndef TESSERA_ISA_IME_LEGALITY_HPP_
#define TESSERA_ISA_IME_LEGALITY_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/encoding.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/regfile.hpp"

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// The first rule that an instruction breaks. Rules of the word come before rules of the state.
enum class Rule : std::uint8_t {
  none,
  unknown_word,
  reserved_data_type,
  slide_not_int8,
  not_in_profile,
  masked,
  vd_odd,
  vs1_odd,
  vmask_not_v0_v1,
  imm_out_of_range,
  source_is_v0,
  vd_overlaps_vs1,
  vd_overlaps_vs2,
  vlen_mismatch,
  vill,
  sew_too_wide,
  block_too_large,
  lmul_not_one,
  vstart_not_zero,
  vl_not_vlmax,
};

/// A sentence for each rule.
TESSERA_INLINE constexpr const char* message(Rule rule) {
  switch (rule) {
    case Rule::none:
      return "legal";
    case Rule::unknown_word:
      return "the word is no instruction of these extensions";
    case Rule::reserved_data_type:
      return "the data type field (bits 30:29) is reserved";
    case Rule::slide_not_int8:
      return "a slide form's data type field (bits 30:29) must be int8";
    case Rule::not_in_profile:
      return "the core has no such instruction";
    case Rule::masked:
      return "bit 25 must be 1 (no masked form)";
    case Rule::vd_odd:
      return "vd must be even (the result spans vd and vd+1)";
    case Rule::vs1_odd:
      return "vs1 must be even (A spans vs1 and vs1+1)";
    case Rule::vmask_not_v0_v1:
      return "the mask or scale register must be v0 or v1";
    case Rule::imm_out_of_range:
      return "the immediate is out of range (.sp: 0 to 3 for int8, 0 to 1 for int4; .hp: 0 to 7; "
             "pack: 0 to 3)";
    case Rule::source_is_v0:
      return "vs1 and vs2 of .sp and .hp must not be v0";
    case Rule::vd_overlaps_vs1:
      return "the registers of vd must not overlap vs1";
    case Rule::vd_overlaps_vs2:
      return "the registers of vd must not overlap vs2";
    case Rule::vlen_mismatch:
      return "the vector length is not the core's (256 for k1 and x100, 1024 for k3)";
    case Rule::vill:
      return "vtype is illegal (vill is set): execute a vsetvl first";
    case Rule::sew_too_wide:
      return "SEW must be at most 32 (the sources have twice that width)";
    case Rule::block_too_large:
      return "the block must not be larger than VLEN * LMUL";
    case Rule::lmul_not_one:
      return "LMUL must be 1";
    case Rule::vstart_not_zero:
      return "vstart must be 0";
    case Rule::vl_not_vlmax:
      return "vl must be VLMAX (VLEN / SEW)";
  }
  return "unknown rule";
}

/// The registers of a group that begins at `first`, against one that begins at `other`.
TESSERA_INLINE constexpr bool overlap(int first, int count, int other, int other_count) {
  return first < other + other_count && other < first + count;
}

/// Operands that no word can hold. What decodes keeps these rules, except for an immediate that the
/// int4 form lacks.
TESSERA_INLINE constexpr Rule check_fields(const Signature& s, const Operands& o) {
  if (s.vd_registers == 2 && o.vd % 2 != 0) return Rule::vd_odd;
  if (s.vs1_registers == 2 && o.vs1 % 2 != 0) return Rule::vs1_odd;
  if (s.form == Form::registers_vmask_imm && o.vmask > 1) return Rule::vmask_not_v0_v1;
  if (s.form != Form::registers && o.imm >= s.immediates) return Rule::imm_out_of_range;
  if (s.form == Form::registers_vmask_imm && (o.vs1 == 0 || o.vs2 == 0)) return Rule::source_is_v0;
  return Rule::none;
}

/// Every rule of the operands.
TESSERA_INLINE constexpr Rule check_operands(const Signature& s, const Operands& o) {
  const Rule rule = check_fields(s, o);
  if (rule != Rule::none) return rule;
  if (overlap(o.vd, s.vd_registers, o.vs1, s.vs1_registers)) return Rule::vd_overlaps_vs1;
  if (overlap(o.vd, s.vd_registers, o.vs2, 1)) return Rule::vd_overlaps_vs2;
  return Rule::none;
}

/// Is bit 25 of this word free to choose, or as it must be?
TESSERA_INLINE constexpr bool masking_right(const Signature& s, std::uint32_t word) {
  return s.form == Form::registers_vmask_imm || (word & unmasked_bit) != 0;
}

/// Rules of the state that every product shares. SEW is free: the element type is in the
/// word.
TESSERA_INLINE constexpr Rule check_matrix_state(const Profile& profile, const VectorState& state) {
  if (state.regs.vlenb != profile.vlen_bytes()) return Rule::vlen_mismatch;
  if (state.vtype.illegal()) return Rule::vill;
  if (state.vtype.lmul_log2() != 0) return Rule::lmul_not_one;
  if (state.vstart != 0) return Rule::vstart_not_zero;
  if (state.vl != static_cast<std::uint64_t>(profile.vlen / state.vtype.sew())) {
    return Rule::vl_not_vlmax;
  }
  return Rule::none;
}

/// Rules of the state for a layout instruction whose blocks have this many bytes in a source. They
/// read and write whole registers whatever vl is, so vl is free.
TESSERA_INLINE constexpr Rule check_layout_state(const Profile& profile, const VectorState& state,
                                                 int block_bytes) {
  if (state.regs.vlenb != profile.vlen_bytes()) return Rule::vlen_mismatch;
  if (state.vtype.illegal()) return Rule::vill;
  const int lmul = state.vtype.lmul_log2();
  if (lmul < 0 && block_bytes > profile.vlen_bytes() >> -lmul) return Rule::block_too_large;
  if (lmul != 0) return Rule::lmul_not_one;
  if (state.vstart != 0) return Rule::vstart_not_zero;
  return Rule::none;
}

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_LEGALITY_HPP_
