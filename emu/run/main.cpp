// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// tessera-run: runs a riscv64 program that has IME instructions, on a machine that lacks them.
#include "emu/run/guest.hpp"
#include "emu/run/modes.hpp"
#include "emu/run/options.hpp"

#include <cstdio>

int main(int count, char** words) {
  using namespace tessera::run;
  const Options options = parse_options(Words(words + 1, words + count));
  if (!options.error.empty()) {
    std::fputs(usage().c_str(), stderr);
    return refuse(options.error);
  }
  if (options.help) {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  const Guest guest = read_guest(options.command.front());
  if (!guest.error.empty()) return refuse(guest.path + " " + guest.error);
  return options.mode->run(options, guest);
}
