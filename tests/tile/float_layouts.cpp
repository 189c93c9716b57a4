// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <vector>

#include "tessera/formats/all.hpp"
#include "tessera/tile/tile.hpp"
#include "tests/tile/layout_entries.hpp"

namespace tessera_test {

const std::vector<Layout>& float_layouts() {
  static const auto all = layout_entries<true, tessera::all_formats, tessera::all_float_tiles>();
  return all;
}

}  // namespace tessera_test
