// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What entry.S offers and what it calls.
#ifndef TESSERA_EMU_TRAP_ENTRY_HPP_
#define TESSERA_EMU_TRAP_ENTRY_HPP_

#include "emu/trap/frame.hpp"

#include <signal.h>
#include <ucontext.h>

#ifdef __riscv_vector
#error "compile the runtime for rv64gc: vector code would destroy the registers it has yet to save"
#endif

extern "C" {
/// The handler.
void tessera_trap_entry(int signal, siginfo_t* info, void* context);
/// Bytes of a vector register; 0 without a vector unit. Needs the handler.
unsigned long tessera_trap_read_vlenb();
unsigned long tessera_trap_read_vtype();
/// Address of the instruction that may trap in tessera_trap_read_vlenb.
extern const char tessera_trap_probe[];

/// Called first, with live vector registers that it must not touch. Returns 1 where the entry shall
/// save them and call tessera_trap_execute, 0 where nothing is left to do.
int tessera_trap_arrive(int signal, siginfo_t* info, ucontext_t* context);
/// Checks and executes the interrupted instruction on the saved state.
void tessera_trap_execute(tessera::trap::VectorFrame* frame, ucontext_t* context);
}

namespace tessera::trap {

/// The interrupted pc and stack pointer.
inline unsigned long& pc_of(ucontext_t* context) {
  return context->uc_mcontext.__gregs[0];
}
inline unsigned long sp_of(const ucontext_t* context) {
  return context->uc_mcontext.__gregs[2];
}

/// The instruction at `pc`. It may lie on a 2-byte boundary, and a short one may end a page.
inline std::uint32_t fetch(unsigned long pc) {
  const auto* halves = reinterpret_cast<const volatile std::uint16_t*>(pc);
  const std::uint32_t low = halves[0];
  if ((low & 3) != 3) return low;
  return low | static_cast<std::uint32_t>(halves[1]) << 16;
}

/// The vector state in this signal frame, or null.
inline VectorFrame* vector_frame_of(ucontext_t* context) {
  auto* machine = reinterpret_cast<std::uint8_t*>(&context->uc_mcontext);
  auto* low = static_cast<std::uint8_t*>(context->uc_stack.ss_sp);
  std::uint8_t* end = frame_end(machine, reinterpret_cast<std::uint8_t*>(sp_of(context)), low,
                                low + context->uc_stack.ss_size);
  return find_vector_frame(machine + extension_offset, end);
}

}  // namespace tessera::trap

#endif  // TESSERA_EMU_TRAP_ENTRY_HPP_
