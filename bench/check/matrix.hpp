// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Who the core is, and its matrix instructions. Two sources: matrix.cpp for RISC-V, no_matrix.cpp for
/// other machines, which have none.
#ifndef TESSERA_BENCH_CHECK_MATRIX_HPP_
#define TESSERA_BENCH_CHECK_MATRIX_HPP_

#include <vector>

#include "bench/check/options.hpp"
#include "bench/check/report.hpp"
#include "bench/check/worker.hpp"

namespace board {

/// What a worker on the core finds out: its numbers, its vector length, whether vmadot is there.
std::vector<Item> identity_items();
/// Fills processor, core, vlenb and profile.
void identify(const std::vector<Outcome>& outcomes, CoreReport& report);
/// Has an identified core vmadot?
bool has_vmadot(const std::vector<Outcome>& outcomes);

/// Golden vectors and questions.
void check_matrix(const Options& options, const std::vector<Outcome>& identity, CoreReport& report);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_MATRIX_HPP_
