// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends built in, by name; those that emulate count their instructions.
#ifndef TESSERA_BENCH_OP_BACKENDS_HPP_
#define TESSERA_BENCH_OP_BACKENDS_HPP_

#include <string>
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
template <class List>
struct AllCounted;
template <class... B>
struct AllCounted<tessera::TypeList<B...>> {
  using type = tessera::TypeList<typename Counted<B>::type...>;
};
using Backends = AllCounted<tessera::available_backends>::type;

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
