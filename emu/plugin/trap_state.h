/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Which instructions belong to the handling of a trapped matrix instruction, and how many such instructions one trap
 * retired.
 *
 * A matrix instruction raises SIGILL; from then on the thread runs the SIGILL runtime, until the system call of the
 * signal-return trampoline. The runtime may have executed several matrix instructions that follow each other: the thread
 * resumes behind the last of them, and that is how their number is known. */
#ifndef TESSERA_EMU_PLUGIN_TRAP_STATE_H_
#define TESSERA_EMU_PLUGIN_TRAP_STATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/plugin/qemu_plugin.h"

enum {
  sigreturn_number = 0x08b00893, /* li a7, 139: the trampoline's first instruction */
  system_call = 0x00000073       /* ecall */
};

struct trap_state {
  bool handling;    /* between the trap and the return from its handler */
  uint64_t pc;      /* of the instruction that trapped; 0: none is waiting to be counted */
  const void* host; /* where QEMU keeps the instruction at pc */
};

/* A matrix instruction is about to trap. */
void trap_begin(struct trap_state* state, uint64_t pc, const void* host);
/* The trampoline's system call is about to be made. */
void trap_returns(struct trap_state* state);
/* An instruction outside of trap handling is about to run: how many matrix instructions have retired meanwhile. 0 where
 * it is not the one behind them, as when a signal came in between. */
unsigned trap_retired(struct trap_state* state, uint64_t pc);
/* Whether instruction `index` of the block is the trampoline's system call. */
bool is_signal_return(const struct qemu_plugin_tb* block, size_t index);
/* The word of an instruction of 2 or 4 bytes. */
uint32_t word_of(const struct qemu_plugin_insn* insn);

#endif /* TESSERA_EMU_PLUGIN_TRAP_STATE_H_ */
