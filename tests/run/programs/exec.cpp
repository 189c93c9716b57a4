// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// exec: starts itself in every way there is, executing matrix instructions on both sides.
//   exec              10 rows, then a child for each way that executes 10 rows and starts "exec leaf",
//                     and posix_spawn and posix_spawnp from the parent
//   exec leaf WORD... 100 rows; checks its words
//   exec shell        10 rows, then the same through system(): needs binfmt_misc
//   exec become       10 rows, then becomes "exec leaf" without a child
#include "tests/run/programs/rows.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>
#include <string>

extern char** environ;

namespace {

const char* self = nullptr;
char leaf_word[] = "leaf";
char odd_word[] = "two words, and \"more\"";
char empty_word[] = "";
char given_name[] = "given name";

bool work(std::uint32_t seed, long rows) {
  run_tests::Rows own(seed);
  own.run(rows);
  return own.right();
}

int leaf(int count, char** words) {
  const bool by_shell = std::strcmp(words[1], "leaf") != 0;  // which gives no name
  const bool named = by_shell || std::strcmp(words[0], given_name) == 0;
  const bool arrived =
      count == 4 && named && std::strcmp(words[2], odd_word) == 0 && *words[3] == '\0';
  return arrived && work(5, 100) ? 0 : 1;
}

char* const leaf_words[] = {given_name, leaf_word, odd_word, empty_word, nullptr};
char* const no_variables[] = {nullptr};

std::string folder() {
  return std::string(self).substr(0, std::string(self).rfind('/'));
}
const char* name() {
  return std::strrchr(self, '/') + 1;
}

void by_execv() {
  execv(self, leaf_words);
}
void by_execve() {
  execve(self, leaf_words, environ);
}
void by_execve_without_variables() {
  execve(self, leaf_words, no_variables);
}
void by_execvp() {
  setenv("PATH", ("/none:" + folder()).c_str(), 1);
  execvp(name(), leaf_words);
}
void by_execvpe() {
  setenv("PATH", folder().c_str(), 1);
  execvpe(name(), leaf_words, no_variables);
}
void by_execl() {
  execl(self, given_name, leaf_word, odd_word, empty_word, nullptr);
}
void by_execlp() {
  execlp(self, given_name, leaf_word, odd_word, empty_word, nullptr);
}
void by_execle() {
  execle(self, given_name, leaf_word, odd_word, empty_word, nullptr, no_variables);
}
void by_fexecve() {
  fexecve(open(self, O_RDONLY | O_CLOEXEC), leaf_words, environ);
}
void by_execveat() {
  execveat(open(folder().c_str(), O_RDONLY | O_DIRECTORY), name(), leaf_words, environ, 0);
}
// A failure must leave this program as it is.
void after_a_failure() {
  if (execv("/none", leaf_words) != -1) _exit(7);
  if (execvp("surely-no-program", leaf_words) != -1) _exit(8);
  execv(self, leaf_words);
}

struct Way {
  const char* name;
  void (*start)();
};
constexpr Way ways[] = {{"execv", by_execv},
                        {"execve", by_execve},
                        {"execve without variables", by_execve_without_variables},
                        {"execvp", by_execvp},
                        {"execvpe", by_execvpe},
                        {"execl", by_execl},
                        {"execlp", by_execlp},
                        {"execle", by_execle},
                        {"fexecve", by_fexecve},
                        {"execveat", by_execveat},
                        {"execv after a failure", after_a_failure}};

bool ended_well(pid_t process, const char* way) {
  int status = -1;
  const bool right = waitpid(process, &status, 0) == process && status == 0;
  if (!right) std::printf("%s: status 0x%x\n", way, static_cast<unsigned>(status));
  return right;
}

bool try_way(const Way& way) {
  const pid_t process = fork();
  if (process == 0) {
    if (work(3, 10)) way.start();
    _exit(9);
  }
  return ended_well(process, way.name);
}

// In a static program libc's posix_spawn cannot be stood in front of.
bool spawn() {
#ifdef TESSERA_TESTS_STATIC
  return true;
#endif
  pid_t process = 0;
  if (posix_spawn(&process, self, nullptr, nullptr, leaf_words, environ) != 0) return false;
  if (!ended_well(process, "posix_spawn")) return false;
  setenv("PATH", folder().c_str(), 1);
  if (posix_spawnp(&process, name(), nullptr, nullptr, leaf_words, no_variables) != 0) return false;
  return ended_well(process, "posix_spawnp");
}

// The machine's own programs get no runtime that they could not load.
bool foreign_program() {
  if (access("/bin/sh", X_OK) != 0) return true;  // there are none
  std::string text;
  FILE* pipe = popen("exec 2>&1; sh -c 'echo $0 $LD_PRELOAD' foreign", "r");
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const bool right = pipe != nullptr && pclose(pipe) == 0 && text == "foreign\n";
  if (!right) std::printf("popen: %s\n", text.c_str());
  return right;
}

bool shell() {
  const std::string command =
      std::string("exec '") + self + "' leaf-of-shell 'two words, and \"more\"' ''";
  return system(command.c_str()) == 0;
}

}  // namespace

int main(int count, char** words) {
  const char* what = count > 1 ? words[1] : "";
  if (std::strncmp(what, "leaf", 4) == 0) return leaf(count, words);
  self = words[0];
  if (std::strchr(self, '/') == nullptr) return 2;
  bool right = work(1, 10);
  if (std::strcmp(what, "become") == 0) {
    by_execv();
    return 9;
  }
  if (std::strcmp(what, "shell") == 0) return run_tests::verdict("exec", right && shell());
  for (const Way& way : ways) right = try_way(way) && right;
  right = foreign_program() && right;
  right = spawn() && right;
  return run_tests::verdict("exec", right);
}
