// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends of this build as lists for typed tests.
#ifndef TESSERA_TESTS_BACKEND_BACKENDS_HPP_
#define TESSERA_TESTS_BACKEND_BACKENDS_HPP_

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "tessera/backend/list.hpp"
#include "tessera/core/type_list.hpp"
#include "tests/backend/tested_here.hpp"

namespace tessera_test {

template <class List>
struct AsTypes;
template <class... B>
struct AsTypes<tessera::TypeList<B...>> {
  using type = ::testing::Types<B...>;
};

template <class Kept, class... Rest>
struct OnlyTested {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct OnlyTested<tessera::TypeList<Kept...>, First, Rest...> {
  using next = std::conditional_t<tested_here<First>(), tessera::TypeList<Kept..., First>,
                                  tessera::TypeList<Kept...>>;
  using type = typename OnlyTested<next, Rest...>::type;
};
template <class List>
struct TestedOf;
template <class... B>
struct TestedOf<tessera::TypeList<B...>> {
  using type = typename OnlyTested<tessera::TypeList<>, B...>::type;
};
using tested_backends = TestedOf<tessera::available_backends>::type;

/// The list without backends whose `Vectors` an earlier one has: ime1 and ime2 use those of rvv.
template <class Kept, class... Rest>
struct WithOwnVectors {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct WithOwnVectors<tessera::TypeList<Kept...>, First, Rest...> {
  static constexpr bool known =
      (std::is_same_v<typename Kept::Vectors, typename First::Vectors> || ...);
  using next =
      std::conditional_t<known, tessera::TypeList<Kept...>, tessera::TypeList<Kept..., First>>;
  using type = typename WithOwnVectors<next, Rest...>::type;
};
template <class List>
struct VectorBackends;
template <class... B>
struct VectorBackends<tessera::TypeList<B...>> {
  using type = typename WithOwnVectors<tessera::TypeList<>, B...>::type;
};

using AllBackends = AsTypes<tested_backends>::type;
using BackendsWithOwnVectors = AsTypes<VectorBackends<tested_backends>::type>::type;

struct BackendName {
  template <class B>
  static std::string GetName(int) {
    return B::name;
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_BACKEND_BACKENDS_HPP_
