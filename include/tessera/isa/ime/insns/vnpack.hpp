// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VNPACK_HPP_
#define TESSERA_ISA_IME_INSNS_VNPACK_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/narrow.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vnpack.vv vd, vs1, vs2, imm: halves of the elements, in blocks from vs1 and vs2 in turn.
struct Vnpack : NarrowHalf<Narrowing::truncates> {
  static constexpr const char* mnemonic = "smt.vnpack.vv";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VNPACK_HPP_
