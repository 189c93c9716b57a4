// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#ifndef TESSERA_EMU_RUN_PROBE_HPP_
#define TESSERA_EMU_RUN_PROBE_HPP_

#include <string>

namespace tessera::run {

/// The bits of a vector register that an emulator has with a -cpu string, seen by a program of four
/// instructions; 0 where it has none, or does not understand the string.
int probe_vector_bits(const std::string& emulator, const std::string& cpu);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_PROBE_HPP_
