// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/memory_map.hpp"

#include "emu/trap/system_call.hpp"

#include <fcntl.h>
#include <sys/mman.h>

namespace tessera::trap {
namespace {

constexpr int end_of_file = -1;
// Of the address space; where it is smaller, mapping something so far up fails.
constexpr unsigned long end_of_memory = 1ul << 47;

}  // namespace

MemoryMap::MemoryMap()
    : descriptor_(static_cast<int>(system_call(
          SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY | O_CLOEXEC))) {
}

MemoryMap::~MemoryMap() {
  if (descriptor_ >= 0) system_call(SYS_close, descriptor_);
}

int MemoryMap::get() {
  if (position_ == length_) {
    if (descriptor_ < 0) return end_of_file;
    length_ = system_call(SYS_read, descriptor_, reinterpret_cast<long>(buffer_), capacity);
    position_ = 0;
    if (length_ <= 0) {
      length_ = 0;
      return end_of_file;
    }
  }
  return buffer_[position_++];
}

unsigned long MemoryMap::hexadecimal(int& terminator) {
  unsigned long value = 0;
  for (;;) {
    const int c = get();
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<unsigned long>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<unsigned long>(c - 'a' + 10);
    } else {
      terminator = c;
      return value;
    }
  }
}

// BEGIN-END rwxp OFFSET DEVICE INODE PATH
bool MemoryMap::next(Mapping& mapping) {
  int c;
  mapping.free_begin = last_end_;
  mapping.begin = hexadecimal(c);
  if (c != '-') {
    mapping.begin = end_of_memory;
    return false;
  }
  mapping.end = hexadecimal(c);
  mapping.protection = 0;
  if (get() == 'r') mapping.protection |= PROT_READ;
  if (get() == 'w') mapping.protection |= PROT_WRITE;
  if (get() == 'x') mapping.protection |= PROT_EXEC;
  mapping.shared = get() != 'p';
  do {
    c = get();
  } while (c != '\n' && c != end_of_file);
  last_end_ = mapping.end;
  return true;
}

}  // namespace tessera::trap
