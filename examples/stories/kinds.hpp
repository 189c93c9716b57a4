// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The models of all backends, one list per translation unit to keep each quick to compile.
#ifndef TESSERA_EXAMPLES_STORIES_KINDS_HPP_
#define TESSERA_EXAMPLES_STORIES_KINDS_HPP_

#include <memory>
#include <vector>

#include "examples/stories/retired.hpp"
#include "examples/stories/transformer.hpp"
#include "examples/stories/transformer_on.hpp"
#include "tessera/tessera.hpp"

namespace stories {

std::vector<ModelKind> float_kinds();
std::vector<ModelKind> block_kinds();

/// The backend itself, or an emu backend that counts its instructions.
template <class B>
struct Counting {
  using type = B;
};
template <tessera::ime::Profile P, class Observer>
struct Counting<tessera::backend::emu<P, Observer>> {
  using type = tessera::backend::emu<P, RetiredCounter>;
};

template <class B>
constexpr const char* target_of() {
  if constexpr (requires { B::target_name; })
    return B::target_name;
  else
    return nullptr;
}

template <class B>
BackendFacts facts_of() {
  return {B::name, target_of<B>(), B::dot_via, B::float_via, B::vector_via, B::check()};
}

template <class B, class F>
std::unique_ptr<Transformer> make_transformer(const Checkpoint& checkpoint) {
  return std::make_unique<TransformerOn<B, F>>(checkpoint);
}

/// All backends with the float formats, or with the block formats.
template <bool Floats>
std::vector<ModelKind> kinds_of() {
  std::vector<ModelKind> kinds;
  tessera::available_backends::for_each([&](auto backend) {
    using B = typename Counting<typename decltype(backend)::type>::type;
    tessera::all_formats::for_each([&](auto format) {
      using F = typename decltype(format)::type;
      if constexpr (F::is_float == Floats)
        kinds.push_back({facts_of<B>(), F::name, Floats, &make_transformer<B, F>});
    });
  });
  return kinds;
}

}  // namespace stories

#endif  // TESSERA_EXAMPLES_STORIES_KINDS_HPP_
