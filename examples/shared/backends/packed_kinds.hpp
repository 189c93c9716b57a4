// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Packed matrices of all backends: in a list of formats.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_KINDS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_KINDS_HPP_

#include <memory>
#include <vector>

#include "examples/shared/backends/backends.hpp"
#include "examples/shared/backends/packed_matrix.hpp"
#include "examples/shared/backends/weights_kinds.hpp"

namespace examples {

template <class B, class F>
std::unique_ptr<Weights> make_packed() {
  return std::make_unique<PackedMatrix<B, F>>();
}

using float_formats =
    tessera::TypeList<tessera::format::f32, tessera::format::f16, tessera::format::bf16>;
using block_formats = tessera::TypeList<tessera::format::q8_0, tessera::format::q4_0>;

/// Matrices of every backend in every format of a list.
template <class Formats>
std::vector<WeightsKind> packed_kinds() {
  std::vector<WeightsKind> kinds;
  for_each_backend([&](auto backend) {
    using B = typename decltype(backend)::type;
    Formats::for_each([&](auto format) {
      using F = typename decltype(format)::type;
      kinds.push_back({B::name, F::name, F::is_float, &make_packed<B, F>});
    });
  });
  return kinds;
}

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_PACKED_KINDS_HPP_
