/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* The functions of the program's own file. Shared libraries are outside every symbol. */
#ifndef TESSERA_EMU_PLUGIN_SYMBOLS_H_
#define TESSERA_EMU_PLUGIN_SYMBOLS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
  uint64_t begin;
  uint64_t end;
  const char* name; /* mangled */
};

struct symbol_table {
  struct symbol* symbols; /* ascending; symbols[0] stands for "outside every symbol" */
  size_t count;
};

/* Reads the functions of a 64-bit little-endian ELF file; `start_code` is where its first executable segment was put.
 * Without a readable file or table only symbols[0] is there. */
struct symbol_table read_symbols(const char* path, uint64_t start_code);
/* The index of the function that holds pc, or 0. */
size_t symbol_at(const struct symbol_table* table, uint64_t pc);

#endif /* TESSERA_EMU_PLUGIN_SYMBOLS_H_ */
