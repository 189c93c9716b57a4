// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Which core the runtime is.
#ifndef TESSERA_EMU_TRAP_PROFILE_HPP_
#define TESSERA_EMU_TRAP_PROFILE_HPP_

#include "tessera/isa/ime/geometry.hpp"

namespace tessera::trap {

/// Chooses by name (null or empty: by vector length). False: there is no such core.
bool choose_profile(const char* name);

/// The chosen core, else the one with this vector length. Asked at every trap: cores of one chip
/// differ. A length that no core has gives k1, whose legality check then names the mismatch.
ime::Profile profile_for(unsigned long vlenb);

/// Has this machine vector registers? Set once at installation.
bool have_vector();
void set_have_vector(bool value);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_PROFILE_HPP_
