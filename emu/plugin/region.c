/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compilers make copies of a function for some of its callers: NAME.constprop.0, NAME.specialized.1. */
static bool is_or_copies(const char* symbol, const char* name) {
  const size_t length = strlen(name);
  return strncmp(symbol, name, length) == 0 && (symbol[length] == '\0' || symbol[length] == '.');
}

bool region_of_function(struct region* region, const struct symbol_table* table, const char* name) {
  *region = (struct region){.by_function = true, .name = name};
  region->entry = calloc(table->count, sizeof *region->entry);
  if (region->entry == NULL) abort();
  size_t found = 0;
  for (int exact = 1; exact >= 0 && found == 0; --exact) {
    for (size_t i = 1; i < table->count; ++i) {
      const char* symbol = table->symbols[i].name;
      region->entry[i] = exact ? is_or_copies(symbol, name) : strstr(symbol, name) != NULL;
      found += region->entry[i];
    }
  }
  if (found == 0)
    fprintf(stderr, "tessera: no function %s among the program's %zu symbols\n", name,
            table->count - 1);
  return found != 0;
}

static void push(struct region_state* state, uint64_t address) {
  if (state->depth == state->capacity) {
    state->capacity = state->capacity == 0 ? 64 : 2 * state->capacity;
    state->returns = realloc(state->returns, state->capacity * sizeof *state->returns);
    if (state->returns == NULL) abort();
  }
  state->returns[state->depth++] = address;
}

/* A return to an address that no call left behind (a signal handler's) takes nothing off. */
static void pop_to(struct region_state* state, uint64_t address) {
  for (size_t i = state->depth; i > 0; --i) {
    if (state->returns[i - 1] == address) {
      state->depth = i - 1;
      return;
    }
  }
}

bool region_follow(struct region_state* state, const struct region* region,
                   const struct symbol_table* table, size_t symbol, uint64_t pc, unsigned size,
                   uint8_t flow) {
  if (region->whole) return true;
  if (!region->by_function) return pc >= region->begin && pc < region->end;
  if (state->returning) {
    state->returning = false;
    pop_to(state, pc);
    if (state->inside && state->depth < state->depth_at_entry) state->inside = false;
  }
  if (!state->inside && region->entry[symbol] && table->symbols[symbol].begin == pc) {
    state->inside = true;
    state->depth_at_entry = state->depth;
    ++state->entered;
  }
  if (flow == flow_call) push(state, pc + size);
  if (flow == flow_return) state->returning = true;
  return state->inside;
}
