// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The backends of this build as a typed suite's list, and a fixture that leaves out those whose core
/// this is not (backends_test.cpp demands those that must be there).
#ifndef TESSERA_TESTS_KERNELS_BACKENDS_HPP_
#define TESSERA_TESTS_KERNELS_BACKENDS_HPP_

#include <gtest/gtest.h>

#include "tessera/backend/list.hpp"
#include "tests/backend/backends.hpp"

namespace tessera_test {

template <class B>
class OnBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (B::check() != tessera::Status::ok) GTEST_SKIP() << B::name << ": not on this core";
  }
};

}  // namespace tessera_test

#endif  // TESSERA_TESTS_KERNELS_BACKENDS_HPP_
