// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VMADOTU_HPP_
#define TESSERA_ISA_IME_INSNS_VMADOTU_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/geometry.hpp"
#include "tessera/isa/ime/insns/dot.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vmadotu vd, vs1, vs2[, i4]: A and B unsigned.
template <Element E>
struct Vmadotu : Dot<E, Reading::as_unsigned, Reading::as_unsigned> {
  static constexpr const char* mnemonic = "smt.vmadotu";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VMADOTU_HPP_
