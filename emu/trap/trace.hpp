// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// One line per executed instruction.
#ifndef TESSERA_EMU_TRAP_TRACE_HPP_
#define TESSERA_EMU_TRAP_TRACE_HPP_

#include "tessera/config.hpp"

#include <atomic>
#include <cstdint>

namespace tessera::trap {

/// Where traces are written; negative: nowhere.
extern std::atomic<int> trace_descriptor;

/// Where to write: "stderr" or a file name (%p: the process id). Null or empty: no trace. False,
/// after a message, where the file cannot be written.
bool choose_trace(const char* destination);

/// Is every executed instruction to be traced? Then none may be executed without a call of
/// trace_executed, whatever way it is executed.
TESSERA_INLINE bool tracing() {
  return trace_descriptor.load(std::memory_order_relaxed) >= 0;
}

/// Writes "trace PC WORD ASSEMBLY". Any thread, also in the handler.
void trace_executed(unsigned long pc, std::uint32_t word);

/// In the child of a fork: a name with %p means a file of its own.
void reopen_trace();

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_TRACE_HPP_
