// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOT3_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOT3_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/slide.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadot3 vd, vs1, vs2: A from element 3*K of vs1:vs1+1 on; A and B signed.
struct Vmadot3 : Slide<3, Reading::as_signed, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot3";
};

/// smt.vmadot3u vd, vs1, vs2: A from element 3*K of vs1:vs1+1 on; A and B unsigned.
struct Vmadot3u : Slide<3, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot3u";
};

/// smt.vmadot3su vd, vs1, vs2: A from element 3*K of vs1:vs1+1 on; A signed, B unsigned.
struct Vmadot3su : Slide<3, Reading::as_signed, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadot3su";
};

/// smt.vmadot3us vd, vs1, vs2: A from element 3*K of vs1:vs1+1 on; A unsigned, B signed.
struct Vmadot3us : Slide<3, Reading::as_unsigned, Reading::as_signed> {
  static constexpr const char* mnemonic = "smt.vmadot3us";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOT3_HPP_
