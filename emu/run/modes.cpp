// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/modes.hpp"

#include <cstdio>

namespace tessera::run {

std::span<const Mode> modes() {
  static const Mode table[] = {
      plain_mode,
      count_mode,
      check_mode,
  };
  return table;
}

int refuse(const std::string& text) {
  std::fprintf(stderr, "tessera-run: %s\n", text.c_str());
  return refused;
}

}  // namespace tessera::run
