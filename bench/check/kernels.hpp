// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The cases of tests/identity on every backend of this build, against the stored digests.
#ifndef TESSERA_BENCH_CHECK_KERNELS_HPP_
#define TESSERA_BENCH_CHECK_KERNELS_HPP_

#include <cstddef>
#include <string>
#include <vector>

#include "bench/check/report.hpp"
#include "bench/check/worker.hpp"

namespace board {

/// One group of cases on one backend.
struct KernelJob {
  std::string backend;
  std::size_t group;
};

/// Every group on every backend that `names` (of names_item) names; `quick`: those that cost least on
/// every backend but scalar.
std::vector<KernelJob> kernel_jobs(const Outcome& names, bool quick);
/// The names of the backends whose digests this build compares.
Item names_item();
std::vector<Item> kernel_items(const std::vector<KernelJob>& jobs);
/// One result per backend. `matrix`: has the core matrix instructions at all? `quick`: the jobs are not all
/// there are, else each stored case must be among them.
std::vector<KernelsResult> kernel_results(const std::vector<KernelJob>& jobs,
                                          const std::vector<Outcome>& outcomes, bool matrix,
                                          bool quick);

// ---- in kernel_runs.cpp, compiled with the instructions that the kernels use: for workers

/// A name per line.
std::string compared_backends();
/// Lines NAME, HASH, or NAME of a case that is left out; "refused" and why where the backend does not
/// run on this core.
std::string run_group(const KernelJob& job);
std::size_t group_count();
const char* group_name(std::size_t group);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_KERNELS_HPP_
