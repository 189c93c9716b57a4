// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <cstdio>
#include <iterator>

#include "bench/check/kernels.hpp"
#include "tests/identity/runs.hpp"

namespace board {

std::string compared_backends() {
  std::string text;
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if constexpr (tessera_test::compared_here(B::name)) text += std::string(B::name) + "\n";
  });
  return text;
}

std::size_t group_count() {
  return std::size(identity::groups);
}

const char* group_name(std::size_t group) {
  return identity::groups[group].name;
}

std::string run_group(const KernelJob& job) {
  std::string text;
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if (job.backend != B::name || B::check() == tessera::Status::ok) return;
    text = std::string("refused\t") + tessera::message(B::check()) + "\n";
  });
  if (!text.empty()) return text;
  identity::Runs runs{job.backend, false};
  identity::groups[job.group].add(runs);
  for (const identity::Run& run : runs.runs) {
    for (const identity::Result& r : run.results) {
      char hash[24];
      std::snprintf(hash, sizeof hash, "\t%016llx\n", static_cast<unsigned long long>(r.digest));
      text += r.name + hash;
    }
    for (const std::string& name : run.left_out) text += name + "\n";
  }
  return text;
}

}  // namespace board
