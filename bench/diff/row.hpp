// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// One tensor of both dumps, compared.
#ifndef TESSERA_BENCH_DIFF_ROW_HPP_
#define TESSERA_BENCH_DIFF_ROW_HPP_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/diff/heat_map.hpp"
#include "bench/dumps/folder.hpp"
#include "tessera/compare.hpp"

namespace diff {

struct Row {
  std::size_t place = 0;  ///< in the reference's graph order, from 1
  std::string name;
  dumps::Axes shape;  ///< the reference's
  std::string types;  ///< "f32", or "f16/f32" where the two differ
  tessera::Comparison comparison = {};
  tessera::Judgement judgement = {};
  double computed_worst = 0;  ///< the two values at Comparison::worst
  double reference_worst = 0;
  double growth = 1;  ///< the error as a multiple of the first divergence's; 0 before it
  std::string
      remark;  ///< what else there is to say: shapes that differ, a constant factor, an overflow
  HeatMap heat = {};

  bool diverges() const { return tessera::diverges(judgement.verdict); }
  /// "layout (transposed 0 1)", "wrong"
  std::string kind() const;
  /// "[3, 2, 7]": the worst element by the reference's axes
  std::string worst_index() const;
};

struct Comparing {
  std::optional<double> limit = {};  ///< instead of the element type's
  bool heat_maps = false;
};

/// Two dumps, compared in the reference's order.
struct Report {
  std::vector<Row> rows;
  std::vector<std::string> missing;  ///< in the reference only
  std::vector<std::string> extra;    ///< in the computed dump only

  /// The first row that is more than rounding; null if there is none.
  const Row* first_divergence() const;
  /// "first divergence NAME VERDICT sensitive X insensitive Y", or "first divergence none"
  std::string verdict() const;
  /// "12 equal, 3 rounding, 1 wrong"
  std::string counts() const;
};

/// Tensors are matched by name, and those left over by name without the leading numbers where that is
/// unambiguous. Throws Refusal, also if the two have no tensor in common.
Report compare_dumps(const std::vector<dumps::DumpEntry>& computed,
                     const std::vector<dumps::DumpEntry>& reference, const Comparing& how);

/// Three digits: "0", "5.6e-07", "1.00", "inf", "-"
std::string figure(double x);

}  // namespace diff

#endif  // TESSERA_BENCH_DIFF_ROW_HPP_
