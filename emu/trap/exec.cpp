// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// In front of libc's, in the preload library and with tessera::trap_start: the functions by which a
// program becomes another one. They leave the statistics behind and start riscv64 programs through the
// emulator (successor.hpp). As exec must be, they are usable in signal handlers and behind vfork: no heap.
//
// What libc calls within itself does not come here: `system` and `popen` start the shell of the
// machine below, and programs that it starts need binfmt_misc.
#include "emu/trap/counters.hpp"
#include "emu/trap/successor.hpp"
#include "emu/trap/system_call.hpp"

#include "tessera/isa/ime/text.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

extern char** environ;

namespace {

using namespace tessera::trap;

constexpr int path_capacity = 4096;
using List = char* const*;

int fail(long error) {
  errno = static_cast<int>(-error);
  return -1;
}

// Returns a negative errno, if at all.
long become(const char* path, List arguments, List environment) {
  const Room room = room_for(arguments, environment);
  auto** own_arguments = static_cast<char**>(alloca(room.arguments * sizeof(char*)));
  auto** own_environment = static_cast<char**>(alloca(room.environment * sizeof(char*)));
  char text[Room::text];
  const Successor next = make_successor({path, arguments, environment}, leave_statistics(),
                                        own_arguments, own_environment, text);
  return system_call(SYS_execve, reinterpret_cast<long>(next.path),
                     reinterpret_cast<long>(next.arguments),
                     reinterpret_cast<long>(next.environment));
}

// A file that is no program is a script for the shell.
long become_script(const char* path, List arguments, List environment) {
  std::size_t count = 0;
  while (arguments[count] != nullptr) ++count;
  auto** words = static_cast<char**>(alloca((count + 3) * sizeof(char*)));
  words[0] = const_cast<char*>("/bin/sh");
  words[1] = const_cast<char*>(path);
  std::size_t next = 2;
  for (std::size_t i = 1; i < count; ++i) words[next++] = arguments[i];
  words[next] = nullptr;
  return become(words[0], words, environment);
}

long become_or_script(const char* path, List arguments, List environment) {
  const long error = become(path, arguments, environment);
  return error == -ENOEXEC ? become_script(path, arguments, environment) : error;
}

// The PATH is searched as libc does: a folder that lacks the file, or holds one that may not be
// executed, does not end the search.
long become_found(const char* file, List arguments, List environment) {
  if (*file == '\0') return -ENOENT;
  if (std::strchr(file, '/') != nullptr) return become_or_script(file, arguments, environment);
  const char* folders = std::getenv("PATH");
  if (folders == nullptr) folders = "/bin:/usr/bin";
  bool forbidden = false;
  while (true) {
    const std::size_t length = std::strcspn(folders, ":");
    char path[path_capacity];
    tessera::ime::Text text(path, path_capacity);
    for (std::size_t i = 0; i < length; ++i) text.put(folders[i]);
    if (length > 0) text.put('/');
    text.put(file);
    const long error = become_or_script(path, arguments, environment);
    if (error == -EACCES) forbidden = true;
    if (error != -EACCES && error != -ENOENT && error != -ENOTDIR) return error;
    if (folders[length] == '\0') return forbidden ? -EACCES : -ENOENT;
    folders += length + 1;
  }
}

// The words of a variable argument list, for an array on the caller's stack.
std::size_t count_words(va_list& list) {
  std::size_t count = 1;
  while (va_arg(list, char*) != nullptr) ++count;
  return count;
}

void take_words(char** words, const char* first, va_list& list) {
  *words = const_cast<char*>(first);
  while (*words != nullptr) *++words = va_arg(list, char*);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int execve(const char* path, List arguments,
                                                  List environment) noexcept {
  return fail(become(path, arguments, environment));
}

__attribute__((visibility("default"))) int execv(const char* path, List arguments) noexcept {
  return fail(become(path, arguments, environ));
}

__attribute__((visibility("default"))) int execvpe(const char* file, List arguments,
                                                   List environment) noexcept {
  return fail(become_found(file, arguments, environment));
}

__attribute__((visibility("default"))) int execvp(const char* file, List arguments) noexcept {
  return fail(become_found(file, arguments, environ));
}

__attribute__((visibility("default"))) int execl(const char* path, const char* first,
                                                 ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::size_t count = count_words(list);
  va_end(list);
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, first);
  take_words(words, first, list);
  va_end(list);
  return fail(become(path, words, environ));
}

__attribute__((visibility("default"))) int execlp(const char* file, const char* first,
                                                  ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::size_t count = count_words(list);
  va_end(list);
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, first);
  take_words(words, first, list);
  va_end(list);
  return fail(become_found(file, words, environ));
}

__attribute__((visibility("default"))) int execle(const char* path, const char* first,
                                                  ...) noexcept {
  va_list list;
  va_start(list, first);
  const std::size_t count = count_words(list);
  va_end(list);
  auto** words = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  va_start(list, first);
  take_words(words, first, list);
  auto* environment = va_arg(list, char**);
  va_end(list);
  return fail(become(path, words, environment));
}

__attribute__((visibility("default"))) int execveat(int folder, const char* path, List arguments,
                                                    List environment, int flags) noexcept {
  char place[path_capacity];
  tessera::ime::Text text(place, path_capacity);
  if (*path != '/' && folder != AT_FDCWD) {
    text.put("/proc/self/fd/").decimal(static_cast<unsigned>(folder));
    if (*path != '\0') text.put('/');
  }
  text.put(path);
  if (needs_emulator(place)) {
    // The emulator opens the file itself, so the descriptor must survive.
    if (folder >= 0) system_call(SYS_fcntl, folder, F_SETFD, 0);
    return fail(become(place, arguments, environment));
  }
  leave_statistics();
  return static_cast<int>(syscall(SYS_execveat, folder, path, arguments, environment, flags));
}

__attribute__((visibility("default"))) int fexecve(int file, List arguments,
                                                   List environment) noexcept {
  return execveat(file, "", arguments, environment, AT_EMPTY_PATH);
}
}
