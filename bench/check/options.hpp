// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The command line.
#ifndef TESSERA_BENCH_CHECK_OPTIONS_HPP_
#define TESSERA_BENCH_CHECK_OPTIONS_HPP_

#include <string>
#include <vector>

namespace board {

struct Options {
  std::string json = "tessera-check.json";
  std::string markdown = "tessera-check.md";
  std::vector<int> cores;  ///< none: one of each kind
  bool quick = false;
  bool instructions = true;
  bool questions = true;
  bool kernels = true;
  bool speed = true;
  bool help = false;
  std::string error;  ///< what is wrong with the words, or empty
};

Options read_options(int argc, char** argv);

/// "0-3,8": a list without gaps of ascending numbers; empty if the text is none.
std::vector<int> numbers_of(const std::string& list);
/// The other way round.
std::string list_of(const std::vector<int>& numbers);

extern const char usage[];

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_OPTIONS_HPP_
