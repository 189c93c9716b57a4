// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/statistics.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tessera::run {
namespace {

namespace fs = std::filesystem;

void add_file(const fs::path& file, Statistics& statistics) {
  std::ifstream stream(file);
  std::string word;
  std::string name;
  std::uint64_t count = 0;
  while (stream >> word >> name >> count) {
    if (word != "retired") return;
    if (name == "total") {
      statistics.total += count;
    } else {
      statistics.retired[name] += count;
    }
  }
}

}  // namespace

StatisticsFolder::StatisticsFolder() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "tessera-run.XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

StatisticsFolder::~StatisticsFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

Statistics StatisticsFolder::read(int first) const {
  Statistics statistics;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    add_file(entry.path(), statistics);
    // A program that replaced itself by another has left "ID", and the other "ID.next".
    if (!entry.path().has_extension()) ++statistics.processes;
    if (entry.path().stem() == std::to_string(first)) statistics.complete = true;
  }
  return statistics;
}

}  // namespace tessera::run
