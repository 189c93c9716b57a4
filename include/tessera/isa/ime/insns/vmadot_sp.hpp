// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOT_SP_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOT_SP_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/sparse.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadot.sp vd, vs1, vs2, v0|v1, imm[, i4]: A and B signed.
template <Element E>
struct VmadotSp : Sparse<E, Reading::as_signed, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot.sp";
};

/// smt.vmadotu.sp vd, vs1, vs2, v0|v1, imm[, i4]: A and B unsigned.
template <Element E>
struct VmadotuSp : Sparse<E, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadotu.sp";
};

/// smt.vmadotsu.sp vd, vs1, vs2, v0|v1, imm[, i4]: A signed, B unsigned.
template <Element E>
struct VmadotsuSp : Sparse<E, Reading::as_signed, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadotsu.sp";
};

/// smt.vmadotus.sp vd, vs1, vs2, v0|v1, imm[, i4]: A unsigned, B signed.
template <Element E>
struct VmadotusSp : Sparse<E, Reading::as_unsigned, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadotus.sp";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOT_SP_HPP_
