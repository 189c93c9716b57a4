// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// How often each instruction was executed.
#ifndef TESSERA_EMU_TRAP_COUNTERS_HPP_
#define TESSERA_EMU_TRAP_COUNTERS_HPP_

#include "tessera/isa/ime/all.hpp"

#include <atomic>
#include <cstdint>

namespace tessera::trap {

extern std::atomic<std::uint64_t> retired[ime::instruction_count];

/// One more of the instruction at `index` of the list. Any thread, also in the handler.
TESSERA_INLINE void count_retired(int index) {
  retired[index].fetch_add(1, std::memory_order_relaxed);
}

/// Where to print: "stderr" or a file name (%p: the process id). Null or empty: nowhere.
void choose_statistics(const char* destination);

/// This process begins to count, at zero: at the start, and in the child of a fork.
void begin_counts();

/// Before this program is replaced or ends without its exit handlers: prints if it has counted
/// anything. True: it has, and nothing else may be written to the same file. False also in a process
/// that never began to count, such as the child of vfork, whose counts are its parent's.
bool leave_statistics();

/// Prints "retired NAME COUNT" for each instruction that occurred, and "retired total COUNT".
/// Usable in the handler.
void print_statistics();

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_COUNTERS_HPP_
