// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// For the preload library only: posix_spawn of riscv64 programs through the emulator.
#include "emu/trap/successor.hpp"

#include "tessera/isa/ime/text.hpp"

#include <dlfcn.h>
#include <spawn.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>

namespace {

using namespace tessera::trap;

constexpr int path_capacity = 4096;
using List = char* const*;
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, List, List);

Spawn next_spawn(const char* name) {
  return reinterpret_cast<Spawn>(dlsym(RTLD_NEXT, name));
}

// The first executable of that name on the PATH, into `path`; false: there is none.
bool find_on_path(const char* file, char* path) {
  const char* folders = std::getenv("PATH");
  if (folders == nullptr) folders = "/bin:/usr/bin";
  while (true) {
    const std::size_t length = std::strcspn(folders, ":");
    tessera::ime::Text text(path, path_capacity);
    for (std::size_t i = 0; i < length; ++i) text.put(folders[i]);
    if (length > 0) text.put('/');
    text.put(file);
    if (access(path, X_OK) == 0) return true;
    if (folders[length] == '\0') return false;
    folders += length + 1;
  }
}

int spawn(pid_t* process, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, List arguments, List environment) {
  const Room room = room_for(arguments, environment);
  auto** own_arguments = static_cast<char**>(alloca(room.arguments * sizeof(char*)));
  auto** own_environment = static_cast<char**>(alloca(room.environment * sizeof(char*)));
  char text[Room::text];
  const Successor next =
      make_successor({path, arguments, environment}, false, own_arguments, own_environment, text);
  return next_spawn("posix_spawn")(process, next.path, actions, attributes, next.arguments,
                                   next.environment);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int posix_spawn(
    pid_t* __restrict process, const char* __restrict path,
    const posix_spawn_file_actions_t* __restrict actions,
    const posix_spawnattr_t* __restrict attributes, List arguments, List environment) {
  return spawn(process, path, actions, attributes, arguments, environment);
}

__attribute__((visibility("default"))) int posix_spawnp(pid_t* process, const char* file,
                                                        const posix_spawn_file_actions_t* actions,
                                                        const posix_spawnattr_t* attributes,
                                                        List arguments, List environment) {
  char path[path_capacity];
  const bool named = std::strchr(file, '/') != nullptr;
  if (named || (find_on_path(file, path) && needs_emulator(path))) {
    return spawn(process, named ? file : path, actions, attributes, arguments, environment);
  }
  return next_spawn("posix_spawnp")(process, file, actions, attributes, arguments, environment);
}
}
