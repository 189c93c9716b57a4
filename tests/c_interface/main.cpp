// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// main.cpp FILE: compares what the C interface gives, called from C99 and natively from C++11 and C++17 too, with the
// digests in FILE, which the C++ interface has written (expected.cpp).
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/c_interface/calls.h"

namespace {

struct Line {
  std::string name;
  std::uint64_t hash;
};
std::vector<Line> lines;

void record(const char* name, std::uint64_t hash) {
  lines.push_back({name, hash});
}

std::vector<Line> read(const char* path) {
  std::vector<Line> all;
  char name[100];
  std::uint64_t hash = 0;
  if (std::FILE* file = std::fopen(path, "r")) {
    while (std::fscanf(file, "%" SCNx64 " %99[^\n]", &hash, name) == 2) all.push_back({name, hash});
    std::fclose(file);
  }
  return all;
}

int compare(const char* who, const std::vector<Line>& want) {
  int differences = want.empty() || lines.size() != want.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < want.size() && lines[i].name == want[i].name && lines[i].hash == want[i].hash) continue;
    if (++differences <= 5)
      std::printf("%s: result %zu, %s, is %016" PRIx64 "\n", who, i, lines[i].name.c_str(),
                  lines[i].hash);
  }
  std::printf("%s: %zu results, %d differ from the file\n", who, lines.size(), differences);
  return differences;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<Line> want = read(argv[1]);
  int failures = 0;
  struct {
    const char* name;
    int (*calls)(call_record);
  } const languages[] = {
      {"C99", calls_c99},
#ifdef TESSERA_NATIVE
      {"C++11", calls_cxx11},
      {"C++17", calls_cxx17},
#endif
  };
  for (const auto& language : languages) {
    lines.clear();
    const int wrong = language.calls(record);
    failures += wrong + compare(language.name, want);
    if (wrong != 0) std::printf("%s: %d wrong statuses\n", language.name, wrong);
  }
  return failures == 0 ? 0 : 1;
}
