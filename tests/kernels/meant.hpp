// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends that a run is meant for, said by its flavour and core and not by the library.
#ifndef TESSERA_TESTS_KERNELS_MEANT_HPP_
#define TESSERA_TESTS_KERNELS_MEANT_HPP_

#include <string>
#include <vector>

namespace tessera_test {

/// Bits of a vector register of the core this runs on.
[[maybe_unused]] inline unsigned long vector_bits() {
#if defined(__riscv_vector)
  unsigned long bytes;
  __asm__("csrr %0, 0xc22" : "=r"(bytes));  // vlenb
  return bytes * 8;
#else
  return 0;
#endif
}

/// The backends that must run here.
inline std::vector<std::string> meant_backends() {
  std::vector<std::string> names{"scalar", "emu_k1", "emu_k3"};
#if defined(__riscv_vector)
  names.push_back("rvv");
  if (vector_bits() == 256) names.push_back("ime1");
  if (vector_bits() == 1024) names.push_back("ime2");
#endif
#if TESSERA_ENABLE_HWY
  names.push_back("hwy");
#endif
#if TESSERA_ENABLE_XSIMD
  names.push_back("xsimd");
#endif
  return names;
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_MEANT_HPP_
