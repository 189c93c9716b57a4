// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// The backends of this flavour (tests/backend/tested_here.hpp) against the digests of the repository.
//
//   tessera_identity [--digests FILE]   compare all backends; exit 0 if all agree, 1 if not
//   tessera_identity --write FILE       scalar's digests, each checked against float64 first
//   tessera_identity --list             scalar's digests to standard output
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/identity/runs.hpp"
#include "tests/kernels/meant.hpp"
#include "tests/support/host_cpu.hpp"
#if TESSERA_WITH_TRAP
#include "emu/trap/tessera_trap.h"
#endif

namespace identity {
namespace {

/// Is this a build with some of the sources?
#ifdef TESSERA_IDENTITY_PART
constexpr bool part = true;
#else
constexpr bool part = false;
#endif

Runs run_all(const char* only, bool check) {
  Runs runs{only, check};
  for (const Group& group : groups)
    if (group.add != nullptr) group.add(runs);
  return runs;
}

std::string line_of(const Result& r) {
  char hash[32];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(r.digest));
  return r.name + "\t" + hash + "\n";
}

/// The file's digests by name; a line is NAME<TAB>HASH.
bool read_digests(const char* path, std::map<std::string, std::string>& digests) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos) return false;
    if (!digests.emplace(line.substr(0, tab), line.substr(tab + 1)).second) return false;
  }
  return !digests.empty();
}

/// Scalar's digests as text; empty, after a message, if a case is far from float64 or not in this program.
std::string checked_digests() {
  if (part) {
    std::fprintf(stderr, "this program has a part of the cases\n");
    return "";
  }
  const Runs runs = run_all("scalar", true);
  if (runs.runs.empty()) {
    std::fprintf(stderr, "this flavour leaves scalar to others\n");
    return "";
  }
  std::string text;
  std::size_t near = 0;
  std::size_t far = 0;
  for (const Result& r : runs.runs[0].results) {
    near += r.accuracy == Accuracy::near;
    if (r.accuracy == Accuracy::far) {
      ++far;
      std::fprintf(stderr, "far from float64: %s\n", r.name.c_str());
    }
    text += line_of(r);
  }
  std::fprintf(stderr, "cases %zu, within float64's limits %zu, without reference %zu, far %zu\n",
               runs.runs[0].results.size(), near, runs.runs[0].results.size() - near - far, far);
  return far == 0 ? text : "";
}

int write(const char* path) {
  const std::string text = checked_digests();
  if (text.empty()) return 1;
  if (std::strcmp(path, "-") == 0) return std::fputs(text.c_str(), stdout) < 0;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    std::fprintf(stderr, "cannot write %s\n", path);
    return 1;
  }
  return 0;
}

/// Prints each difference; true if the run has exactly the file's cases, less those left out and those of absent sources,
/// with the file's digests.
bool same(const Run& run, const std::map<std::string, std::string>& digests) {
  std::size_t wrong = 0;
  for (const Result& r : run.results) {
    const std::string line = line_of(r);
    const std::string hash = line.substr(r.name.size() + 1, 16);
    const auto known = digests.find(r.name);
    if (known != digests.end() && known->second == hash) continue;
    ++wrong;
    std::printf("%s\t%s\t%s instead of %s\n", run.backend.c_str(), r.name.c_str(), hash.c_str(),
                known == digests.end() ? "(not in the file)" : known->second.c_str());
  }
  for (const std::string& name : run.left_out) {
    if (digests.count(name) != 0) continue;
    ++wrong;
    std::printf("%s\t%s\tleft out, and not in the file\n", run.backend.c_str(), name.c_str());
  }
  const std::size_t cases = run.results.size() + run.left_out.size();
  const bool enough = part ? cases != 0 : cases == digests.size();
  if (cases != digests.size())
    std::printf("%s: %zu cases, the file has %zu\n", run.backend.c_str(), cases, digests.size());
  std::printf("backend %s: checked %zu mismatched %zu left out %zu\n", run.backend.c_str(),
              run.results.size(), wrong, run.left_out.size());
  return wrong == 0 && enough;
}

int compare(const char* path) {
  std::map<std::string, std::string> digests;
  if (!read_digests(path, digests)) {
    std::fprintf(stderr, "%s: not a file of digests\n", path);
    return 1;
  }
  bool all_same = true;
  std::vector<std::string> ran;
  for (const Run& run : run_all("", false).runs) {
    all_same &= same(run, digests);
    ran.push_back(run.backend);
  }
  std::vector<std::string> meant = tessera_test::meant_backends();
  std::erase_if(meant, [](const auto& name) { return !tessera_test::compared_here(name); });
  if (ran == meant) return all_same ? 0 : 1;
  for (const std::string& name : meant) std::printf("this run is meant for %s\n", name.c_str());
  return 1;
}

}  // namespace
}  // namespace identity

int main(int argc, char** argv) {
  if (const char* missing = tessera_test::missing_extension()) {
    std::printf("skipped: this CPU has no %s\n", missing);
    return 77;
  }
#if TESSERA_WITH_TRAP
  tessera_trap_install();
#endif
  const std::string option = argc > 1 ? argv[1] : "";
  if (argc == 1) return identity::compare(TESSERA_TESTS_DIR "/identity/digests.txt");
  if (argc == 2 && option == "--list") return identity::write("-");
  if (argc == 3 && option == "--digests") return identity::compare(argv[2]);
  if (argc == 3 && option == "--write") return identity::write(argv[2]);
  std::fprintf(stderr, "usage: %s [--digests FILE | --write FILE | --list]\n", argv[0]);
  return 2;
}
