// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/profile.hpp"

#include <cstring>

namespace tessera::trap {
namespace {

constexpr const ime::Profile* profiles[] = {&ime::k1, &ime::x100, &ime::k3, &ime::k3_bf16};

}  // namespace

std::atomic<const ime::Profile*> settings::profile{nullptr};
std::atomic<bool> settings::vector_unit{false};

bool choose_profile(const char* name) {
  if (name == nullptr || *name == '\0') return true;
  for (const ime::Profile* profile : profiles) {
    if (std::strcmp(name, profile->name()) == 0) {
      settings::profile.store(profile, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void set_have_vector(bool value) {
  settings::vector_unit.store(value, std::memory_order_relaxed);
}

}  // namespace tessera::trap
