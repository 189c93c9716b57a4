// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "product.hpp"
#include "tessera_trap.h"

int main() {
  if (tessera_trap_install() != 0) return 1;
  return print_product<tessera::backend::ime1>();
}
