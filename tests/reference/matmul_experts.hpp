// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Products with a choice of weights per row in double.
#ifndef TESSERA_TESTS_REFERENCE_MATMUL_EXPERTS_HPP_
#define TESSERA_TESTS_REFERENCE_MATMUL_EXPERTS_HPP_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/reference/matmul.hpp"

namespace reference {

/// Row i of `seen` (as the product sees it) by the weights of expert ids[i].
template <class F>
Expected matmul_experts(const Matrix& seen, const std::vector<Matrix>& experts,
                        const std::vector<std::int32_t>& ids) {
  Expected all;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const double* const row = seen.row(i);
    const Matrix one{1, seen.cols, {row, row + seen.cols}, {}};
    const Expected of_row = matmul<F>(one, experts[static_cast<std::size_t>(ids[i])]);
    all.value.insert(all.value.end(), of_row.value.begin(), of_row.value.end());
    all.limit.insert(all.limit.end(), of_row.limit.begin(), of_row.limit.end());
  }
  return all;
}

}  // namespace reference

#endif  // TESSERA_TESTS_REFERENCE_MATMUL_EXPERTS_HPP_
