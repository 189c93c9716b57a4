// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// --count: the instructions of a program, by the count plugin.
#include "emu/cost/numbers.hpp"
#include "emu/run/emulator.hpp"
#include "emu/run/invocation.hpp"
#include "emu/run/modes.hpp"
#include "emu/run/plugin.hpp"
#include "emu/run/scratch.hpp"

#include <cstdio>
#include <fstream>

namespace tessera::run {
namespace {

// "KEY VALUE" lines on standard error: the totals, and loads and stores of all kinds together.
void print_counts(const cost::JsonValues& counts) {
  for (const auto& [path, value] : counts.numbers) {
    const bool kind = path.find("loads.") != path.npos || path.find("stores.") != path.npos;
    if (path.starts_with("total.") && (!kind || path.find(".all.") != path.npos))
      std::fprintf(stderr, "%s %.0f\n", path.c_str() + sizeof "total." - 1, value);
  }
  std::fprintf(stderr, "entered %.0f\n", counts.numbers.at("entered"));
}

int run_count(const Options& options, const Guest& guest) {
  const Emulator emulator = find_emulator(*options.machine, {.variant = {}, .plugins = true});
  if (!emulator.error.empty()) return refuse(emulator.error);
  const Plugin plugin = find_plugin("count");
  if (!plugin.error.empty()) return refuse(plugin.error);
  Ended ended;
  {
    const Scratch scratch;
    if (scratch.path().empty()) return refuse("no folder for the counts can be made in TMPDIR");
    const std::string file = scratch.path() + "/counts.json";
    std::string words =
        plugin.path + ",out=" + file + ",vlen=" + std::to_string(options.machine->profile.vlen);
    for (const auto& [name, value] : options.mode_options) {
      if (value.empty() || value.find(',') != value.npos)
        return refuse("--symbol: a mangled name, or a part of one, without commas");
      words += ",symbol=" + value;
    }
    Invocation invocation = make_invocation(options, guest, emulator, {"-plugin", words});
    if (!invocation.error.empty()) return refuse(invocation.error);
    // Where instructions are rewritten, the plugin does not see what is executed.
    invocation.environment.emplace_back("TESSERA_TRAP_GEAR", "1");
    if (options.stats) invocation.environment.emplace_back("TESSERA_TRAP_STATS", "stderr");
    ended = run_to_end(invocation.command, invocation.environment);
    if (!ended.error.empty()) return refuse(emulator.path + ": " + ended.error);
    const std::string text = file_text(file);
    const cost::JsonValues counts = cost::read_json(text);
    if (text.empty() || !counts.error.empty()) {
      std::fputs("tessera-run: the program left no counts\n", stderr);
    } else {
      print_counts(counts);
      std::ofstream out;
      if (!options.json.empty()) {
        out.open(options.json);
        out << text;
        out.close();
        if (out.fail()) return refuse(options.json + " cannot be written");
      }
    }
  }
  end_like(ended);
}

constexpr ModeOption count_options[] = {{"--symbol", true}};

}  // namespace

const Mode count_mode{
    "--count", count_options,
    "  --count          count the instructions, by a QEMU that loads plugins; lines KEY VALUE\n"
    "                   on standard error, all of it in the file of --json\n"
    "  --symbol NAME    only from the entry of a function to its return; a mangled name, or a\n"
    "                   part of one\n",
    run_count};

}  // namespace tessera::run
