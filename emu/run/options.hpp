// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The command line of tessera-run.
#ifndef TESSERA_EMU_RUN_OPTIONS_HPP_
#define TESSERA_EMU_RUN_OPTIONS_HPP_

#include "emu/run/child.hpp"
#include "emu/run/machine.hpp"

#include <string>

namespace tessera::run {

struct Mode;

/// What was asked for.
struct Options {
  const Machine* machine = nullptr;
  const Mode* mode = nullptr;
  Settings
      mode_options;  ///< the mode's own: {"--symbol", "main"}; the value is empty where it takes none
  bool stats = false;
  bool trace = false;
  std::string json;     ///< a file name; empty: none
  std::string sysroot;  ///< empty: look for one
  Words command;        ///< the program and its arguments
  bool help = false;
  std::string error;  ///< not empty: nothing else is meant
};

/// Reads the words behind the program's name.
Options parse_options(const Words& words);

/// The text of --help.
std::string usage();

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_OPTIONS_HPP_
