// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends of a program, as its flavour was compiled.
#ifndef TESSERA_EXAMPLES_SHARED_BACKENDS_BACKENDS_HPP_
#define TESSERA_EXAMPLES_SHARED_BACKENDS_BACKENDS_HPP_

#include <string_view>

#include "tessera/tessera.hpp"

#include "examples/shared/backend_facts.hpp"
#include "examples/shared/retired.hpp"

namespace examples {

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

template <class B>
BackendFacts facts_of() {
  const char* target = nullptr;
  if constexpr (requires { B::target_name; }) target = B::target_name;
  return {B::name, TESSERA_ISA_STRING, target, B::dot_via, B::float_via, B::vector_via, B::check()};
}

}  // namespace examples

#endif  // TESSERA_EXAMPLES_SHARED_BACKENDS_BACKENDS_HPP_
