/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Whether a thread is inside the part of the program that is counted.
 *
 * A region is a function, from its entry to its return, all that it calls included; or a range of addresses, alone. For
 * the former the thread's calls are followed by the conventions of jal and jalr (link registers ra and t0); a return
 * takes off everything above the address that it goes to, so longjmp and unwinding are followed too. */
#ifndef TESSERA_EMU_PLUGIN_REGION_H_
#define TESSERA_EMU_PLUGIN_REGION_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/plugin/decode.h"
#include "emu/plugin/symbols.h"

struct region {
  bool whole; /* everything is counted */
  bool by_function;
  uint64_t begin; /* of a range */
  uint64_t end;
  const char* name;
  bool* entry; /* per symbol: it is the function */
};

struct region_state {
  uint64_t* returns; /* addresses that calls return to, innermost last */
  size_t depth;
  size_t capacity;
  size_t depth_at_entry;
  bool returning; /* the last instruction was a return */
  bool inside;
  uint64_t entered;
};

/* The function called `name` and its copies, or else all whose mangled name holds it. False, with a message, where there is none. */
bool region_of_function(struct region* region, const struct symbol_table* table, const char* name);
/* Follows the instruction at pc that is about to run. Returns whether it is counted. */
bool region_follow(struct region_state* state, const struct region* region,
                   const struct symbol_table* table, size_t symbol, uint64_t pc, unsigned size,
                   uint8_t flow);

#endif /* TESSERA_EMU_PLUGIN_REGION_H_ */
