// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// A consumer that sees nothing but the include path.
#include <cstdio>

#include "tessera/config.hpp"

int main() {
  std::printf("%d.%d.%d\n", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH);
  return 0;
}
