// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include <vector>

#include "tessera/formats/all.hpp"
#include "tessera/tile/tile.hpp"
#include "tests/tile/layout_entries.hpp"

namespace tessera_test {

const std::vector<Layout>& block_layouts() {
  static const auto all = layout_entries<false, tessera::all_formats, tessera::all_int8_tiles>();
  return all;
}

}  // namespace tessera_test
