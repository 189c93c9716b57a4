// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What a run was, in lines and as JSON.
#ifndef TESSERA_EMU_RUN_REPORT_HPP_
#define TESSERA_EMU_RUN_REPORT_HPP_

#include "emu/run/child.hpp"
#include "emu/run/emulator.hpp"
#include "emu/run/options.hpp"
#include "emu/run/statistics.hpp"

#include <string>

namespace tessera::run {

/// Everything that is told of a run.
struct Report {
  const Options& options;
  const Emulator& emulator;
  const Ended& ended;
  const Statistics& statistics;
};

/// Lines "KEY VALUE" on standard error, how the program ended last.
void print_report(const Report& report);

/// Writes the same to a file. False: it cannot be written.
bool write_json(const Report& report, const std::string& file);

/// A JSON string of the text, quotes included.
std::string json_string(const std::string& text);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_REPORT_HPP_
