// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_ISA_IME_INSNS_VFWMADOT_HPP_
#define TESSERA_ISA_IME_INSNS_VFWMADOT_HPP_

#include "tessera/config.hpp"
#include "tessera/isa/ime/insns/float_dot.hpp"

TESSERA_NAMESPACE_BEGIN
namespace ime {

/// smt.vfwmadot vd, vs1, vs2: 16-bit floats into fp32.
struct Vfwmadot : FloatDot<0> {
  static constexpr const char* mnemonic = "smt.vfwmadot";
};

/// smt.vfwmadot1 vd, vs1, vs2: A from element 1*K of vs1:vs1+1 on.
struct Vfwmadot1 : FloatDot<1> {
  static constexpr const char* mnemonic = "smt.vfwmadot1";
};

/// smt.vfwmadot2 vd, vs1, vs2: A from element 2*K of vs1:vs1+1 on.
struct Vfwmadot2 : FloatDot<2> {
  static constexpr const char* mnemonic = "smt.vfwmadot2";
};

/// smt.vfwmadot3 vd, vs1, vs2: A from element 3*K of vs1:vs1+1 on.
struct Vfwmadot3 : FloatDot<3> {
  static constexpr const char* mnemonic = "smt.vfwmadot3";
};

}  // namespace ime
TESSERA_NAMESPACE_END

#endif  // TESSERA_ISA_IME_INSNS_VFWMADOT_HPP_
