// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/options.hpp"

#include <charconv>
#include <cstring>

namespace board {
namespace {

// A part of the check in --only.
bool* part(Options& options, const std::string& name) {
  if (name == "instructions") return &options.instructions;
  if (name == "questions") return &options.questions;
  if (name == "kernels") return &options.kernels;
  if (name == "speed") return &options.speed;
  return nullptr;
}

void choose_parts(Options& options, const std::string& list) {
  options.instructions = options.questions = options.kernels = options.speed = false;
  std::size_t at = 0;
  while (at <= list.size()) {
    std::size_t end = list.find(',', at);
    if (end == list.npos) end = list.size();
    bool* chosen = part(options, list.substr(at, end - at));
    if (chosen == nullptr) {
      options.error = "--only " + list + ": instructions, questions, kernels, speed";
      return;
    }
    *chosen = true;
    at = end + 1;
  }
}

// Reads a number at `at` and moves behind it.
bool number(const char*& at, const char* end, int& value) {
  const auto [next, error] = std::from_chars(at, end, value);
  const bool good = error == std::errc() && value >= 0 && value < 8192;
  at = next;
  return good;
}

}  // namespace

const char usage[] =
    "tessera-check [--cores 0-3,8] [--quick] [--only instructions,questions,kernels,speed]\n"
    "              [--json FILE] [--markdown FILE]\n"
    "Checks the cores of this machine against the model and writes tessera-check.json and .md.\n"
    "Without --cores: one core of each kind. Exit 0: all as the model has it; 1: not; 2: "
    "refused.\n";

std::vector<int> numbers_of(const std::string& list) {
  std::vector<int> numbers;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (true) {
    int first = 0;
    if (!number(at, end, first)) return {};
    int last = first;
    if (at != end && *at == '-' && !number(++at, end, last)) return {};
    for (int n = first; n <= last; ++n) numbers.push_back(n);
    if (at == end) return numbers;
    if (*at++ != ',') return {};
  }
}

std::string list_of(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last;
  }
  return text;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc && options.error.empty(); ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.quick = true;
    } else if (word == "--help") {
      options.help = true;
    } else if (word == "--json" || word == "--markdown" || word == "--cores" || word == "--only") {
      if (++i == argc) {
        options.error = word + ": needs a value";
      } else if (word == "--json") {
        options.json = argv[i];
      } else if (word == "--markdown") {
        options.markdown = argv[i];
      } else if (word == "--only") {
        choose_parts(options, argv[i]);
      } else {
        options.cores = numbers_of(argv[i]);
        if (options.cores.empty())
          options.error = "--cores " + std::string(argv[i]) + ": numbers such as 0-3,8";
      }
    } else {
      options.error = word + ": no such option";
    }
  }
  return options;
}

}  // namespace board
