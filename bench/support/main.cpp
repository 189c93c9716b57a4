// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The main function of every bench: says how it was built, then runs what the bench registers.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "bench/support/peaks.hpp"
#include "tessera/backend/list.hpp"
#include "tests/support/host_cpu.hpp"

void register_benches();

namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0 || line.rfind("uarch", 0) == 0)
      return line.substr(line.find(':') + 2);
  return "unknown";
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::printf("skipped: this CPU has no %s\n", missing);
    return 77;
  }
  benchmark::AddCustomContext("cpu", cpu_name());
  benchmark::AddCustomContext("compiler", __VERSION__);
  benchmark::AddCustomContext("flags", TESSERA_BENCH_FLAGS);
  benchmark::AddCustomContext("isa", TESSERA_ISA_STRING);
  benchmark::AddCustomContext("flavour", TESSERA_FLAVOUR);
#if TESSERA_ENABLE_HWY
  benchmark::AddCustomContext("hwy target", tessera::backend::hwy::target_name);
#endif
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  register_benches();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return tessera_bench::peak_exceeded() ? 1 : 0;
}
