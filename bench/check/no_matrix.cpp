// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/matrix.hpp"
#include "bench/check/speed.hpp"

namespace board {

std::vector<Item> identity_items() {
  return {};
}

void identify(const std::vector<Outcome>&, CoreReport& report) {
  report.core = "none";
}

bool has_vmadot(const std::vector<Outcome>&) {
  return false;
}

std::vector<SpeedItem> instruction_speed_items() {
  return {};
}

void check_matrix(const Options&, const std::vector<Outcome>&, CoreReport&) {}

}  // namespace board
