// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/shared/backend_facts.hpp"

#include <string_view>

namespace examples {

std::string fallback(const BackendFacts& backend, bool float_weights) {
  const std::string_view products = float_weights ? backend.float_via : backend.dot_via;
  const std::string_view vectors = backend.vector_via;
  constexpr std::string_view own = "native";
  if (products == own && vectors == own) return "none";
  if (products == vectors) return "all " + std::string(products);
  std::string text;
  if (products != own) text = "products " + std::string(products);
  if (vectors != own) text += (text.empty() ? "" : ", ") + ("vectors " + std::string(vectors));
  return text;
}

}  // namespace examples
