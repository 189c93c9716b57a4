// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Tables of angles and rotations.
#include "tessera/rope.hpp"

#include <string>
#include <vector>

#include "tests/identity/matmul.hpp"
#include "tests/reference/rope.hpp"

namespace identity {
namespace {

constexpr std::size_t tokens = std::size(rope_positions);
constexpr std::size_t heads = 2;

template <class B>
void add_rope_of(Run& run) {
  std::uint64_t seed = 5000;
  for (const RopeCase& c : rope_cases) {
    const std::string name = std::string("rope ") + (c.half ? "half" : "interleaved") + " dim " +
                             std::to_string(c.dim) + " rotary " + std::to_string(c.rotary) +
                             " base " + std::to_string(static_cast<long>(c.base));
    const auto x = draw(heads * tokens * c.dim, Fill::gaussian, seed++);
    std::vector<float> cosine(tokens * c.rotary / 2);
    std::vector<float> sine(cosine.size());
    std::vector<float> y(x.size());
    must(tessera::rope_table({rope_positions, c.base,
                              tessera::matrix(cosine.data(), tokens, c.rotary / 2),
                              tessera::matrix(sine.data(), tokens, c.rotary / 2)}),
         name);
    const auto dim = static_cast<std::ptrdiff_t>(c.dim);
    const auto head = static_cast<std::ptrdiff_t>(tokens) * dim;
    must(tessera::rope<B>({{x.data(), heads, tokens, c.dim, head, dim},
                           {y.data(), heads, tokens, c.dim, head, dim},
                           tessera::matrix<const float>(cosine.data(), tokens, c.rotary / 2),
                           tessera::matrix<const float>(sine.data(), tokens, c.rotary / 2),
                           c.half ? tessera::Pairing::half : tessera::Pairing::interleaved}),
         name);
    run.add(name, y, [&] {
      reference::Expected want;
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t t = 0; t < tokens; ++t)
          reference::rope(x.data() + (h * tokens + t) * c.dim, c.dim, c.rotary, c.half,
                          rope_positions[t], c.base, want);
      return want;
    });
  }
}

}  // namespace

void add_rope(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) { add_rope_of<B>(run); });
}

}  // namespace identity
