// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A consumer that sees nothing but the include path: multiplies on the default backend, prints version and digest.
#include "product.hpp"

int main() {
  return print_product<tessera::default_backend>();
}
