// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which backends a flavour is about.
#ifndef TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_
#define TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_

#include <string_view>

namespace tessera_test {

#ifdef TESSERA_FLAVOUR
inline constexpr std::string_view this_flavour = TESSERA_FLAVOUR;
#else
inline constexpr std::string_view this_flavour = "base";
#endif

/// Is the backend the business of this flavour? The portable ones are tested where they are alone; a
/// flavour for one library is about that library.
constexpr bool tested_here(std::string_view backend) {
  if (this_flavour == "rvv_hwy") return backend == "hwy";
  if (this_flavour == "rvv_xsimd") return backend == "xsimd";
  if (this_flavour == "base" || this_flavour == "rv64gc") return true;
  return backend != "scalar" && !backend.starts_with("emu");
}
template <class B>
constexpr bool tested_here() {
  return tested_here(B::name);
}

/// Are its bits compared in this flavour? Scalar's are under every set of compiler's options: it is
/// there that products are fused behind the code's back.
constexpr bool compared_here(std::string_view backend) {
  return tested_here(backend) || (backend == "scalar" && !this_flavour.starts_with("rvv_"));
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_
