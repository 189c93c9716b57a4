// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The function whose instructions are counted, and what its program says.
#ifndef TESSERA_TESTS_COST_COUNTED_HPP_
#define TESSERA_TESTS_COST_COUNTED_HPP_

#include <cstdio>

#include "tests/cost/problem.hpp"

// Called through a pointer: the function of exactly this name is what is counted.
extern "C" [[gnu::noinline]] inline tessera::Status tessera_cost_kernel(tessera_cost::Work work,
                                                                        const void* args) {
  return work(args);
}

namespace tessera_cost {

/// One run, inside tessera_cost_kernel; prints the amount of its work.
inline tessera::Status count_once(Work work, const void* args, std::size_t amount) {
  const tessera::Status status = tessera_cost_kernel(work, args);
  if (status != tessera::Status::ok) {
    std::fprintf(stderr, "refused: %s\n", tessera::message(status));
  } else {
    std::printf("work %zu\n", amount);
  }
  return status;
}

}  // namespace tessera_cost

#endif  // TESSERA_TESTS_COST_COUNTED_HPP_
