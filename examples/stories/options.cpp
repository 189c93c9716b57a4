// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/options.hpp"

#include <charconv>
#include <string_view>

namespace stories {
namespace {

/// Where the value of an option goes: a text, a number or a flag.
struct Target {
  const char* name;
  std::string* text;
  std::size_t* number;
  bool* flag;
};

bool parse_number(std::string_view text, std::size_t* number) {
  constexpr std::size_t limit = 1'000'000'000;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc() && end == text.data() + text.size() && *number != 0 &&
         *number <= limit;
}

}  // namespace

std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error) {
  Options o;
  const Target targets[] = {
      {"--model", &o.model, nullptr, nullptr},
      {"--tokenizer", &o.tokenizer, nullptr, nullptr},
      {"--prompt", &o.prompt, nullptr, nullptr},
      {"--weights", &o.weights, nullptr, nullptr},
      {"--cache", &o.cache, nullptr, nullptr},
      {"--backend", &o.backend, nullptr, nullptr},
      {"--report", &o.report, nullptr, nullptr},
      {"--trace", &o.trace, nullptr, nullptr},
      {"--synthesize", &o.synthesize, nullptr, nullptr},
      {"--tokens", nullptr, &o.tokens, nullptr},
      {"--prefix", nullptr, &o.prefix, nullptr},
      {"--plant", nullptr, nullptr, &o.plant},
      {"--compare", nullptr, nullptr, &o.compare},
      {"--list", nullptr, nullptr, &o.list},
      {"--help", nullptr, nullptr, &o.help},
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const Target* target = nullptr;
    for (const Target& t : targets)
      if (name == t.name) target = &t;
    if (target == nullptr) {
      *error = "there is no option " + std::string(name);
      return std::nullopt;
    }
    if (target->flag != nullptr) {
      *target->flag = true;
      continue;
    }
    if (++i == arguments.size()) {
      *error = std::string(name) + ": a value is missing";
      return std::nullopt;
    }
    if (target->text != nullptr) {
      *target->text = arguments[i];
    } else if (!parse_number(arguments[i], target->number)) {
      *error = std::string(name) + ": " + arguments[i] + " is not a number from 1 to 1000000000";
      return std::nullopt;
    }
  }
  return o;
}

}  // namespace stories
