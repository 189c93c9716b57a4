// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VNSPACK_HPP_
#define TESSERA_ISA_IME_INSNS_VNSPACK_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/narrow.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vnspack.vv vd, vs1, vs2, imm: elements saturated to half their width, in blocks from vs1 and vs2 in turn.
struct Vnspack : NarrowHalf<Narrowing::saturates> {
  static constexpr const char* mnemonic = "smt.vnspack.vv";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VNSPACK_HPP_
