// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Which core the runtime is.
#ifndef TESSERA_EMU_TRAP_PROFILE_HPP_
#define TESSERA_EMU_TRAP_PROFILE_HPP_

#include "tessera/isa/ime/geometry.hpp"

#include <atomic>

namespace tessera::trap {
namespace settings {

// Here for the functions below alone: a call to another page costs an emulator a look-up.
extern std::atomic<const ime::Profile*> profile;
extern std::atomic<bool> vector_unit;

}  // namespace settings

/// Chooses by name (null or empty: by vector length). False: there is no such core.
bool choose_profile(const char* name);

/// The chosen core, else the one with this vector length. Asked at every trap: cores of one chip
/// differ. A length that no core has gives k1, whose legality check then names the mismatch.
TESSERA_INLINE ime::Profile profile_for(unsigned long vlenb) {
  const ime::Profile* profile = settings::profile.load(std::memory_order_acquire);
  if (profile != nullptr) return *profile;
  return vlenb == static_cast<unsigned long>(ime::k3.vlen_bytes()) ? ime::k3 : ime::k1;
}

/// Has this machine vector registers? Set once at installation.
TESSERA_INLINE bool have_vector() {
  return settings::vector_unit.load(std::memory_order_relaxed);
}
void set_have_vector(bool value);

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_PROFILE_HPP_
