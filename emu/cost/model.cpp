// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/cost/model.hpp"

#include <charconv>

namespace tessera::cost {
namespace {

constexpr std::string_view keys[] = {"clock_ghz",
                                     "vlen",
                                     "issue_width",
                                     "dot",
                                     "float_dot",
                                     "layout",
                                     "vset",
                                     "arithmetic_register",
                                     "divide_register",
                                     "gather",
                                     "gather_element",
                                     "load_instruction",
                                     "load_register",
                                     "store_register",
                                     "scattered_access",
                                     "scattered_element",
                                     "store_instruction"};

constexpr std::string_view counted[] = {
    "total.instructions",      "total.vset",          "total.arithmetic_registers",
    "total.divided_registers", "total.gathers",       "total.gathered_elements",
    "total.ime_dot",           "total.ime_float_dot", "total.ime_layout"};
constexpr std::string_view accesses[] = {"unit", "whole", "strided", "indexed", "segment"};

// Lines of `text`, without the empty ones and the comments.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && line[0] != '#') lines.push_back(line);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

bool is_key(std::string_view name) {
  for (const std::string_view key : keys)
    if (key == name) return true;
  return false;
}

// Loads or stores of one kind, times their costs.
double access_cost(const JsonValues& counts, const Board& board, std::string_view direction) {
  const bool load = direction == "loads";
  const auto number = [&](std::string_view kind, const char* what) {
    const std::string path =
        "total." + std::string(direction) + "." + std::string(kind) + "." + what;
    return counts.numbers.at(path);
  };
  const auto cost = [&](const char* key) { return board.values.at(key); };
  double cycles = 0;
  for (const std::string_view kind : accesses) {
    if (kind == "unit" || kind == "whole") {
      cycles +=
          number(kind, "instructions") * cost(load ? "load_instruction" : "store_instruction") +
          number(kind, "registers") * cost(load ? "load_register" : "store_register");
    } else {
      cycles += number(kind, "instructions") * cost("scattered_access") +
                number(kind, "elements") * cost("scattered_element");
    }
  }
  return cycles;
}

}  // namespace

Board read_board(std::string_view text) {
  Board board;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t first = line.find('\t');
    const std::size_t second = line.find('\t', first == line.npos ? first : first + 1);
    const std::string key(line.substr(0, first));
    double value = 0;
    bool good = second != line.npos;
    if (good) {
      const char* end = line.data() + second;
      good = std::from_chars(line.data() + first + 1, end, value).ptr == end && value >= 0;
    }
    if (!good) {
      board.error =
          key + ": KEY, VALUE and TEXT are separated by tabs, VALUE is a number from 0 on";
    } else if (!is_key(key)) {
      board.error = key + ": no such parameter";
    } else if (!board.values.emplace(key, value).second) {
      board.error = key + ": given twice";
    }
    if (!board.error.empty()) return board;
    board.assumptions.push_back(key + " " +
                                std::string(line.substr(first + 1, second - first - 1)) + ": " +
                                std::string(line.substr(second + 1)));
  }
  for (const std::string_view key : keys)
    if (board.values.count(std::string(key)) == 0) board.error = std::string(key) + ": missing";
  if (board.error.empty() && (board.values["issue_width"] == 0 || board.values["clock_ghz"] == 0))
    board.error = "issue_width and clock_ghz: must be above 0";
  return board;
}

std::string missing_count(const JsonValues& counts) {
  std::vector<std::string> wanted(std::begin(counted), std::end(counted));
  for (const char* direction : {"loads", "stores"})
    for (const std::string_view kind : accesses)
      for (const char* what : {"instructions", "registers", "elements"})
        wanted.push_back("total." + std::string(direction) + "." + std::string(kind) + "." + what);
  for (const std::string& path : wanted)
    if (counts.numbers.count(path) == 0) return path;
  return {};
}

Prediction predict(const JsonValues& counts, const Board& board) {
  const auto number = [&](const char* name) {
    return counts.numbers.at(std::string("total.") + name);
  };
  const auto cost = [&](const char* key) { return board.values.at(key); };
  Prediction p{};
  p.matrix = number("ime_dot") * cost("dot") + number("ime_float_dot") * cost("float_dot") +
             number("ime_layout") * cost("layout");
  p.vector =
      number("vset") * cost("vset") + number("arithmetic_registers") * cost("arithmetic_register") +
      number("divided_registers") * cost("divide_register") + number("gathers") * cost("gather") +
      number("gathered_elements") * cost("gather_element");
  p.memory = access_cost(counts, board, "loads") + access_cost(counts, board, "stores");
  p.issue = number("instructions") / cost("issue_width");
  p.serial = p.matrix + p.vector + p.memory + p.issue;
  const struct {
    const char* name;
    double cycles;
  } parts[] = {
      {"matrix", p.matrix}, {"vector", p.vector}, {"memory", p.memory}, {"issue", p.issue}};
  for (const auto& part : parts) {
    if (p.bound == nullptr || part.cycles > p.cycles) {
      p.bound = part.name;
      p.cycles = part.cycles;
    }
  }
  return p;
}

}  // namespace tessera::cost
