// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// Work in child processes. What may kill a process (an instruction that is not there, a rule that the
/// core enforces) kills a worker, and the next one goes on behind it. The parent itself executes no
/// vector instruction, so that each worker can choose its core before its first one.
#ifndef TESSERA_BENCH_CHECK_WORKER_HPP_
#define TESSERA_BENCH_CHECK_WORKER_HPP_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace board {

/// What an item is doing, readable after its death.
struct Progress {
  std::size_t steps;  ///< finished
  char step[224];     ///< the one that is being done

  void begin(const std::string& text);
  void end() { ++steps; }
};

/// Result as text, lines of fields separated by tabs.
using Item = std::function<std::string(Progress&)>;

struct Outcome {
  bool finished = false;
  int signal = 0;  ///< where not finished: what killed it, or 0
  std::string text;
  std::size_t steps = 0;
  std::string step;
};

/// Runs the items in order, one outcome each. `prepare` is called first in every worker; an error that
/// it returns ends the worker, and all outcomes are unfinished with this error as their step.
std::vector<Outcome> in_workers(const std::function<std::string()>& prepare,
                                const std::vector<Item>& items);

/// "signal 4 (Illegal instruction)", or "an error" for 0.
std::string killed_by(int signal);

/// The fields of each line.
std::vector<std::vector<std::string>> fields_of(const std::string& text);

}  // namespace board

#endif  // TESSERA_BENCH_CHECK_WORKER_HPP_
