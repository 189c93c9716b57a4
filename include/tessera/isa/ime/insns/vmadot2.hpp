// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOT2_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOT2_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/slide.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadot2 vd, vs1, vs2: A from element 2*K of vs1:vs1+1 on; A and B signed.
struct Vmadot2 : Slide<2, Reading::as_signed, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot2";
};

/// smt.vmadot2u vd, vs1, vs2: A from element 2*K of vs1:vs1+1 on; A and B unsigned.
struct Vmadot2u : Slide<2, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot2u";
};

/// smt.vmadot2su vd, vs1, vs2: A from element 2*K of vs1:vs1+1 on; A signed, B unsigned.
struct Vmadot2su : Slide<2, Reading::as_signed, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot2su";
};

/// smt.vmadot2us vd, vs1, vs2: A from element 2*K of vs1:vs1+1 on; A unsigned, B signed.
struct Vmadot2us : Slide<2, Reading::as_unsigned, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot2us";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOT2_HPP_
