// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Finding what a dynamically linked program needs: the runtime and the system's libraries.
#ifndef TESSERA_EMU_RUN_LIBRARIES_HPP_
#define TESSERA_EMU_RUN_LIBRARIES_HPP_

#include <string>

namespace tessera::run {

struct Libraries {
  std::string runtime;  ///< libtessera_trap.so; empty: not found
  std::string sysroot;  ///< empty: not found
  std::string error;    ///< what is missing for a dynamically linked program
};

/// The runtime: $TESSERA_TRAP_LIBRARY, else beside this program, in ../lib/tessera, or in the riscv64
/// builds beside this program's. The sysroot: the one wished for, else $TESSERA_SYSROOT, else the
/// first of the build prefix's, Debian's cross libraries and / that has the dynamic loader
/// `interpreter` (empty: the usual one).
Libraries find_libraries(const std::string& wished_sysroot, const std::string& interpreter);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_LIBRARIES_HPP_
