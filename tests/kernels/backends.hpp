// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends of this build as typed suites' lists, and a fixture that leaves out those whose core
/// this is not (backends_test.cpp demands those that must be there).
#ifndef TESSERA_TESTS_KERNELS_BACKENDS_HPP_
#define TESSERA_TESTS_KERNELS_BACKENDS_HPP_

#include <gtest/gtest.h>

#include <type_traits>

#include "tessera/backend/list.hpp"
#include "tests/backend/backends.hpp"

namespace tessera_test {

using TestedBackends = AsTypes<tested_backends>::type;

/// Kernels without integer products are built from `Vectors` and `FloatAtom` alone, so backends that
/// have both from an earlier one would be the same code again. (The identity suite runs all.)
template <class Kept, class... Rest>
struct WithOwnFloats {
  using type = Kept;
};
template <class... Kept, class First, class... Rest>
struct WithOwnFloats<tessera::TypeList<Kept...>, First, Rest...> {
  static constexpr bool known =
      ((std::is_same_v<typename Kept::Vectors, typename First::Vectors> &&
        std::is_same_v<typename Kept::FloatAtom, typename First::FloatAtom>) ||
       ...);
  using next =
      std::conditional_t<known, tessera::TypeList<Kept...>, tessera::TypeList<Kept..., First>>;
  using type = typename WithOwnFloats<next, Rest...>::type;
};
template <class List>
struct FloatBackendsOf;
template <class... B>
struct FloatBackendsOf<tessera::TypeList<B...>> {
  using type = typename WithOwnFloats<tessera::TypeList<>, B...>::type;
};
using FloatBackends = AsTypes<FloatBackendsOf<tested_backends>::type>::type;

/// Backends that may find themselves on a core they are not made for, and one that never does.
#if TESSERA_HAS_RVV
using CoreBackends =
    testing::Types<tessera::backend::scalar, tessera::backend::ime1, tessera::backend::ime2>;
#else
using CoreBackends = testing::Types<tessera::backend::scalar>;
#endif

template <class B>
class OnBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << B::name << ": not on this core";
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_BACKENDS_HPP_
