// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VNPACK4_HPP_
#define TESSERA_ISA_IME_INSNS_VNPACK4_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/narrow.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vnpack4.vv vd, vs1, vs2, imm: low nibbles of bytes, in blocks from vs1 and vs2 in turn.
struct Vnpack4 : NarrowNibble<Narrowing::truncates> {
  static constexpr const char* mnemonic = "smt.vnpack4.vv";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VNPACK4_HPP_
