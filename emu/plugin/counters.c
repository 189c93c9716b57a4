/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/counters.h"

#include <inttypes.h>

static const char* const class_names[class_count] = {
    "scalar", "csr", "vset", "vector_arithmetic", "vector_load", "vector_store", "ime"};
static const char* const access_names[access_count] = {"unit", "whole", "strided", "indexed",
                                                       "segment"};

void add_counters(struct counters* to, const struct counters* from) {
  /* Nothing but 64-bit numbers in there. */
  uint64_t* t = (uint64_t*)to;
  const uint64_t* f = (const uint64_t*)from;
  for (size_t i = 0; i < sizeof *to / sizeof *t; ++i) t[i] += f[i];
}

static void print_accesses(FILE* out, const char* name, const struct access_counters* a,
                           const char* indent) {
  fprintf(out, ",\n%s\"%s\": {", indent, name);
  struct access_counters sum = {0, 0, 0, 0};
  for (int k = 0; k < access_count; ++k) {
    sum.instructions += a[k].instructions;
    sum.registers += a[k].registers;
    sum.elements += a[k].elements;
    sum.bytes += a[k].bytes;
  }
  for (int k = -1; k < access_count; ++k) {
    const struct access_counters* of = k < 0 ? &sum : &a[k];
    fprintf(out,
            "%s\n%s  \"%s\": {\"instructions\": %" PRIu64 ", \"registers\": %" PRIu64
            ", \"elements\": %" PRIu64 ", \"bytes\": %" PRIu64 "}",
            k < 0 ? "" : ",", indent, k < 0 ? "all" : access_names[k], of->instructions,
            of->registers, of->elements, of->bytes);
  }
  fprintf(out, "\n%s}", indent);
}

void print_counters(FILE* out, const struct counters* c, const char* indent) {
  fprintf(out, "%s\"instructions\": %" PRIu64 ",\n%s\"weighted\": %" PRIu64, indent,
          c->instructions, indent, c->weighted);
  const struct {
    const char* name;
    uint64_t value;
  } rest[] = {{"arithmetic_registers", c->arithmetic_registers},
              {"divided_registers", c->divided_registers},
              {"gathers", c->gathers},
              {"gathered_elements", c->gathered_elements},
              {"gathered_at_most", c->gathered_at_most},
              {"ime_dot", c->ime_dot},
              {"ime_float_dot", c->ime_float_dot},
              {"ime_layout", c->ime_layout},
              {"unknown_vtype", c->unknown_vtype}};
  for (int k = 0; k < class_count; ++k)
    fprintf(out, ",\n%s\"%s\": %" PRIu64, indent, class_names[k], c->of_class[k]);
  for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
    fprintf(out, ",\n%s\"%s\": %" PRIu64, indent, rest[i].name, rest[i].value);
  print_accesses(out, "loads", c->loads, indent);
  print_accesses(out, "stores", c->stores, indent);
}

void print_string(FILE* out, const char* text) {
  fputc('"', out);
  for (const char* p = text; *p != '\0'; ++p) {
    const unsigned char c = (unsigned char)*p;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < 0x20) {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}
