// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a bench does under an emulator, whose seconds say nothing: it calls each case once, inside a function that
/// the emulator's plugin counts.
#ifndef TESSERA_BENCH_SUPPORT_COUNTED_HPP_
#define TESSERA_BENCH_SUPPORT_COUNTED_HPP_

#include <benchmark/benchmark.h>

/// Calls body(context). Its instructions are those of a case.
extern "C" void tessera_bench_call(void (*body)(void*), void* context);

namespace tessera_bench {

/// Is this an emulator? Then nothing is timed.
bool counted();

/// The loop of every case: `body()` as often as the state says, timed or counted.
template <class Body>
void repeat(benchmark::State& state, Body body) {
  if (counted()) {
    for (auto _ : state)
      tessera_bench_call([](void* context) { (*static_cast<Body*>(context))(); }, &body);
  } else {
    for (auto _ : state) body();
  }
}

}  // namespace tessera_bench

#endif  // TESSERA_BENCH_SUPPORT_COUNTED_HPP_
