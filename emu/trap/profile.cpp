// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/profile.hpp"

#include <atomic>
#include <cstring>

namespace tessera::trap {
namespace {

constexpr const ime::Profile* profiles[] = {&ime::k1, &ime::x100, &ime::k3, &ime::k3_bf16};

std::atomic<const ime::Profile*> chosen{nullptr};
std::atomic<bool> vector_unit{false};

}  // namespace

bool choose_profile(const char* name) {
  if (name == nullptr || *name == '\0') return true;
  for (const ime::Profile* profile : profiles) {
    if (std::strcmp(name, profile->name()) == 0) {
      chosen.store(profile, std::memory_order_release);
      return true;
    }
  }
  return false;
}

ime::Profile profile_for(unsigned long vlenb) {
  if (const ime::Profile* profile = chosen.load(std::memory_order_acquire)) return *profile;
  return vlenb == static_cast<unsigned long>(ime::k3.vlen_bytes()) ? ime::k3 : ime::k1;
}

bool have_vector() {
  return vector_unit.load(std::memory_order_relaxed);
}
void set_have_vector(bool value) {
  vector_unit.store(value, std::memory_order_relaxed);
}

}  // namespace tessera::trap
