// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/op/matmul_run.hpp"

namespace op {

Outcome multiply_blocks(const Options& options, const std::string& format, const MatmulProblem& p,
                        bool check_only, Instance& instance) {
  return multiply_formats<false>(options, format, p, check_only, instance);
}

}  // namespace op
