// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Counts of instructions to predicted cycles of a core.
#ifndef TESSERA_EMU_COST_MODEL_HPP_
#define TESSERA_EMU_COST_MODEL_HPP_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emu/cost/numbers.hpp"

namespace tessera::cost {

/// What a core costs: the lines `KEY VALUE TEXT` of emu/cost/BOARD.tsv, separated by tabs.
struct Board {
  std::map<std::string, double> values;
  std::vector<std::string> assumptions;  ///< the texts, in order
  std::string error;
};

/// Refuses unknown, missing and repeated keys and values that are no numbers.
Board read_board(std::string_view text);

/// Cycles that each part of the core is busy. The parts work side by side, so the busiest one is the
/// prediction; were nothing to overlap it would be their sum.
struct Prediction {
  double matrix;
  double vector;
  double memory;
  double issue;
  const char* bound;  ///< the busiest part
  double cycles;
  double serial;
};

/// Precondition: `counts` has the members of the count plugin's "total".
Prediction predict(const JsonValues& counts, const Board& board);
/// A member that predict needs and `counts` lacks, or an empty text.
std::string missing_count(const JsonValues& counts);

}  // namespace tessera::cost

#endif  // TESSERA_EMU_COST_MODEL_HPP_
