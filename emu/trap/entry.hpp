// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// What entry.S offers and what it calls.
#ifndef TESSERA_EMU_TRAP_ENTRY_HPP_
#define TESSERA_EMU_TRAP_ENTRY_HPP_

#include "emu/trap/frame.hpp"
#include "emu/trap/row.hpp"

#include <signal.h>
#include <ucontext.h>
#include <cstddef>

#ifdef __riscv_vector
#error "compile the runtime for rv64gc: vector code would destroy the registers it has yet to save"
#endif

namespace tessera::trap {

/// What one trap shall do: made by arrive, carried out by the entry and execute.
struct Plan {
  std::uint64_t vl;
  std::uint64_t vtype;
  std::uint64_t vlenb;
  std::uint8_t* registers;  ///< 32 * vlenb bytes, of which only the row's registers are filled
  std::uint64_t vstart;
  Row row;
};
// entry.S has these numbers.
static_assert(offsetof(Plan, vl) == 0 && offsetof(Plan, vtype) == 8);
static_assert(offsetof(Plan, vlenb) == 16 && offsetof(Plan, registers) == 24);
static_assert(offsetof(Plan, vstart) == 32 && offsetof(Plan, row.reads) == 40);
static_assert(offsetof(Plan, row.writes) == 44 && sizeof(Plan) <= 256);

}  // namespace tessera::trap

extern "C" {
/// The handler.
void tessera_trap_entry(int signal, siginfo_t* info, void* context);
/// Bytes of a vector register; 0 without a vector unit. Needs the handler.
unsigned long tessera_trap_read_vlenb();
unsigned long tessera_trap_read_vtype();
/// Reads vl, vtype, vlenb and vstart into the plan. Needs a vector unit.
void tessera_trap_read_state(tessera::trap::Plan* plan);
/// Address of the instruction that may trap in tessera_trap_read_vlenb.
extern const char tessera_trap_probe[];

/// Called first, with live vector registers that it must not touch. Decodes and checks. Returns 1
/// where the entry shall bring the registers of plan->row into memory, call tessera_trap_execute and
/// bring them back; 0 where nothing is left to do.
int tessera_trap_arrive(int signal, siginfo_t* info, ucontext_t* context,
                        tessera::trap::Plan* plan);
/// Executes the plan on its registers in memory.
void tessera_trap_execute(const tessera::trap::Plan* plan, ucontext_t* context);
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
