// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every sixth format and layout from number 5 on, at every tile edge: see matmul_grid.hpp.
#include "tests/kernels/matmul_grid.hpp"

namespace tessera_test {
namespace {

static_assert(grid_parts == 6, "as many sources as parts");

template <class B>
class MatmulGrid5 : public OnBackend<B> {};
TYPED_TEST_SUITE(MatmulGrid5, TestedBackends, BackendName);

TYPED_TEST(MatmulGrid5, EveryLayout) {
  run_grids_of_part<5, TypeParam>();
}

}  // namespace
}  // namespace tessera_test
