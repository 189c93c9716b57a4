// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The parts of models on all backends, one list per translation unit to keep each quick to compile.
#ifndef TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_
#define TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_

#include <memory>
#include <vector>

#include "tessera/tessera.hpp"

#include "examples/stories/retired.hpp"
#include "examples/stories/transformer.hpp"
#include "examples/stories/weights.hpp"

namespace stories {

/// The weights of one backend in one format.
struct WeightsKind {
  const char* backend;
  const char* format;
  bool is_float;
  WeightsMaker make;
};
std::vector<WeightsKind> float_weights();
std::vector<WeightsKind> block_weights();

/// The backend itself, or an emu backend that counts its instructions.
template <class B>
struct Counting {
  using type = B;
};
template <tessera::ime::Profile P, class Observer>
struct Counting<tessera::backend::emu<P, Observer>> {
  using type = tessera::backend::emu<P, RetiredCounter>;
};

/// Calls f(Type<B>) for every backend of this program.
template <class Function>
void for_each_backend(Function&& f) {
  tessera::available_backends::for_each([&](auto backend) {
    f(tessera::Type<typename Counting<typename decltype(backend)::type>::type>{});
  });
}

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_
