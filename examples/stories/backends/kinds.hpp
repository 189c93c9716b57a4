// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The parts of models on all backends, one list per translation unit to keep each quick to compile.
#ifndef TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_
#define TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_

#include <memory>
#include <string_view>
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

/// Emulated tiles are the same integers whatever instructions the rest has: the plain build has them.
/// What a library makes of RVV is all that its own build adds to that of RVV.
template <class B>
constexpr bool in_this_program() {
  constexpr std::string_view name = B::name;
  constexpr std::string_view flavour = TESSERA_FLAVOUR;
  if (name == "scalar" || flavour == "base") return true;
  if (flavour.starts_with("rvv_")) return name == flavour.substr(4);
  return !name.starts_with("emu");
}

/// Calls f(Type<B>) for every backend of this program.
template <class Function>
void for_each_backend(Function&& f) {
  tessera::available_backends::for_each([&]<class B>(tessera::Type<B>) {
    if constexpr (in_this_program<B>()) f(tessera::Type<typename Counting<B>::type>{});
  });
}

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_BACKENDS_KINDS_HPP_
