// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How many matrix instructions a run retired: those of the emu backends, counted as they are
/// computed, and those that the SIGILL runtime executed for the ime backends.
#ifndef TESSERA_EXAMPLES_SHARED_RETIRED_HPP_
#define TESSERA_EXAMPLES_SHARED_RETIRED_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/// The observer of the emu backends. One thread only.
struct RetiredCounter {
  static void retired(const char* mnemonic);
};

struct RetiredCount {
  std::string name;
  std::uint64_t count = 0;
};

/// All counts above zero since the last reset.
std::vector<RetiredCount> retired_counts();
void reset_retired();

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_RETIRED_HPP_
