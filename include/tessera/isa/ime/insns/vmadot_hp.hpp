// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOT_HP_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOT_HP_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/scaled.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadot.hp vd, vs1, vs2, v0|v1, imm[, i4]: A and B signed.
template <Element E>
struct VmadotHp : Scaled<E, Reading::as_signed, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot.hp";
};

/// smt.vmadotu.hp vd, vs1, vs2, v0|v1, imm[, i4]: A and B unsigned.
template <Element E>
struct VmadotuHp : Scaled<E, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadotu.hp";
};

/// smt.vmadotsu.hp vd, vs1, vs2, v0|v1, imm[, i4]: A signed, B unsigned.
template <Element E>
struct VmadotsuHp : Scaled<E, Reading::as_signed, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadotsu.hp";
};

/// smt.vmadotus.hp vd, vs1, vs2, v0|v1, imm[, i4]: A unsigned, B signed.
template <Element E>
struct VmadotusHp : Scaled<E, Reading::as_unsigned, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadotus.hp";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOT_HP_HPP_
