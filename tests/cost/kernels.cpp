// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// One kernel, to be counted: tessera_cost_kernels_rvv KERNEL BACKEND ARGS..., as kernel_problems.hpp lists them without the
// backend. It runs inside the function tessera_cost_kernel; the amount of its work is printed.
#include "tests/cost/kernel_problems.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "emu/trap/tessera_trap.h"
#include "tessera/tessera.hpp"
#include "tests/cost/counted.hpp"

namespace {

using Backends =
    tessera::TypeList<tessera::backend::rvv, tessera::backend::ime1, tessera::backend::ime2>;
using Formats = tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::q8_0,
                                  tessera::format::q4_0>;

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::optional<tessera::Status> status;
  if (words.size() > 2) {
    const std::string backend = words[1];
    words.erase(words.begin() + 1);
    tessera_trap_install();
    Backends::for_each([&]<class B>(tessera::Type<B>) {
      if (backend == B::name)
        status = tessera_cost::measure_kernel<B, Formats>(words, tessera_cost::count_once);
    });
  }
  if (!status) std::fprintf(stderr, "usage: KERNEL BACKEND ARGS...; see kernel_problems.hpp\n");
  return status == tessera::Status::ok ? 0 : 2;
}
