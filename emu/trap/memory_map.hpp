// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// The mappings of this process, as Linux tells them. Usable in the handler: no libc, no heap.
#ifndef TESSERA_EMU_TRAP_MEMORY_MAP_HPP_
#define TESSERA_EMU_TRAP_MEMORY_MAP_HPP_

#include <cstdint>

namespace tessera::trap {

/// One mapping, and the free room before it.
struct Mapping {
  unsigned long free_begin;  ///< the end of the mapping before it
  unsigned long begin;
  unsigned long end;
  int protection;  ///< PROT_*
  bool shared;
};

/// Reads /proc/self/maps in order of address.
class MemoryMap {
 public:
  MemoryMap();
  ~MemoryMap();
  MemoryMap(const MemoryMap&) = delete;
  MemoryMap& operator=(const MemoryMap&) = delete;

  /// False at the end; then mapping.free_begin and mapping.begin bound the room behind the last one.
  bool next(Mapping& mapping);

 private:
  int get();
  unsigned long hexadecimal(int& terminator);

  static constexpr int capacity = 512;
  char buffer_[capacity];
  int descriptor_;
  long length_ = 0;
  long position_ = 0;
  unsigned long last_end_ = 0;
};

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_MEMORY_MAP_HPP_
