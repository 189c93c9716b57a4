// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/report.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace tessera::run {
namespace {

std::string how_it_ended(const Ended& ended) {
  if (ended.signal == 0) return "exit " + std::to_string(ended.status);
  return "signal " + std::to_string(ended.signal) + " (" + strsignal(ended.signal) + ")";
}

}  // namespace

void print_report(const Report& report) {
  const ime::Profile& profile = report.options.machine->profile;
  std::fprintf(stderr, "profile %s\nvlen %d\nemulator %s\ncpu %s\n", profile.name(), profile.vlen,
               report.emulator.path.c_str(), report.emulator.cpu.c_str());
  std::fprintf(stderr, "processes %d\n", report.statistics.processes);
  for (const auto& [name, count] : report.statistics.retired) {
    std::fprintf(stderr, "retired %s %" PRIu64 "\n", name.c_str(), count);
  }
  std::fprintf(stderr, "retired total %" PRIu64 "\n", report.statistics.total);
  if (!report.statistics.complete) {
    std::fputs(
        "statistics incomplete (the program left none: it was ended from outside, or has no "
        "runtime)\n",
        stderr);
  }
  std::fprintf(stderr, "ended %s\n", how_it_ended(report.ended).c_str());
}

std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      result += escape;
    } else {
      result += c;
    }
  }
  return result + '"';
}

bool write_json(const Report& report, const std::string& file) {
  std::ofstream out(file);
  const ime::Profile& profile = report.options.machine->profile;
  out << "{\n  \"command\": [";
  const char* separator = "";
  for (const std::string& word : report.options.command) {
    out << separator << json_string(word);
    separator = ", ";
  }
  out << "],\n  \"profile\": " << json_string(profile.name()) << ",\n  \"vlen\": " << profile.vlen
      << ",\n  \"emulator\": " << json_string(report.emulator.path)
      << ",\n  \"cpu\": " << json_string(report.emulator.cpu)
      << ",\n  \"processes\": " << report.statistics.processes
      << ",\n  \"complete\": " << (report.statistics.complete ? "true" : "false")
      << ",\n  \"retired\": {";
  separator = "\n";
  for (const auto& [name, count] : report.statistics.retired) {
    out << separator << "    " << json_string(name) << ": " << count;
    separator = ",\n";
  }
  out << "\n  },\n  \"retired_total\": " << report.statistics.total << ",\n";
  if (report.ended.signal != 0) {
    out << "  \"exit_status\": null,\n  \"signal\": " << report.ended.signal << "\n}\n";
  } else {
    out << "  \"exit_status\": " << report.ended.status << ",\n  \"signal\": null\n}\n";
  }
  out.close();
  return !out.fail();
}

}  // namespace tessera::run
