// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Collecting what the runtime of every process of a run counted.
#ifndef TESSERA_EMU_RUN_STATISTICS_HPP_
#define TESSERA_EMU_RUN_STATISTICS_HPP_

#include <cstdint>
#include <map>
#include <string>

namespace tessera::run {

/// Sums over all processes.
struct Statistics {
  std::map<std::string, std::uint64_t> retired;
  std::uint64_t total = 0;
  int processes = 0;      ///< that left counts
  bool complete = false;  ///< the first process is among them
};

/// A folder into which the processes write, removed at the end.
class StatisticsFolder {
 public:
  StatisticsFolder();
  ~StatisticsFolder();
  StatisticsFolder(const StatisticsFolder&) = delete;
  StatisticsFolder& operator=(const StatisticsFolder&) = delete;

  /// Empty where no folder could be made.
  const std::string& path() const { return path_; }
  /// The value of TESSERA_TRAP_STATS.
  std::string pattern() const { return path_ + "/%p"; }
  /// Reads what was written by now. `first` is the process id of the program.
  Statistics read(int first) const;

 private:
  std::string path_;
};

}  // namespace tessera::run

#endif  // TESSERA_EMU_RUN_STATISTICS_HPP_
