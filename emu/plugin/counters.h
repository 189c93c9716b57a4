/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* What is counted, and how it is printed. */
#ifndef TESSERA_EMU_PLUGIN_COUNTERS_H_
#define TESSERA_EMU_PLUGIN_COUNTERS_H_

#include <stdint.h>
#include <stdio.h>

#include "emu/plugin/decode.h"

struct access_counters {
  uint64_t instructions;
  uint64_t registers; /* vlNr is N, a segment access its fields times the group of one */
  uint64_t elements;  /* as accessed: masked-off ones are not */
  uint64_t bytes;
};

struct counters {
  uint64_t instructions; /* plain: one each */
  uint64_t weighted;
  uint64_t of_class[class_count];
  struct access_counters loads[access_count];
  struct access_counters stores[access_count];
  uint64_t arithmetic_registers; /* of instructions that are neither of the two below */
  uint64_t divided_registers;    /* divide, remainder, square root */
  uint64_t gathers;
  uint64_t gathered_elements;
  uint64_t gathered_at_most; /* of these, counted as VLMAX because vl was not known */
  uint64_t ime_dot;
  uint64_t ime_float_dot;
  uint64_t ime_layout;
  uint64_t
      unknown_vtype; /* vector instructions behind a vsetvl, whose vtype is not known: counted as LMUL 1 */
};

void add_counters(struct counters* to, const struct counters* from);
/* The fields as members of a JSON object, without its braces, after `indent`. */
void print_counters(FILE* out, const struct counters* c, const char* indent);
/* A JSON string with its quotes. */
void print_string(FILE* out, const char* text);

#endif /* TESSERA_EMU_PLUGIN_COUNTERS_H_ */
