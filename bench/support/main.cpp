// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The main function of every bench: says how it was built, then runs what the bench registers.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/check/cores.hpp"
#include "bench/support/counted.hpp"
#include "bench/support/peaks.hpp"
#include "tessera/backend/core.hpp"
#include "tessera/backend/list.hpp"
#include "tests/support/host_cpu.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

void register_benches();

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts() {
  // Under an emulator the name would be that of the machine below.
  const std::string cpu = tessera_bench::counted() ? "emulated" : board::processors().front().name;
  Facts c = {
      {"cpu", cpu.empty() ? "unknown" : cpu}, {"compiler", __VERSION__},
      {"flags", TESSERA_BENCH_FLAGS},         {"isa", TESSERA_ISA_STRING},
      {"flavour", TESSERA_FLAVOUR},           {"default backend", tessera::default_backend::name}};
#if TESSERA_ENABLE_HWY
  c.emplace_back("hwy target", tessera::backend::hwy::target_name);
#endif
#if defined(__riscv_vector)
  const tessera::CoreFacts core = tessera::core_facts();
  c.emplace_back("core", core.core);
  c.emplace_back("vlen", std::to_string(8 * __riscv_vlenb()));
#endif
  if (tessera_bench::counted()) c.emplace_back("emulator", board::emulated_machine());
  return c;
}

/// Cases without any time: a line of each, its name and counters between tabs; before them the context.
class Untimed : public benchmark::BenchmarkReporter {
 public:
  explicit Untimed(Facts facts) : facts_(std::move(facts)) {}
  bool ReportContext(const Context&) override {
    for (const auto& [key, value] : facts_)
      std::printf("context\t%s\t%s\n", key.c_str(), value.c_str());
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      std::printf("case\t%s", run.benchmark_name().c_str());
      for (const auto& [name, counter] : run.counters)
        std::printf("\t%s\t%.9g", name.c_str(), counter.value);
      std::printf("\n");
    }
  }

 private:
  Facts facts_;
};

/// Files that Google Benchmark writes itself have times in them.
bool asks_for_times(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option.rfind("--benchmark_out", 0) == 0 || option.rfind("--benchmark_format", 0) == 0)
      return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::printf("skipped: this CPU has no %s\n", missing);
    return 77;
  }
  const bool counted = tessera_bench::counted();
  if (counted && asks_for_times(argc, argv)) {
    std::fprintf(stderr, "no times under an emulator (%s): count instructions\n",
                 board::emulated_machine().c_str());
    return 2;
  }
#if TESSERA_WITH_TRAP
  if (counted) tessera_trap_install();
#endif
  std::vector<char*> options(argv, argv + argc);
  std::string once = "--benchmark_min_time=0";
  if (counted) options.push_back(once.data());
  options.push_back(nullptr);
  int count = static_cast<int>(options.size()) - 1;
  for (const auto& [key, value] : facts()) benchmark::AddCustomContext(key, value);
  benchmark::Initialize(&count, options.data());
  if (benchmark::ReportUnrecognizedArguments(count, options.data())) return 1;
  register_benches();
  if (counted) {
    Untimed reporter(facts());
    benchmark::RunSpecifiedBenchmarks(&reporter);
  } else {
    benchmark::RunSpecifiedBenchmarks();
  }
  benchmark::Shutdown();
  return tessera_bench::peak_exceeded() ? 1 : 0;
}
