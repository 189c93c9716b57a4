// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Products of the block formats; with experts, those that share their kernels.
#include "tests/identity/experts.hpp"
#include "tests/identity/matmul.hpp"

namespace identity {

void add_matmul_blocks(Runs& runs) {
  tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
    if constexpr (!F::is_float) add_products<F>(runs);
  });
  tessera::nbits_formats::for_each([&]<class F>(tessera::Type<F>) { add_products<F>(runs); });
  tessera::row_formats::for_each([&]<class F>(tessera::Type<F>) { add_products<F>(runs); });
  runs.for_each_backend([]<class B>(tessera::Type<B>, Run& run) {
    add_experts<B, tessera::format::q4_0>(run);
    add_experts<B, tessera::format::q2_K>(run);
    add_halves<B, tessera::format::q8_0>(run);
  });
}

}  // namespace identity
