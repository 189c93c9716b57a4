// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/options.hpp"

#include "examples/shared/command_line.hpp"

namespace hybrid {

std::optional<Options> parse_options(std::span<const char* const> arguments, std::string* error) {
  Options o;
  const examples::Target targets[] = {
      {"--model", &o.model, nullptr, nullptr},
      {"--held-out", &o.held_out, nullptr, nullptr},
      {"--prompt", &o.prompt, nullptr, nullptr},
      {"--weights", &o.weights, nullptr, nullptr},
      {"--cache", &o.cache, nullptr, nullptr},
      {"--backend", &o.backend, nullptr, nullptr},
      {"--sequences", nullptr, &o.sequences, nullptr},
      {"--piece", nullptr, &o.piece, nullptr},
      {"--cases", nullptr, &o.cases, nullptr},
      {"--floor", nullptr, &o.floor, nullptr},
      {"--sequential", nullptr, nullptr, &o.sequential},
      {"--plant", nullptr, nullptr, &o.plant},
      {"--eval", nullptr, nullptr, &o.eval},
      {"--compare", nullptr, nullptr, &o.compare},
      {"--cut", nullptr, nullptr, &o.cut},
      {"--logits", nullptr, nullptr, &o.logits},
      {"--list", nullptr, nullptr, &o.list},
      {"--help", nullptr, nullptr, &o.help},
  };
  if (!examples::read_options(arguments, targets, error)) return std::nullopt;
  if (o.sequences > 256) {
    *error = "--sequences: " + std::to_string(o.sequences) + " is more than 256";
    return std::nullopt;
  }
  if (o.plant && (o.compare || o.cut)) {
    *error = "--plant: goes with --eval or a prompt, whose digest or answer shows the flipped bit";
    return std::nullopt;
  }
  return o;
}

}  // namespace hybrid
