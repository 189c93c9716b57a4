// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What tests leave to the optimised native builds where an emulator or a sanitizer slows them.
#ifndef TESSERA_TESTS_SUPPORT_SLOWED_HPP_
#define TESSERA_TESTS_SUPPORT_SLOWED_HPP_

#include <cstddef>
#include <vector>

namespace tessera_test {

#if defined(__riscv) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool slowed = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool slowed = true;
#else
inline constexpr bool slowed = false;
#endif
#else
inline constexpr bool slowed = false;
#endif

/// Lengths 1 to 2 * chunk + 1; where it is slow those around whole chunks and one in seven of the others.
inline std::vector<std::size_t> lengths_around(std::size_t chunk) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 1; n <= 2 * chunk + 1; ++n)
    if (!slowed || n % 7 == 1 || (n + 1) % chunk <= 2) lengths.push_back(n);
  return lengths;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_SUPPORT_SLOWED_HPP_
