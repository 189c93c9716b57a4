// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/cases.hpp"

#include <map>
#include <string_view>

namespace hybrid {

std::optional<std::vector<Case>> parse_cases(std::span<const std::byte> bytes, std::string* error) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Case> cases;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() == text.size() ? line.size() : line.size() + 1);
    const std::size_t first = line.find('\t');
    const std::size_t second = first == line.npos ? line.npos : line.find('\t', first + 1);
    if (second == line.npos || line.find('\t', second + 1) != line.npos || first == 0 ||
        second == first + 1) {
      *error = "line " + std::to_string(number) + ": is not a task, a prompt and an answer";
      return std::nullopt;
    }
    cases.push_back({std::string(line.substr(0, first)),
                     std::string(line.substr(first + 1, second - first - 1)),
                     std::string(line.substr(second + 1))});
  }
  if (cases.empty()) {
    *error = "there are no cases";
    return std::nullopt;
  }
  return cases;
}

std::vector<Case> last_of_each(const std::vector<Case>& cases, std::size_t each) {
  std::map<std::string, std::size_t> left;
  for (const Case& c : cases) ++left[c.task];
  std::vector<Case> chosen;
  for (const Case& c : cases)
    if (left[c.task]-- <= each) chosen.push_back(c);
  return chosen;
}

}  // namespace hybrid
