// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How often a test repeats itself. Edge cases are never scaled away: only repetitions and the
/// largest shapes are.
#ifndef TESSERA_TESTS_SUPPORT_SCALE_HPP_
#define TESSERA_TESTS_SUPPORT_SCALE_HPP_

#include <cstddef>
#include <cstdlib>

namespace tessera_test {

/// The number of repetitions, at least 1: `natively` where programs run on the CPU itself, a
/// sixteenth under an emulator, times the environment's TESSERA_TEST_SCALE (a percentage, 1..10000)
/// if it is set.
inline std::size_t repetitions(std::size_t natively) noexcept {
#if defined(__riscv)
  std::size_t n = natively / 16;
#else
  std::size_t n = natively;
#endif
  if (const char* text = std::getenv("TESSERA_TEST_SCALE")) {
    const long percent = std::strtol(text, nullptr, 10);
    if (percent >= 1 && percent <= 10000) n = n * static_cast<std::size_t>(percent) / 100;
  }
  return n == 0 ? 1 : n;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_SCALE_HPP_
