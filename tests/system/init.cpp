// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The first process of a machine that exists for the tests: runs each line of /programs (a path and at
// most one word), says how it ended, and switches the machine off.
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>

namespace {

void run(char* line) {
  char* word = std::strchr(line, ' ');
  if (word != nullptr) *word++ = '\0';
  const pid_t process = fork();
  if (process == 0) {
    char* const words[] = {line, word, nullptr};
    execve(line, words, environ);  // NAME=VALUE of the kernel's command line
    _exit(127);
  }
  int status = -1;
  waitpid(process, &status, 0);
  std::printf("ended %s %d\n", line, status);
}

}  // namespace

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::puts("init begins");
  mkdir("/proc", 0555);
  mount("proc", "/proc", "proc", 0, nullptr);
  FILE* programs = std::fopen("/programs", "r");
  char line[256];
  while (programs != nullptr && std::fgets(line, sizeof line, programs) != nullptr) {
    line[std::strcspn(line, "\n")] = '\0';
    run(line);
  }
  std::puts("init ends");
  sync();
  reboot(RB_POWER_OFF);
  return 1;
}
