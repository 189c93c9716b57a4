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
  not_in_profile,
  masked,
  vd_odd,
  vd_overlaps_vs1,
  vd_overlaps_vs2,
  vlen_mismatch,
  vill,
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
    case Rule::not_in_profile:
      return "the core has no such instruction";
    case Rule::masked:
      return "bit 25 must be 1 (no masked form)";
    case Rule::vd_odd:
      return "vd must be even (C spans vd and vd+1)";
    case Rule::vd_overlaps_vs1:
      return "the registers of vd must not overlap vs1";
    case Rule::vd_overlaps_vs2:
      return "the registers of vd must not overlap vs2";
    case Rule::vlen_mismatch:
      return "the vector length is not the core's (256 for k1 and x100, 1024 for k3)";
    case Rule::vill:
      return "vtype is illegal (vill is set): execute a vsetvl first";
    case Rule::lmul_not_one:
      return "LMUL must be 1";
    case Rule::vstart_not_zero:
      return "vstart must be 0";
    case Rule::vl_not_vlmax:
      return "vl must be VLMAX (VLEN / SEW)";
  }
  return "unknown rule";
}

/// Rules of the state that every matrix instruction shares. SEW is free: the element type is in the
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

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_LEGALITY_HPP_
