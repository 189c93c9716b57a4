// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Matrices and experts of every backend in lists of formats.
#ifndef TESSERA_EXAMPLES_HYBRID_BACKENDS_FORMAT_KINDS_HPP_
#define TESSERA_EXAMPLES_HYBRID_BACKENDS_FORMAT_KINDS_HPP_

#include <memory>

#include "examples/hybrid/backends/kinds.hpp"
#include "examples/hybrid/backends/packed_experts.hpp"
#include "examples/shared/backends/backends.hpp"
#include "examples/shared/backends/packed_kinds.hpp"

namespace hybrid {

template <class B, class F>
std::unique_ptr<Experts> make_experts() {
  return std::make_unique<PackedExperts<B, F>>();
}

/// Rows that are no whole blocks are filled up with zeros.
template <class WeightsFormats, class ExpertsFormats>
FormatKinds format_kinds() {
  FormatKinds kinds = {examples::packed_kinds<WeightsFormats>(), {}};
  examples::for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    ExpertsFormats::for_each([&](auto format) {
      using F = typename decltype(format)::type;
      kinds.experts.push_back({B::name, F::name, &make_experts<B, F>});
    });
  });
  return kinds;
}

}  // namespace hybrid

#endif  // TESSERA_EXAMPLES_HYBRID_BACKENDS_FORMAT_KINDS_HPP_
