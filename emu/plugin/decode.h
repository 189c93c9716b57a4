/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* What one RISC-V instruction is, as far as counting needs it: its class, what decides the number of registers of its
 * widest operand group, and whether it calls or returns. */
#ifndef TESSERA_EMU_PLUGIN_DECODE_H_
#define TESSERA_EMU_PLUGIN_DECODE_H_

#include <stdbool.h>
#include <stdint.h>

enum insn_class {
  class_scalar,
  class_csr,  /* csrrw, csrrs, csrrc and their immediate forms */
  class_vset, /* vsetvli, vsetivli, vsetvl */
  class_vector_arithmetic,
  class_vector_load,
  class_vector_store,
  class_ime, /* matrix instructions: words that trap */
  class_count
};

/* How a vector load or store goes through memory. */
enum access_kind {
  access_unit, /* vle, vse, fault-only-first, mask */
  access_whole,
  access_strided,
  access_indexed,
  access_segment, /* more than one field, whatever the addressing */
  access_count
};

/* The registers of the widest operand group of an arithmetic instruction. */
enum group_rule {
  group_one,   /* masks, scalars in element 0 */
  group_lmul,  /* LMUL */
  group_wide,  /* 2 * LMUL: a source or the result is twice as wide */
  group_fixed, /* `registers`: vmv<nr>r, whole-register accesses */
  group_memory /* from EEW, SEW and LMUL */
};

enum vset_kind {
  vset_none,
  vset_register_avl,
  vset_immediate_avl,
  vset_maximum,
  vset_keep,
  vset_unknown
};

enum flow_kind { flow_none, flow_call, flow_return };

enum ime_kind { ime_none, ime_dot, ime_float_dot, ime_layout };

struct decoded {
  uint8_t insn_class;
  uint8_t access;
  uint8_t group;
  uint8_t registers; /* group_fixed */
  uint8_t eew;       /* bytes of an element in memory, or of an index (access_indexed) */
  uint8_t fields;    /* of a segment */
  bool indexed;
  bool masked;
  bool gather;      /* vrgather.vv, vrgatherei16.vv */
  bool eight_times; /* divide, remainder, square root */
  uint8_t flow;
  uint8_t vset;
  uint8_t avl;    /* vset_immediate_avl */
  uint16_t vtype; /* vset_register_avl, _immediate_avl, _maximum, _keep */
  uint8_t ime;
};

struct decoded decode_insn(uint32_t word, unsigned size);

/* The registers of a group of `lmul_eighths` eighths of a register, at least 1. */
unsigned registers_of(unsigned lmul_eighths);
/* LMUL in eighths; 0 for the reserved code. */
unsigned lmul_eighths_of(unsigned vtype);
/* SEW in bytes. */
unsigned sew_bytes_of(unsigned vtype);
/* The registers of the widest operand group under `vtype`. */
unsigned widest_group(const struct decoded* d, unsigned vtype);
/* The registers that a vector load or store moves (without its index). */
unsigned data_registers(const struct decoded* d, unsigned vtype);

#endif /* TESSERA_EMU_PLUGIN_DECODE_H_ */
