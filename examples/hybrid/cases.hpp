// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Held-out cases: lines of a task's name, a prompt and its answer, between tabs; the shortest of a task first.
#ifndef TESSERA_EXAMPLES_HYBRID_CASES_HPP_
#define TESSERA_EXAMPLES_HYBRID_CASES_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hybrid {

struct Case {
  std::string task;
  std::string prompt;
  std::string answer;
};

/// The cases of a file's bytes. Without a value, `error` names the line and the rule.
std::optional<std::vector<Case>> parse_cases(std::span<const std::byte> bytes, std::string* error);

/// The last `each` cases of every task: in a file as export.py writes it the longest.
std::vector<Case> last_of_each(const std::vector<Case>& cases, std::size_t each);

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_CASES_HPP_
