// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/successor.hpp"

#include "emu/trap/system_call.hpp"

#include "tessera/isa/ime/text.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace tessera::trap {
namespace {

struct Variable {
  const char* name;
  char* setting;  // "NAME=value" at the start of this program, or null
};
Variable carried[] = {{"TESSERA_RUN_QEMU", nullptr},   {"TESSERA_PROFILE", nullptr},
                      {"TESSERA_TRAP_STATS", nullptr}, {"TESSERA_TRAP_TRACE", nullptr},
                      {"QEMU_CPU", nullptr},           {"QEMU_LD_PREFIX", nullptr},
                      {"QEMU_SET_ENV", nullptr}};
constexpr std::size_t carried_count = sizeof carried / sizeof carried[0];
constexpr std::size_t statistics_index = 2;
constexpr char preload[] = "LD_PRELOAD";
constexpr char set_by_emulator[] = "LD_PRELOAD=";
constexpr char suffix[] = ".next";

const char* emulator = nullptr;

std::size_t count(char* const* list) {
  std::size_t n = 0;
  while (list != nullptr && list[n] != nullptr) ++n;
  return n;
}

bool is_setting_of(const char* setting, const char* name) {
  const std::size_t length = std::strlen(name);
  return std::strncmp(setting, name, length) == 0 && setting[length] == '=';
}

bool contains_setting(char* const* environment, const char* name) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    if (is_setting_of(*environment, name)) return true;
  }
  return false;
}

char* copy_setting(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return nullptr;
  const std::size_t capacity = std::strlen(name) + std::strlen(value) + 2;
  auto* setting = static_cast<char*>(std::malloc(capacity));
  if (setting != nullptr) {
    ime::Text(setting, static_cast<int>(capacity)).put(name).put('=').put(value);
  }
  return setting;
}

// LD_PRELOAD, if it is what QEMU_SET_ENV gives to every program.
void hide_preload() {
  const char* present = std::getenv(preload);
  const char* given = std::getenv("QEMU_SET_ENV");
  const char* ours = given != nullptr ? std::strstr(given, set_by_emulator) : nullptr;
  if (present == nullptr || ours == nullptr) return;
  ours += sizeof set_by_emulator - 1;
  const std::size_t length = std::strcspn(ours, ",");
  if (std::strlen(present) == length && std::strncmp(present, ours, length) == 0) unsetenv(preload);
}

bool is_riscv64_program(const char* path) {
  const long file =
      system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  unsigned char start[20] = {};
  const long length = system_call(SYS_read, file, reinterpret_cast<long>(start), sizeof start);
  system_call(SYS_close, file);
  constexpr unsigned char elf64_little[6] = {0x7f, 'E', 'L', 'F', 2, 1};
  return length == sizeof start && std::memcmp(start, elf64_little, sizeof elf64_little) == 0 &&
         start[18] == 243 && start[19] == 0;
}

char* mutable_text(const char* text) {
  return const_cast<char*>(text);  // as the system call's arguments are declared; nobody writes
}

void put_behind_emulator(const Successor& wanted, char** next) {
  const std::size_t present = count(wanted.arguments);
  *next++ = mutable_text(emulator);
  *next++ = mutable_text("-0");
  *next++ = present > 0 ? wanted.arguments[0] : mutable_text(wanted.path);
  *next++ = mutable_text(wanted.path);
  for (std::size_t i = 1; i < present; ++i) *next++ = wanted.arguments[i];
  *next = nullptr;
}

// Where the setting of the statistics is now, or null.
char** complete_environment(char* const* wanted, char** next) {
  char** statistics = nullptr;
  for (std::size_t i = 0; i < count(wanted); ++i) {
    if (is_setting_of(wanted[i], carried[statistics_index].name)) statistics = next;
    *next++ = wanted[i];
  }
  for (Variable& variable : carried) {
    if (emulator == nullptr || variable.setting == nullptr) continue;
    if (contains_setting(wanted, variable.name)) continue;
    if (&variable == &carried[statistics_index]) statistics = next;
    *next++ = variable.setting;
  }
  *next = nullptr;
  return statistics;
}

void rename_statistics(char*& setting, char* text) {
  if (std::strcmp(std::strchr(setting, '=') + 1, "stderr") == 0) return;
  ime::Text(text, static_cast<int>(Room::text)).put(setting).put(suffix);
  setting = text;
}

}  // namespace

void note_emulator() {
  for (Variable& variable : carried) variable.setting = copy_setting(variable.name);
  if (carried[0].setting == nullptr) return;
  emulator = carried[0].setting + std::strlen(carried[0].name) + 1;
  hide_preload();
}

bool needs_emulator(const char* path) {
  return emulator != nullptr && path != nullptr &&
         system_call(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), X_OK) == 0 &&
         is_riscv64_program(path);
}

Room room_for(char* const* arguments, char* const* environment) {
  return {count(arguments) + 6, count(environment) + carried_count + 1};
}

Successor make_successor(const Successor& wanted, bool leaves_counts, char** arguments,
                         char** environment, char* text) {
  Successor result = wanted;
  if (needs_emulator(wanted.path)) {
    put_behind_emulator(wanted, arguments);
    result.path = emulator;
    result.arguments = arguments;
  }
  if (emulator == nullptr && !leaves_counts) return result;
  char** statistics = complete_environment(wanted.environment, environment);
  if (leaves_counts && statistics != nullptr) rename_statistics(*statistics, text);
  result.environment = environment;
  return result;
}

}  // namespace tessera::trap
