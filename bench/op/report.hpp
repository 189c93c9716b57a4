// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// What a run prints: one `key value` per line or one JSON object, the verdict last.
#ifndef TESSERA_BENCH_OP_REPORT_HPP_
#define TESSERA_BENCH_OP_REPORT_HPP_

#include <string>
#include <utility>
#include <vector>

namespace op {

/// Exit codes of the program.
inline constexpr int good = 0;
inline constexpr int wrong = 1;
inline constexpr int refused = 2;

class Report {
 public:
  void add(std::string key, std::string value) {
    rows_.emplace_back(std::move(key), std::move(value));
  }
  void add(std::string key, std::size_t value) { add(std::move(key), std::to_string(value)); }
  /// Prints everything, `verdict` last.
  void print(bool json, const std::string& verdict) const;

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

}  // namespace op

#endif  // TESSERA_BENCH_OP_REPORT_HPP_
