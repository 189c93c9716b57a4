// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Products of the float formats.
#include "tests/identity/matmul.hpp"

namespace identity {

void add_matmul_floats(Runs& runs) {
  tessera::all_formats::for_each([&]<class F>(tessera::Type<F>) {
    if constexpr (F::is_float) add_products<F>(runs);
  });
}

}  // namespace identity
