// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What one core of this machine can do at best, measured in the run that measures the kernels.
#ifndef TESSERA_BENCH_SUPPORT_PEAKS_HPP_
#define TESSERA_BENCH_SUPPORT_PEAKS_HPP_

#include <benchmark/benchmark.h>

#include <cstddef>

#include "bench/support/counted.hpp"

namespace tessera_bench {

/// A limit that a kernel's rate is divided by.
enum class Peak {
  fma,       ///< f32 fused multiply-adds of this build's widest registers, 2 operations each
  byte_dot,  ///< int8 products: vpdpbusd, or vpmaddwd + vpaddd; vwmacc or vmadot; 2 each
  read,      ///< bytes read from memory, the best of 1, 4 and 8 streams over 128 MB
  copy,      ///< bytes copied between two buffers, each counted as read and as written
};

/// `fma`, `byte_dot`, `read`, `copy`.
const char* name(Peak peak);

/// Operations or bytes per second, measured now in some 20 ms; 0 where this build knows no such limit.
/// `copied`: size of the buffers for Peak::copy.
double measure(Peak peak, std::size_t copied = 0);

/// Has a kernel beaten its limit? The program then ends with 1.
bool peak_exceeded();

/// Runs the timed loop between two measurements of its limit and reports the quotient of the rates as
/// the counter `of_NAME`. `amount`: operations or bytes of one call. A kernel that beats its limit by
/// more than the noise of the measurements is an error of the bench. Where nothing is timed, each call is counted.
class Limited {
 public:
  Limited(benchmark::State& state, Peak peak, double amount)
      : state_(state), peak_(peak), amount_(amount) {}
  /// With Peak::copy: between buffers of `copied` bytes.
  Limited(benchmark::State& state, std::size_t copied, double amount)
      : state_(state), peak_(Peak::copy), amount_(amount), copied_(copied) {}

  template <class Body>
  void run(Body body) {
    begin();
    repeat(state_, body);
    end();
  }

 private:
  void begin();
  void end();

  benchmark::State& state_;
  Peak peak_;
  double amount_;
  std::size_t copied_ = 0;
  double before_ = 0;
  double started_ = 0;
};

}  // namespace tessera_bench

#endif  // TESSERA_BENCH_SUPPORT_PEAKS_HPP_
