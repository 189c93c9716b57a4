/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* The SIGILL runtime: executes IME instructions on machines that lack them (riscv64 Linux, usually
 * under qemu-riscv64). Everything here may be called from C. */
#ifndef TESSERA_EMU_TRAP_TESSERA_TRAP_H_
#define TESSERA_EMU_TRAP_TESSERA_TRAP_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Installs the handler for the process, in front of the SIGILL action that is there now; SIGILLs
 * that are not IME instructions go on to that action. A second call does nothing. Reads four
 * environment variables, once:
 *   TESSERA_PROFILE=NAME           the core to be: k1, x100, k3, or k3-bf16, which reads 16-bit
 *                                  floats as bf16 (default by vector length: 256 k1, 1024 k3)
 *   TESSERA_TRAP_STATS=stderr|FILE print "retired NAME COUNT" lines at exit; %p in FILE is the pid
 *   TESSERA_TRAP_TRACE=stderr|FILE append a line "trace PC WORD ASSEMBLY" per executed instruction
 *   TESSERA_TRAP_GEAR=0|1|2        instructions per trap: one, or all that follow one another
 *                                  directly; 2 (default) also rewrites a word that trapped 16 times
 *                                  to a jump, so that it does not trap again
 * The child of a fork begins with counts of zero.
 * Returns 0, or -1 after a message on stderr (bad TESSERA_PROFILE or TESSERA_TRAP_GEAR, a trace file
 * that cannot be written); then nothing is installed.
 * A program that installs its own SIGILL handler afterwards must pass on to the old one what it
 * does not know; under the preload library it need not. */
int tessera_trap_install(void);

/* Chooses the gear (0 to 2, see above) for the traps that follow. Returns 0, or -1 for no gear. */
int tessera_trap_set_gear(int gear);

/* How many instructions were rewritten. They stay so when another gear is chosen. */
int tessera_trap_sites(void);

/* Number of instructions that are counted, and the name of one: its mnemonic, with ":i4" for an
 * int4 form. NULL where index is out of range. */
unsigned tessera_trap_instructions(void);
const char* tessera_trap_name(unsigned index);

/* How often an instruction was executed since the start or the last reset, by all threads. 0 where
 * the index or the name is unknown. */
uint64_t tessera_trap_retired_at(unsigned index);
uint64_t tessera_trap_retired(const char* name);

/* Sets all counts to zero. */
void tessera_trap_reset(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* TESSERA_EMU_TRAP_TESSERA_TRAP_H_ */
