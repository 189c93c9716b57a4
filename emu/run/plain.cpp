// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The program as it is, with statistics and trace.
#include "emu/run/emulator.hpp"
#include "emu/run/invocation.hpp"
#include "emu/run/modes.hpp"
#include "emu/run/report.hpp"
#include "emu/run/statistics.hpp"

namespace tessera::run {
namespace {

int run_plain(const Options& options, const Guest& guest) {
  const Emulator emulator = find_emulator(*options.machine, {});
  if (!emulator.error.empty()) return refuse(emulator.error);
  Invocation invocation = make_invocation(options, guest, emulator);
  if (!invocation.error.empty()) return refuse(invocation.error);

  const bool collect = options.stats || !options.json.empty();
  Ended ended;
  {
    const StatisticsFolder folder;
    if (collect) {
      if (folder.path().empty()) return refuse("no folder for statistics can be made in TMPDIR");
      invocation.environment.emplace_back("TESSERA_TRAP_STATS", folder.pattern());
    }
    ended = run_to_end(invocation.command, invocation.environment);
    if (!ended.error.empty()) return refuse(emulator.path + ": " + ended.error);
    const Statistics statistics = collect ? folder.read(ended.process) : Statistics{};
    const Report report{options, emulator, ended, statistics};
    if (options.stats) print_report(report);
    if (!options.json.empty() && !write_json(report, options.json)) {
      return refuse(options.json + " cannot be written");
    }
  }
  end_like(ended);
}

}  // namespace

const Mode plain_mode{"", {}, "", run_plain};

}  // namespace tessera::run
