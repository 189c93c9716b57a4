// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Cycles of instructions and kernels on a real core, beside the expected ones. Never under an emulator.
#ifndef TESSERA_BENCH_CHECK_SPEED_HPP_
#define TESSERA_BENCH_CHECK_SPEED_HPP_

#include <cstddef>
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

/// A product as a row of predictions.tsv has it.
struct Product {
  std::string backend;
  std::string format;
  std::size_t m, n, k;
};
/// Nanoseconds of its multiplication, without the quantising of the activations; 0: not here.
double nanoseconds_of(const Product& product);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_SPEED_HPP_
