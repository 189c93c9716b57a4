// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/speed.hpp"

#include <map>
#include <string_view>

#include "bench/check/stopwatch.hpp"
#include "emu/cost/model.hpp"

extern "C" {
// stored_files.S
extern const char tessera_stored_k1[];
extern const char tessera_stored_k1_end[];
extern const char tessera_stored_a100[];
extern const char tessera_stored_a100_end[];
extern const char tessera_stored_latencies[];
extern const char tessera_stored_latencies_end[];
extern const char tessera_stored_predictions[];
extern const char tessera_stored_predictions_end[];
}

namespace board {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// "k1", "a100", or "" where there is no model of the core.
std::string board_of(const CoreReport& report) {
  if (report.core == "x60" || report.core == "a60") return "k1";
  return report.core == "a100" ? "a100" : "";
}

/// Expected cycles by key: the cost model's, and "dot latency", "dot throughput", ...
std::map<std::string, double> expectations(const std::string& board) {
  if (board.empty()) return {};
  auto cycles = tessera::cost::read_board(
                    board == "k1" ? between(tessera_stored_k1, tessera_stored_k1_end)
                                  : between(tessera_stored_a100, tessera_stored_a100_end))
                    .values;
  cycles["load_1"] = cycles["load_instruction"] + cycles["load_register"];
  cycles["load_8"] = cycles["load_instruction"] + 8 * cycles["load_register"];
  cycles["store_1"] = cycles["store_instruction"] + cycles["store_register"];
  for (const auto& f :
       fields_of(std::string(between(tessera_stored_latencies, tessera_stored_latencies_end)))) {
    if (f.size() != 4 || f[0] != board) continue;
    cycles[f[1] + " latency"] = std::stod(f[2]);
    cycles[f[1] + " throughput"] = std::stod(f[3]);
  }
  return cycles;
}

// Additions that wait for one another, a cycle each.
std::string time_cycle() {
  constexpr int additions = 64 * 16;
  const double all = nanoseconds([] {
    unsigned long x = 0;  // local, so that they stay in registers
    unsigned long y = 1;
    for (int i = 0; i < additions / 16; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < 16; ++j) {
        x += y;
        asm volatile("" : "+r"(x), "+r"(y));
      }
    }
  });
  return std::to_string(all / additions);
}

void add_instructions(const std::function<std::string()>& prepare, const std::string& board,
                      CoreReport& report) {
  const auto expected = expectations(board);
  const auto speed_items = instruction_speed_items();
  std::vector<Item> items;
  for (const SpeedItem& item : speed_items) items.push_back(item.item);
  const auto outcomes = in_workers(prepare, items);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].finished) continue;
    for (const auto& fields : fields_of(outcomes[i].text)) {
      const auto known = expected.find(fields[2]);
      report.speeds.push_back({speed_items[i].name, fields[0],
                               std::stod(fields[1]) * report.clock_ghz,
                               known == expected.end() ? 0 : known->second});
    }
  }
}

struct PredictedCase {
  KernelCase kernel;
  double cycles;
};

/// The rows of predictions.tsv for a board, or those for any core.
std::vector<PredictedCase> cases_of(const std::string& board) {
  std::vector<PredictedCase> rows;
  for (const auto& f : fields_of(
           std::string(between(tessera_stored_predictions, tessera_stored_predictions_end)))) {
    if (f.size() != 4 || f[0] != (board.empty() ? "any" : board)) continue;
    rows.push_back({{f[1], f[2]}, std::stod(f[3])});
  }
  return rows;
}

void add_kernels(const std::function<std::string()>& prepare, const std::string& board,
                 CoreReport& report) {
  const auto rows = cases_of(board);
  std::vector<Item> items;
  for (const PredictedCase& row : rows)
    items.push_back([&](Progress&) {
      const Timed timed = time_of(row.kernel);
      return std::to_string(timed.nanoseconds) + "\t" + std::to_string(timed.work) + "\n";
    });
  const auto outcomes = in_workers(prepare, items);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!outcomes[i].finished) continue;
    const auto fields = fields_of(outcomes[i].text).at(0);
    const double cycles = std::stod(fields[0]) * report.clock_ghz;
    const double work = std::stod(fields[1]);
    if (cycles == 0) continue;
    const KernelCase& kernel = rows[i].kernel;
    const bool sums = kernel.words.starts_with("matmul") || kernel.words.starts_with("attention");
    report.speeds.push_back({kernel.words + ", " + kernel.backend,
                             sums ? "multiply-accumulates per cycle" : "elements per cycle",
                             work / cycles, rows[i].cycles > 0 ? work / rows[i].cycles : 0});
  }
}

}  // namespace

void measure_speeds(const std::function<std::string()>& prepare, CoreReport& report) {
  const std::string board = board_of(report);
  const auto cycle = in_workers(prepare, {[](Progress&) { return time_cycle(); }});
  if (!cycle[0].finished) return;
  report.clock_ghz = 1 / std::stod(cycle[0].text);
  add_instructions(prepare, board, report);
  add_kernels(prepare, board, report);
}

}  // namespace board
