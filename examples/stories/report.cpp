// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/report.hpp"

#include "examples/shared/digest.hpp"

namespace stories {
std::string report(const ModelKind& kind, const Generated& result) {
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += key + " " + value + "\n";
  };
  line("backend", kind.backend.name);
  line("isa", kind.backend.isa);
  line("target", kind.backend.target == nullptr ? "-" : kind.backend.target);
  line("weights", kind.weights);
  line("tokens", std::to_string(result.tokens.size()));
  line("stopped", result.stopped);
  line("prefix", std::to_string(result.prefix_steps));
  line("digest", examples::hexadecimal(result.prefix_digest));
  line("whole", examples::hexadecimal(result.digest));
  for (const examples::RetiredCount& r : result.retired)
    line("retired", r.name + " " + std::to_string(r.count));
  line("fallback", examples::fallback(kind.backend, kind.float_weights));
  return text;
}

}  // namespace stories
