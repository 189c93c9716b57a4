// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/options.hpp"

#include "examples/shared/command_line.hpp"

namespace stories {
std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error) {
  Options o;
  const examples::Target targets[] = {
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
  if (!examples::read_options(arguments, targets, error)) return std::nullopt;
  return o;
}

}  // namespace stories
