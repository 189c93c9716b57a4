// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOT1_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOT1_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/slide.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadot1 vd, vs1, vs2: A from element 1*K of vs1:vs1+1 on; A and B signed.
struct Vmadot1 : Slide<1, Reading::as_signed, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot1";
};

/// smt.vmadot1u vd, vs1, vs2: A from element 1*K of vs1:vs1+1 on; A and B unsigned.
struct Vmadot1u : Slide<1, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot1u";
};

/// smt.vmadot1su vd, vs1, vs2: A from element 1*K of vs1:vs1+1 on; A signed, B unsigned.
struct Vmadot1su : Slide<1, Reading::as_signed, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot1su";
};

/// smt.vmadot1us vd, vs1, vs2: A from element 1*K of vs1:vs1+1 on; A unsigned, B signed.
struct Vmadot1us : Slide<1, Reading::as_unsigned, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot1us";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOT1_HPP_
