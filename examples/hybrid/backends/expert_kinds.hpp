// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Experts of every backend in a list of formats.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_EXPERT_KINDS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_EXPERT_KINDS_HPP_

#include <memory>
#include <vector>

#include "examples/hybrid/backends/kinds.hpp"
#include "examples/hybrid/backends/packed_experts.hpp"
#include "examples/shared/backends/backends.hpp"

namespace hybrid {

template <class B, class F>
std::unique_ptr<Experts> make_experts() {
  return std::make_unique<PackedExperts<B, F>>();
}

template <class Formats>
std::vector<ExpertsKind> expert_kinds() {
  std::vector<ExpertsKind> kinds;
  examples::for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    Formats::for_each([&](auto format) {
      using F = typename decltype(format)::type;
      kinds.push_back({B::name, F::name, &make_experts<B, F>});
    });
  });
  return kinds;
}

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_EXPERT_KINDS_HPP_
