// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What there is to know of a program before it runs.
#ifndef TESSERA_EMU_RUN_GUEST_HPP_
#define TESSERA_EMU_RUN_GUEST_HPP_

#include <string>

namespace tessera::run {

/// A program for riscv64 Linux, or why the file is none.
struct Guest {
  std::string path;
  std::string interpreter;      ///< the dynamic loader that it names; empty: statically linked
  bool holds_runtime = false;   ///< the SIGILL runtime is linked in
  std::string first_ime_place;  ///< "ADDRESS (SYMBOL)" of the first matrix instruction, if any
  std::string error;            ///< not empty: nothing else is meant

  bool dynamic() const { return !interpreter.empty(); }
};

/// Reads the file.
Guest read_guest(const std::string& path);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_GUEST_HPP_
