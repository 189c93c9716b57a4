// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "bench/check/worker.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace board {
namespace {

constexpr int status_of_preparation = 3;
constexpr int status_of_exception = 4;

bool write_whole(int file, const void* data, std::size_t size) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(file, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_whole(int file, void* data, std::size_t size) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(file, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

// Emulators and runtimes comment on a death, and it leaves no core file.
void be_quiet() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

[[noreturn]] void work(int to, Progress& progress, const std::function<std::string()>& prepare,
                       const std::vector<Item>& items, std::size_t next) {
  be_quiet();
  try {
    if (const std::string error = prepare(); !error.empty()) {
      progress.begin(error);
      _exit(status_of_preparation);
    }
    for (; next < items.size(); ++next) {
      progress.steps = 0;
      progress.begin("");
      const std::string text = items[next](progress);
      const std::uint64_t size = text.size();
      if (!write_whole(to, &size, sizeof size) || !write_whole(to, text.data(), size)) _exit(1);
    }
  } catch (const std::exception& e) {
    progress.begin(e.what());
    _exit(status_of_exception);
  }
  _exit(0);
}

struct Shared {
  Shared()
      : progress(static_cast<Progress*>(mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                                             MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~Shared() { munmap(progress, sizeof(Progress)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  Progress* progress;
};

// Outcomes of the items from `next` on until the worker ends; returns its status.
int one_worker(Progress& progress, const std::function<std::string()>& prepare,
               const std::vector<Item>& items, std::size_t& next, std::vector<Outcome>& outcomes) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    close(ends[0]);
    work(ends[1], progress, prepare, items, next);
  }
  close(ends[1]);
  std::uint64_t size = 0;
  while (next < items.size() && read_whole(ends[0], &size, sizeof size)) {
    std::string text(size, '\0');
    if (!read_whole(ends[0], text.data(), size)) break;
    outcomes[next].finished = true;
    outcomes[next++].text = std::move(text);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void Progress::begin(const std::string& text) {
  std::snprintf(step, sizeof step, "%s", text.c_str());
}

std::vector<Outcome> in_workers(const std::function<std::string()>& prepare,
                                const std::vector<Item>& items) {
  const Shared shared;
  std::vector<Outcome> outcomes(items.size());
  std::size_t next = 0;
  while (next < items.size()) {
    const int status = one_worker(*shared.progress, prepare, items, next, outcomes);
    if (next == items.size()) break;
    Outcome& died = outcomes[next];
    died.signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    died.steps = shared.progress->steps;
    died.step = shared.progress->step;
    if (status < 0) died.step = "no process can be started";
    const bool hopeless =
        status < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == status_of_preparation);
    if (hopeless) {
      for (std::size_t i = next + 1; i < items.size(); ++i) outcomes[i] = died;
      break;
    }
    ++next;
  }
  return outcomes;
}

std::string killed_by(int signal) {
  if (signal == 0) return "an error";
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find('\n', at);
    if (end == text.npos) end = text.size();
    std::vector<std::string> fields;
    while (true) {
      const std::size_t tab = text.find('\t', at);
      if (tab == text.npos || tab >= end) break;
      fields.push_back(text.substr(at, tab - at));
      at = tab + 1;
    }
    fields.push_back(text.substr(at, end - at));
    lines.push_back(std::move(fields));
    at = end + 1;
  }
  return lines;
}

}  // namespace board
