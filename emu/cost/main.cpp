// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// tessera-cost COUNTS.json --board k1|a100 [--parameters FILE]
// Predicts the cycles that counted instructions take on a board's core, and prints what it assumes.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "emu/cost/model.hpp"

namespace {

using namespace tessera::cost;

int refuse(const std::string& what) {
  std::fprintf(stderr, "tessera-cost: %s\n", what.c_str());
  return 2;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

struct Options {
  std::string counts;
  std::string board;
  std::string parameters;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    std::string* to = &options.counts;
    if (std::strcmp(argv[i], "--board") == 0) {
      to = &options.board;
    } else if (std::strcmp(argv[i], "--parameters") == 0) {
      to = &options.parameters;
    }
    if (to != &options.counts && ++i == argc) return false;
    if (!to->empty() || argv[i][0] == '-') return false;
    *to = argv[i];
  }
  return !options.counts.empty() && !options.board.empty();
}

void print(const JsonValues& counts, const Board& board, const Prediction& p, const Options& o) {
  std::printf("board %s\n", o.board.c_str());
  for (const std::string& text : board.assumptions) std::printf("assumed %s\n", text.c_str());
  std::printf("matrix %.0f\nvector %.0f\nmemory %.0f\nissue %.0f\n", p.matrix, p.vector, p.memory,
              p.issue);
  std::printf("serial %.0f\n", p.serial);
  std::printf("microseconds %.3f\n", p.cycles / board.values.at("clock_ghz") / 1000);
  const double dots = counts.numbers.at("total.ime_dot");
  if (dots > 0) {
    const auto per_dot = [&](const char* name) {
      return counts.numbers.at(std::string("total.loads.all.") + name) / dots;
    };
    std::printf("load_instructions_per_vmadot %.3f\nload_registers_per_vmadot %.3f\n",
                per_dot("instructions"), per_dot("registers"));
    std::printf("load_bytes_per_vmadot %.1f\n", per_dot("bytes"));
    std::printf("cycles_per_vmadot %.3f\n", p.cycles / dots);
    std::printf("matrix_busy_percent %.1f\n", 100 * p.matrix / p.cycles);
  }
  std::printf("bound %s\ncycles %.0f\n", p.bound, p.cycles);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options))
    return refuse("usage: COUNTS.json --board k1|a100 [--parameters FILE]");
  if (options.board != "k1" && options.board != "a100")
    return refuse("--board " + options.board + ": k1 or a100");
  if (options.parameters.empty())
    options.parameters = std::string(TESSERA_COST_FOLDER "/") + options.board + ".tsv";
  const auto parameters = read_file(options.parameters);
  if (!parameters) return refuse(options.parameters + ": cannot be read");
  const Board board = read_board(*parameters);
  if (!board.error.empty()) return refuse(options.parameters + ": " + board.error);
  const auto text = read_file(options.counts);
  if (!text) return refuse(options.counts + ": cannot be read");
  const JsonValues counts = read_json(*text);
  if (!counts.error.empty()) return refuse(options.counts + ": " + counts.error);
  const auto format = counts.texts.find("format");
  if (format == counts.texts.end() || format->second != "tessera-counts 1")
    return refuse(options.counts + ": format: is not tessera-counts 1");
  if (const std::string missing = missing_count(counts); !missing.empty())
    return refuse(options.counts + ": " + missing + ": missing");
  const auto vlen = counts.numbers.find("vlen");
  if (vlen != counts.numbers.end() && vlen->second != 0 && vlen->second != board.values.at("vlen"))
    return refuse(options.counts + ": vlen: this core has another one");
  if (counts.numbers.at("total.instructions") == 0)
    return refuse(options.counts + ": total.instructions: nothing was counted");
  print(counts, board, predict(counts, board), options);
  return 0;
}
