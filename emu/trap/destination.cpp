// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/destination.hpp"

#include "emu/trap/system_call.hpp"

#include "tessera/isa/ime/text.hpp"

#include <fcntl.h>

namespace tessera::trap {
namespace {

constexpr int standard_error = 2;
constexpr char name_of_stderr[] = "stderr";

}  // namespace

void Destination::choose(const char* value) {
  ime::Text(text, capacity).put(value == nullptr ? "" : value);
}

bool Destination::is_stderr() const {
  int i = 0;
  while (name_of_stderr[i] != '\0' && text[i] == name_of_stderr[i]) ++i;
  return text[i] == name_of_stderr[i];
}

bool Destination::is_per_process() const {
  for (const char* p = text; *p != '\0'; ++p) {
    if (p[0] == '%' && p[1] == 'p') return true;
  }
  return false;
}

int Destination::open(int flags) const {
  if (is_stderr()) return standard_error;
  char path[capacity];
  ime::Text expanded(path, capacity);
  for (const char* p = text; *p != '\0'; ++p) {
    if (p[0] == '%' && p[1] == 'p') {
      expanded.decimal(static_cast<std::uint64_t>(system_call(SYS_getpid)));
      ++p;
    } else {
      expanded.put(*p);
    }
  }
  return static_cast<int>(system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path),
                                      O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
}

void close_destination(int descriptor) {
  if (descriptor > standard_error) system_call(SYS_close, descriptor);
}

}  // namespace tessera::trap
