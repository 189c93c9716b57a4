// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// A matrix instruction dies where no core has this machine's vector length, or where TESSERA_PROFILE
// asks for a core of another length. Run at such lengths only.
#include "emu/trap/tessera_trap.h"
#include "tests/trap/child.hpp"
#include "tests/trap/machine.hpp"

#include <csignal>
#include <cstdio>

int main() {
  if (tessera_trap_install() != 0) return 1;
  const trap_tests::Ended ended = trap_tests::run_in_child([] {
    trap_tests::Machine machine;
    const trap_tests::Code code({0xe210312b});
    code.run(&machine.image);
  });
  std::printf("signal %d\n%s", ended.signal, ended.error.c_str());
  if (ended.signal != SIGILL) return 2;
  return ended.error.find("the vector length is not the core's") == std::string::npos ? 3 : 0;
}
