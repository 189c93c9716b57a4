/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Makes two runs of a program alike: clocks and random bytes that system calls deliver are replaced by fixed ones. The
 * plugin shares QEMU's address space, so it writes them into the program's memory behind the call. */
#ifndef TESSERA_EMU_PLUGIN_STEADY_H_
#define TESSERA_EMU_PLUGIN_STEADY_H_

#include <stdint.h>

#include "emu/plugin/qemu_plugin.h"

/* The system call that a thread makes. */
struct steady_call {
  int64_t number;
  uint64_t arguments[2];
};

void steady_begin(struct steady_call* call, int64_t number, uint64_t a1, uint64_t a2);
/* `base`: what is added to an address of the program to get one of this process. */
void steady_end(const struct steady_call* call, int64_t result, uint64_t base);

#endif /* TESSERA_EMU_PLUGIN_STEADY_H_ */
