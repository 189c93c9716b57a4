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

/// The kinds of a backend, one for each format of its matrices.
template <class B>
void append_kinds(const FormatKinds& all, std::vector<ModelKind>* kinds) {
  for (const examples::WeightsKind& w : all.weights) {
    if (std::string_view(w.backend) != B::name) continue;
    ExpertsMaker make = nullptr;
    for (const ExpertsKind& e : all.experts)
      if (std::string_view(e.backend) == B::name && std::string_view(e.format) == w.format)
        make = e.make;
    kinds->push_back({examples::facts_of<B>(), w.format, w.is_float, w.make, make, &make_on<B>});
  }
}

}  // namespace

std::vector<ModelKind> model_kinds() {
  FormatKinds all;
  const auto append = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  for (const auto& shared : {examples::float_weights(), examples::block_weights()})
    append(shared, all.weights);
  for (const FormatKinds& own : {scaled_formats(), formats_with_minima()}) {
    append(own.weights, all.weights);
    append(own.experts, all.experts);
  }
  std::vector<ModelKind> kinds;
  examples::for_each_backend(
      [&](auto backend) { append_kinds<typename decltype(backend)::type>(all, &kinds); });
  return kinds;
}

}  // namespace hybrid
