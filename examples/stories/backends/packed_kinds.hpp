// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Packed matrices of all backends: with the float formats, or with the block formats.
#ifndef TESSERA_EXAMPLES_STORIES_BACKENDS_PACKED_KINDS_HPP_
#define TESSERA_EXAMPLES_STORIES_BACKENDS_PACKED_KINDS_HPP_

#include <memory>
#include <vector>

#include "examples/stories/backends/kinds.hpp"
#include "examples/stories/backends/packed_matrix.hpp"

namespace stories {

template <class B, class F>
std::unique_ptr<Weights> make_packed() {
  return std::make_unique<PackedMatrix<B, F>>();
}

/// The formats that the model is run with: two of blocks stand for all, which share their kernels.
using model_formats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16,
                      tessera::format::q8_0, tessera::format::q4_0>;

template <bool Floats>
std::vector<WeightsKind> packed_kinds() {
  std::vector<WeightsKind> kinds;
  for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    model_formats::for_each([&](auto format) {
      using F = typename decltype(format)::type;
      if constexpr (F::is_float == Floats)
        kinds.push_back({B::name, F::name, Floats, &make_packed<B, F>});
    });
  });
  return kinds;
}

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_PACKED_KINDS_HPP_
