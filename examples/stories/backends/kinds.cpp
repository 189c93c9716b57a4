// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <string_view>

#include "examples/shared/backends/backends.hpp"
#include "examples/shared/backends/weights_kinds.hpp"
#include "examples/stories/backends/transformer_on.hpp"

namespace stories {
namespace {

template <class B>
std::unique_ptr<Transformer> make_on(const Checkpoint& checkpoint, examples::WeightsMaker weights,
                                     tessera::FormatId cache) {
  return std::make_unique<TransformerOn<B>>(checkpoint, weights, cache);
}

void append_kinds(const std::vector<examples::WeightsKind>& weights,
                  std::vector<ModelKind>* kinds) {
  examples::for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    const examples::BackendFacts facts = examples::facts_of<B>();
    for (const examples::WeightsKind& w : weights)
      if (std::string_view(w.backend) == B::name)
        kinds->push_back({facts, w.format, w.is_float, w.make, &make_on<B>});
  });
}

}  // namespace

std::vector<ModelKind> model_kinds() {
  std::vector<ModelKind> kinds;
  append_kinds(examples::float_weights(), &kinds);
  append_kinds(examples::block_weights(), &kinds);
  return kinds;
}

}  // namespace stories
