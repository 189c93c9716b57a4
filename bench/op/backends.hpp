// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends built in, by name; those that emulate count their instructions.
#ifndef TESSERA_BENCH_OP_BACKENDS_HPP_
#define TESSERA_BENCH_OP_BACKENDS_HPP_

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bench/op/atoms.hpp"
#include "bench/op/options.hpp"
#include "tessera/backend/list.hpp"

namespace op {

template <class B>
struct Counted {
  using type = B;
};
template <tessera::ime::Profile P>
struct Counted<tessera::backend::emu<P>> {
  using type = tessera::backend::emu<P, CountRetired>;
};

/// Emulated tiles are the same integers whatever instructions the rest has: builds that have vectors
/// leave them to the plain one.
template <class Kept, class... Rest>
struct BuiltIn {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct BuiltIn<tessera::TypeList<Kept...>, First, Rest...> {
  static constexpr bool left_to_plain =
      !std::is_same_v<tessera::default_backend, tessera::backend::scalar> &&
      std::string_view(First::name).starts_with("emu");
  using next = std::conditional_t<left_to_plain, tessera::TypeList<Kept...>,
                                  tessera::TypeList<Kept..., typename Counted<First>::type>>;
  using type = typename BuiltIn<next, Rest...>::type;
};
template <class List>
struct BuiltInOf;
template <class... B>
struct BuiltInOf<tessera::TypeList<B...>> : BuiltIn<tessera::TypeList<>, B...> {};
using Backends = BuiltInOf<tessera::available_backends>::type;

inline std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  Backends::for_each([&]<class B>(tessera::Type<B>) { names.push_back(B::name); });
  return names;
}

/// Calls body(Type<B>) for the backend called --backend, else for the default one.
template <class Body>
void with_backend(const Options& options, Body&& body) {
  const std::string name = options.text("backend", tessera::default_backend::name);
  bool found = false;
  Backends::for_each([&]<class B>(tessera::Type<B> type) {
    if (name != B::name) return;
    found = true;
    body(type);
  });
  if (found) return;
  std::string known;
  for (const auto& n : backend_names()) known += " " + n;
  throw Refusal("--backend " + name + ": not built in; there are" + known);
}

}  // namespace op

#endif  // TESSERA_BENCH_OP_BACKENDS_HPP_
