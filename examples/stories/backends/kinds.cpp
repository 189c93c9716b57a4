// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/stories/backends/kinds.hpp"

#include <string_view>

#include "examples/stories/backends/transformer_on.hpp"

namespace stories {
namespace {

template <class B>
constexpr const char* target_of() {
  if constexpr (requires { B::target_name; })
    return B::target_name;
  else
    return nullptr;
}

template <class B>
std::unique_ptr<Transformer> make_on(const Checkpoint& checkpoint, WeightsMaker weights,
                                     tessera::FormatId cache) {
  return std::make_unique<TransformerOn<B>>(checkpoint, weights, cache);
}

void append_kinds(const std::vector<WeightsKind>& weights, std::vector<ModelKind>* kinds) {
  for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    const BackendFacts facts = {B::name,      TESSERA_ISA_STRING, target_of<B>(), B::dot_via,
                                B::float_via, B::vector_via,      B::check()};
    for (const WeightsKind& w : weights)
      if (std::string_view(w.backend) == B::name)
        kinds->push_back({facts, w.format, w.is_float, w.make, &make_on<B>});
  });
}

}  // namespace

std::vector<ModelKind> model_kinds() {
  std::vector<ModelKind> kinds;
  append_kinds(float_weights(), &kinds);
  append_kinds(block_weights(), &kinds);
  return kinds;
}

bool find_cache_format(std::string_view name, tessera::FormatId* format) {
  bool known = false;
  CacheFormats::for_each([&]<class F>(tessera::Type<F>) {
    if (name == F::name) *format = F::id, known = true;
  });
  return known;
}

const char* default_backend_name() {
  return tessera::default_backend::name;
}

}  // namespace stories
