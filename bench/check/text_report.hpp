// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What the program prints while it goes on: lines KEY VALUE, the verdict last.
#ifndef TESSERA_BENCH_CHECK_TEXT_REPORT_HPP_
#define TESSERA_BENCH_CHECK_TEXT_REPORT_HPP_

#include "bench/check/report.hpp"

namespace board {

void print_machine(const Report& report);
void print_core(const CoreReport& report);
/// Instructions and questions.
void print_matrix(const CoreReport& report);
void print_kernels(const CoreReport& report);
void print_speeds(const CoreReport& report);
void print_totals(const Totals& totals);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_TEXT_REPORT_HPP_
