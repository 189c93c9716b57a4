// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// Runs something in a child process: how it ended, and what it wrote to stderr.
#ifndef TESSERA_TESTS_TRAP_CHILD_HPP_
#define TESSERA_TESTS_TRAP_CHILD_HPP_

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>

namespace trap_tests {

struct Ended {
  int signal = 0;     ///< that killed it, or 0
  int status = -1;    ///< exit status, or -1
  std::string error;  ///< its stderr
};

template <class Function>
Ended run_in_child(Function function) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    function();
    _exit(0);
  }
  close(ends[1]);
  Ended ended;
  char buffer[512];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    ended.error.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child) return ended;
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  return ended;
}

}  // namespace trap_tests

#endif  // TESSERA_TESTS_TRAP_CHILD_HPP_
