// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The ways to run a program. A new one is a file that defines its Mode, and a line in modes.cpp.
#ifndef TESSERA_EMU_RUN_MODES_HPP_
#define TESSERA_EMU_RUN_MODES_HPP_

#include "emu/run/guest.hpp"
#include "emu/run/options.hpp"

#include <span>

namespace tessera::run {

inline constexpr int refused = 2;

/// An option that only one mode has.
struct ModeOption {
  const char* name;  ///< "--symbol"
  bool takes_value;
};

/// One way to run a program.
struct Mode {
  const char* option;  ///< what chooses it ("--count"); empty for the plain one
  std::span<const ModeOption> options;
  const char* help;  ///< whole lines for --help
  /// Runs the program; the exit status of tessera-run. May end the process itself (end_like).
  int (*run)(const Options& options, const Guest& guest);
};

/// The program as it is, with statistics and trace.
extern const Mode plain_mode;
/// The program's instructions counted, by the count plugin.
extern const Mode count_mode;
/// The program under what hardware may do otherwise, watched by the check plugin.
extern const Mode check_mode;

/// The plain one first.
std::span<const Mode> modes();

/// Prints "tessera-run: TEXT" and gives the exit status for that.
int refuse(const std::string& text);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_MODES_HPP_
