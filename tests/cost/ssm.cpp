// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// One run of a recurrent kernel, to be counted: tessera_cost_ssm_rvv KERNEL TOKENS (recurrent_problems.hpp). It runs inside the
// function tessera_cost_kernel; the amount of its work is printed.
#include <cstdio>
#include <cstdlib>

#include "tests/cost/counted.hpp"
#include "tests/cost/recurrent_problems.hpp"

int main(int argc, char** argv) {
  std::optional<tessera::Status> status;
  if (argc == 3)
    status = tessera_cost::measure_recurrent<tessera::backend::rvv>(
        argv[1], std::strtoul(argv[2], nullptr, 10), tessera_cost::count_once);
  if (!status)
    std::fprintf(
        stderr,
        "usage: mamba2|mamba2_chunked|mamba1|delta|delta_keys|delta_chunked|delta_keys_chunked|"
        "conv TOKENS\n");
  return status == tessera::Status::ok ? 0 : 2;
}
