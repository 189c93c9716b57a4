// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Tables of angles, rotations, Walsh-Hadamard transforms.
#include "tessera/rope.hpp"

#include <string>
#include <vector>

#include "tessera/hadamard.hpp"
#include "tests/identity/matmul.hpp"
#include "tests/reference/hadamard.hpp"
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

/// Sections and YaRN, 16-bit elements, an offset, the inverse.
template <class B>
void add_forms_of(Run& run) {
  reference::RopeModel model{5e5, 24, 2, {11, 9, 4, 0}};
  model.ext_factor = 1, model.context = 4096, model.frequency_scale = 0.25;
  std::vector<std::int32_t> positions;
  for (std::size_t plane = 0; plane < 4; ++plane)
    positions.insert(positions.end(), std::begin(rope_positions), std::end(rope_positions));
  std::vector<float> tables(2 * tokens * model.pairs);
  tessera::RopeTableArgs table{
      positions, model.base, tessera::matrix(tables.data(), tokens, model.pairs),
      tessera::matrix(tables.data() + tokens * model.pairs, tokens, model.pairs)};
  table.scaling = {model.frequency_scale, model.ext_factor, 1.0, 32.0, 1.0, model.context};
  table.planes = tessera::RopePlanes::interleaved;
  for (int i = 0; i < 4; ++i) table.section[i] = model.section[i];
  must(tessera::rope_table(table), "rope sections");
  run.add("rope table sections yarn", tables, [&] {
    reference::Expected want;
    for (const bool sine : {false, true})
      for (const long position : rope_positions)
        for (std::size_t p = 0; p < model.pairs; ++p) {
          const long at[4] = {position, position, position, position};
          const auto t = reference::turn(model, at, p);
          want.value.push_back(sine ? t.sin : t.cos);
          want.limit.push_back(1.2e-6);
        }
    return want;
  });
  constexpr std::size_t dim = 60;
  const auto drawn = draw(heads * tokens * dim, Fill::gaussian, 5100);
  std::vector<tessera::Float16> x;
  for (const float v : drawn) x.push_back(tessera::to_float16(v));
  for (const auto pairing : {tessera::Pairing::interleaved, tessera::Pairing::half}) {
    auto y = x;
    constexpr auto row = static_cast<std::ptrdiff_t>(dim);
    constexpr auto head = static_cast<std::ptrdiff_t>(tokens) * row;
    must(
        tessera::rope<B>(tessera::RopeArgs<tessera::Float16>{
            {x.data(), heads, tokens, dim, head, row},
            {y.data(), heads, tokens, dim, head, row},
            tessera::matrix<const float>(tables.data(), tokens, model.pairs),
            tessera::matrix<const float>(tables.data() + tokens * model.pairs, tokens, model.pairs),
            pairing,
            7,
            true,
            {}}),
        "rope f16");
    std::vector<float> values;
    for (const auto v : y) values.push_back(tessera::to_float(v));
    run.add(std::string("rope f16 inverse offset 7 ") +
                (pairing == tessera::Pairing::half ? "half" : "interleaved"),
            values);
  }
}

template <class B>
void add_hadamard_of(Run& run) {
  for (const HadamardCase& c : hadamard_cases) {
    const auto x = draw(3 * c.dim, Fill::gaussian, 5200 + c.dim);
    std::vector<float> y(x.size());
    const auto dim = static_cast<std::ptrdiff_t>(c.dim);
    tessera::HadamardArgs args{
        {x.data(), 1, 3, c.dim, 3 * dim, dim}, {y.data(), 1, 3, c.dim, 3 * dim, dim}, c.block, {}};
    AlignedBytes scratch(tessera::workspace_size(args).scratch);
    args.workspace.scratch = scratch.span();
    must(tessera::hadamard<B>(args), "hadamard");
    run.add("hadamard " + std::to_string(c.dim) + " in " + std::to_string(c.block), y, [&] {
      reference::Expected want;
      const std::size_t n = c.block == 0 ? c.dim : c.block;
      for (std::size_t i = 0; i < x.size(); i += n) reference::hadamard(x.data() + i, n, want);
      return want;
    });
  }
}

}  // namespace

void add_rope(Runs& runs) {
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_rope_of<B>(run);
    add_forms_of<B>(run);
    add_hadamard_of<B>(run);
  });
}

}  // namespace identity
