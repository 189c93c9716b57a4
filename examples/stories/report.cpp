// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/report.hpp"

#include <string_view>

namespace stories {
namespace {

/// The products of the weights' kind and everything else, each if it runs elsewhere.
std::string fallback(const ModelKind& kind) {
  const BackendFacts& b = kind.backend;
  const std::string_view products = kind.float_weights ? b.float_via : b.dot_via;
  const std::string_view vectors = b.vector_via;
  constexpr std::string_view own = "native";
  if (products == own && vectors == own) return "none";
  if (products == vectors) return "all " + std::string(products);
  std::string text;
  if (products != own) text = "products " + std::string(products);
  if (vectors != own) text += (text.empty() ? "" : ", ") + ("vectors " + std::string(vectors));
  return text;
}

}  // namespace

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
  line("digest", hexadecimal(result.prefix_digest));
  line("whole", hexadecimal(result.digest));
  for (const RetiredCount& r : result.retired)
    line("retired", r.name + " " + std::to_string(r.count));
  line("fallback", fallback(kind));
  return text;
}

}  // namespace stories
