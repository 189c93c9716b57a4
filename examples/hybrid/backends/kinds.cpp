// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "examples/hybrid/backends/kinds.hpp"

#include <memory>
#include <string_view>
#include <vector>

#include "examples/hybrid/backends/model_on.hpp"
#include "examples/shared/backends/backends.hpp"

namespace hybrid {
namespace {

template <class B>
std::unique_ptr<Model> make_on(const Network& network, const ModelKind& kind,
                               const ModelOptions& options) {
  examples::WeightsMaker make_float = nullptr;
  for (const examples::WeightsKind& w : examples::float_weights())
    if (std::string_view(w.backend) == B::name && std::string_view(w.format) == "f32")
      make_float = w.make;
  return std::make_unique<ModelOn<B>>(network, kind, make_float, options);
}

/// The kinds of a backend whose weights and experts are there in one format.
template <class B>
void append_kinds(const std::vector<examples::WeightsKind>& weights,
                  const std::vector<ExpertsKind>& experts, std::vector<ModelKind>* kinds) {
  for (const ExpertsKind& e : experts)
    for (const examples::WeightsKind& w : weights)
      if (std::string_view(e.backend) == B::name && std::string_view(w.backend) == B::name &&
          std::string_view(e.format) == w.format)
        kinds->push_back(
            {examples::facts_of<B>(), w.format, w.is_float, w.make, e.make, &make_on<B>});
}

}  // namespace

std::vector<ModelKind> model_kinds() {
  std::vector<examples::WeightsKind> weights = examples::float_weights();
  for (const auto& more : {examples::block_weights(), k_weights()})
    weights.insert(weights.end(), more.begin(), more.end());
  std::vector<ExpertsKind> experts = float_experts();
  for (const ExpertsKind& e : block_experts()) experts.push_back(e);
  std::vector<ModelKind> kinds;
  examples::for_each_backend([&](auto backend) {
    append_kinds<typename decltype(backend)::type>(weights, experts, &kinds);
  });
  return kinds;
}

}  // namespace hybrid
