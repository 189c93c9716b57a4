// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Starting a program and telling how it ended.
#ifndef TESSERA_EMU_RUN_CHILD_HPP_
#define TESSERA_EMU_RUN_CHILD_HPP_

#include <string>
#include <utility>
#include <vector>

namespace tessera::run {

using Words = std::vector<std::string>;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// How a program ended.
struct Ended {
  int status = 0;     ///< exit status; meaningless where a signal ended it
  int signal = 0;     ///< the signal, or 0
  int process = 0;    ///< its process id
  std::string error;  ///< not empty: it could not be started
};

enum class Output { shown, dropped };

/// Runs a command to its end, with the variables of `settings` besides this process's own. Meanwhile
/// signals sent to this process go on to it. `keep` is a descriptor that it shall have, or -1.
Ended run_to_end(const Words& command, const Settings& settings, Output output = Output::shown,
                 int keep = -1);

/// What a command prints, standard error included; empty where it cannot be started.
std::string output_of(const Words& command);

/// Ends this process as the other ended: the same status, or death by the same signal.
[[noreturn]] void end_like(const Ended& ended);

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_CHILD_HPP_
