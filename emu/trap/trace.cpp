// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
#include "emu/trap/trace.hpp"

#include "emu/trap/destination.hpp"
#include "emu/trap/system_call.hpp"

#include "tessera/isa/ime/all.hpp"

#include <fcntl.h>
#include <atomic>

namespace tessera::trap {
namespace {

constexpr char not_writable[] = "tessera: the file of TESSERA_TRAP_TRACE cannot be written\n";
constexpr int no_descriptor = -1;
// Out of the way of programs that expect the lowest numbers, or close them all.
constexpr int least_descriptor = 200;

Destination destination;

int open_trace() {
  // Appending: several processes may write to one file.
  const int opened = destination.open(O_APPEND);
  if (opened < 0 || destination.is_stderr()) return opened;
  const long moved = system_call(SYS_fcntl, opened, F_DUPFD_CLOEXEC, least_descriptor);
  if (moved < 0) return opened;
  close_destination(opened);
  return static_cast<int>(moved);
}

}  // namespace

std::atomic<int> trace_descriptor{no_descriptor};

bool choose_trace(const char* value) {
  destination.choose(value);
  if (!destination.chosen()) return true;
  trace_descriptor.store(open_trace(), std::memory_order_relaxed);
  if (tracing()) return true;
  write_all(2, not_writable, sizeof not_writable - 1);
  return false;
}

void trace_executed(unsigned long pc, std::uint32_t word) {
  char line[128];
  ime::Text text(line, sizeof line);
  text.put("trace ").hex(pc).put(' ').hex(word, 8).put(' ');
  ime::disassemble(word, text);
  text.put('\n');
  write_all(trace_descriptor.load(std::memory_order_relaxed), line, text.length());
}

void reopen_trace() {
  if (!tracing() || !destination.is_per_process()) return;
  const int inherited = trace_descriptor.load(std::memory_order_relaxed);
  trace_descriptor.store(open_trace(), std::memory_order_relaxed);
  close_destination(inherited);
}

}  // namespace tessera::trap
