// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/trace.hpp"

#include "examples/shared/digest.hpp"

namespace stories {

void Trace::add(std::size_t position, int layer, const char* name, std::span<const float> values) {
  examples::Digest digest;
  digest.add(values);
  entries_.push_back({position, layer, name, digest.value()});
}

std::string Trace::text() const {
  std::string text;
  for (const Entry& e : entries_) {
    text += "token " + std::to_string(e.position);
    if (e.layer != no_layer) text += " layer " + std::to_string(e.layer);
    text += std::string(" ") + e.name + " " + examples::hexadecimal(e.digest) + "\n";
  }
  return text;
}

}  // namespace stories
