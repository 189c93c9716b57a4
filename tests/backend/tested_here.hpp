// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Which backends a flavour is about.
#ifndef TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_
#define TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_

#include <string_view>

namespace tessera_test {

/// Is the backend the business of this flavour? The portable ones are tested where they are alone (and
/// by the identity suite everywhere); a flavour for one library is about that library.
template <class B>
constexpr bool tested_here() {
#ifdef TESSERA_FLAVOUR
  constexpr std::string_view flavour = TESSERA_FLAVOUR;
#else
  constexpr std::string_view flavour = "base";
#endif
  constexpr std::string_view name = B::name;
  if (flavour == "rvv_hwy") return name == "hwy";
  if (flavour == "rvv_xsimd") return name == "xsimd";
  if (flavour == "base" || flavour == "rv64gc") return true;
  return name != "scalar" && !name.starts_with("emu");
}

}  // namespace tessera_test

#endif  // TESSERA_TESTS_BACKEND_TESTED_HERE_HPP_
