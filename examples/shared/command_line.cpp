// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/command_line.hpp"

#include <charconv>
#include <string_view>

namespace examples {
namespace {

bool parse_number(std::string_view text, std::size_t* number) {
  constexpr std::size_t limit = 1'000'000'000;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc() && end == text.data() + text.size() && *number != 0 &&
         *number <= limit;
}

}  // namespace

bool read_options(std::span<const char* const> arguments, std::span<const Target> targets,
                  std::string* error) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const Target* target = nullptr;
    for (const Target& t : targets)
      if (name == t.name) target = &t;
    if (target == nullptr) {
      *error = "there is no option " + std::string(name);
      return false;
    }
    if (target->flag != nullptr) {
      *target->flag = true;
      continue;
    }
    if (++i == arguments.size()) {
      *error = std::string(name) + ": a value is missing";
      return false;
    }
    if (target->text != nullptr) {
      *target->text = arguments[i];
    } else if (!parse_number(arguments[i], target->number)) {
      *error = std::string(name) + ": " + arguments[i] + " is not a number from 1 to 1000000000";
      return false;
    }
  }
  return true;
}

}  // namespace examples
