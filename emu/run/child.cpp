// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/run/child.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace tessera::run {
namespace {

constexpr int passed_on[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int status_of_signal = 128;

volatile std::sig_atomic_t child = 0;

// What a terminal sends goes to the whole process group, the child included.
void pass_on(int signal, siginfo_t* info, void*) {
  if (info->si_code <= 0 && child > 0) kill(static_cast<pid_t>(child), signal);
}

void watch_signals(struct sigaction* previous) {
  struct sigaction action{};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : passed_on) sigaction(signal, &action, previous++);
}

void unwatch_signals(const struct sigaction* previous) {
  for (const int signal : passed_on) sigaction(signal, previous++, nullptr);
}

std::vector<char*> pointers(const Words& command) {
  std::vector<char*> result;
  for (const std::string& word : command) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become(const Words& command, const Settings& settings, int error_end) {
  for (const auto& [name, value] : settings) setenv(name.c_str(), value.c_str(), 1);
  execv(command.front().c_str(), pointers(command).data());
  const int error = errno;
  if (write(error_end, &error, sizeof error) < 0) _exit(126);
  _exit(127);
}

void drop_output() {
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 0);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
}

Ended wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return {.error = std::strerror(errno)};
  }
  Ended ended;
  ended.process = process;
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
    ended.status = status_of_signal + ended.signal;
  } else {
    ended.status = WEXITSTATUS(status);
  }
  return ended;
}

}  // namespace

Ended run_to_end(const Words& command, const Settings& settings, Output output, int keep) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {.error = std::strerror(errno)};
  struct sigaction previous[std::size(passed_on)];
  watch_signals(previous);
  const pid_t process = fork();
  if (process == 0) {
    unwatch_signals(previous);
    if (output == Output::dropped) drop_output();
    if (keep >= 0) fcntl(keep, F_SETFD, 0);
    become(command, settings, ends[1]);
  }
  child = process;
  close(ends[1]);
  int error = process < 0 ? errno : 0;
  const bool failed = process < 0 || read(ends[0], &error, sizeof error) == sizeof error;
  close(ends[0]);
  Ended ended;
  if (process > 0) ended = wait_for(process);
  child = 0;
  unwatch_signals(previous);
  if (failed) ended.error = std::strerror(error);
  return ended;
}

std::string output_of(const Words& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execv(command.front().c_str(), pointers(command).data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (process < 0 || wait_for(process).status == 127) return {};
  return text;
}

void end_like(const Ended& ended) {
  if (ended.signal != 0) {
    const rlimit no_core{0, 0};  // the other process has left one if one was wanted
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(ended.signal, SIG_DFL);
    raise(ended.signal);
  }
  std::exit(ended.status);
}

}  // namespace tessera::run
