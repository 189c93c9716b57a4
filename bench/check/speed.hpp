// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Cycles of instructions and kernels on a real core, beside the expected ones. Never under an emulator.
#ifndef TESSERA_BENCH_CHECK_SPEED_HPP_
#define TESSERA_BENCH_CHECK_SPEED_HPP_

#include <functional>
#include <string>
#include <vector>

#include "bench/check/report.hpp"
#include "bench/check/worker.hpp"

namespace board {

/// Fills clock_ghz and speeds.
void measure_speeds(const std::function<std::string()>& prepare, CoreReport& report);

// ---- instruction_speed.cpp, or no_matrix.cpp where no words are executed

/// Something that is measured: lines of WHAT, nanoseconds each, and where the expected number is: a key
/// of the cost model, or a kind of latencies.tsv and "throughput" or "latency".
struct SpeedItem {
  std::string name;
  Item item;
};
std::vector<SpeedItem> instruction_speed_items();

// ---- kernel_speed.cpp, compiled with the instructions that the kernels use: for workers

/// A row of predictions.tsv: "matmul q8_0 48 48 1024" (FORMAT M N K), or as kernel_problems.hpp and recurrent_problems.hpp
/// of tests/cost list them.
struct KernelCase {
  std::string backend;
  std::string words;
};
struct Timed {
  double nanoseconds = 0;  ///< of a call, of a product's multiplication alone; 0: not here
  double work = 0;         ///< multiply-accumulates of products and attention, else elements
};
Timed time_of(const KernelCase& kernel);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_SPEED_HPP_
