// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// A report as text of several kinds.
#ifndef TESSERA_BENCH_DIFF_REPORTS_HPP_
#define TESSERA_BENCH_DIFF_REPORTS_HPP_

#include <string>

#include "bench/diff/row.hpp"

namespace diff {

/// Columns for a terminal, the first divergence marked with '>', the verdict last.
std::string table(const Report& report, bool colour);
/// One object: counts, first_divergence, rows with every measure. What is no number is null.
std::string json(const Report& report);
/// A heading, a table and the first divergence in words, for an issue or a comment.
std::string markdown(const Report& report);
/// One page that needs no other file, with a heat map per tensor.
std::string html(const Report& report, const std::string& computed, const std::string& reference);

/// What is known about a divergence, a sentence each.
std::vector<std::string> findings(const Row& row);

}  // namespace diff

#endif  // TESSERA_BENCH_DIFF_REPORTS_HPP_
