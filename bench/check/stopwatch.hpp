// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// How long something takes when nothing disturbs it.
#ifndef TESSERA_BENCH_CHECK_STOPWATCH_HPP_
#define TESSERA_BENCH_CHECK_STOPWATCH_HPP_

#include <chrono>

namespace board {

/// Nanoseconds of one call of `body`: the shortest mean of 15 rounds of at least a millisecond.
template <class Body>
double nanoseconds(Body body) {
  using Clock = std::chrono::steady_clock;
  const auto round = [&](long calls) {
    const auto start = Clock::now();
    for (long i = 0; i < calls; ++i) body();
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  };
  round(1);  // caches and page tables
  long calls = 1;
  while (round(calls) < 1e6) calls *= 2;
  double best = round(calls);
  for (int i = 1; i < 15; ++i) {
    const double now = round(calls);
    best = now < best ? now : best;
  }
  return best / static_cast<double>(calls);
}

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_STOPWATCH_HPP_
