/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
#include "emu/plugin/decode.h"

/* Bits [high:low] of the word. */
static uint32_t bits(uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1u << (high - low + 1)) - 1);
}

static bool is_link(uint32_t reg) {
  return reg == 1 || reg == 5;
}

enum { opivv, opfvv, opmvv, opivi, opivx, opfvf, opmvx, opcfg };

static void decode_vset(struct decoded* d, uint32_t word) {
  const uint32_t rd = bits(word, 11, 7);
  const uint32_t rs1 = bits(word, 19, 15);
  d->insn_class = class_vset;
  if (bits(word, 31, 30) == 3) {
    d->vset = vset_immediate_avl;
    d->avl = (uint8_t)rs1;
    d->vtype = (uint16_t)bits(word, 29, 20);
  } else if (bits(word, 31, 31) == 0) {
    d->vset = rs1 != 0 ? vset_register_avl : rd != 0 ? vset_maximum : vset_keep;
    d->vtype = (uint16_t)bits(word, 30, 20);
  } else {
    d->vset = vset_unknown; /* vsetvl: vtype comes from a register */
  }
}

/* Instructions whose second source or kind is spelled by the vs1 field. */
static void decode_float_unary(struct decoded* d, uint32_t funct6, uint32_t vs1) {
  if (funct6 == 0x12) { /* conversions: same width, widening, narrowing */
    d->group = vs1 >= 8 ? group_wide : group_lmul;
  } else if (funct6 == 0x13) {
    d->eight_times = vs1 == 0; /* vfsqrt; the estimates and vfclass are not */
  }
}

static void decode_mask_or_move(struct decoded* d, uint32_t funct3, uint32_t funct6, uint32_t vs1) {
  if (funct6 == 0x10) { /* to and from element 0; vcpop, vfirst */
    d->group = group_one;
  } else if (funct3 == opmvv && funct6 == 0x14) {
    d->group = vs1 >= 16 ? group_lmul : group_one; /* viota and vid, or masks alone */
  } else if (funct3 == opmvv && funct6 >= 0x18 && funct6 <= 0x1f) {
    d->group = group_one; /* vmand and its kin */
  }
}

static void decode_arithmetic(struct decoded* d, uint32_t word) {
  const uint32_t funct3 = bits(word, 14, 12);
  const uint32_t funct6 = bits(word, 31, 26);
  const uint32_t vs1 = bits(word, 19, 15);
  const bool integer = funct3 == opivv || funct3 == opivi || funct3 == opivx;
  const bool is_float = funct3 == opfvv || funct3 == opfvf;
  d->insn_class = class_vector_arithmetic;
  d->group = group_lmul;
  if (integer) {
    if (funct6 >= 0x2c && funct6 <= 0x2f) d->group = group_wide; /* vnsrl, vnsra, vnclipu, vnclip */
    if (funct3 == opivi && funct6 == 0x27) {                     /* vmv<nr>r.v */
      d->group = group_fixed;
      d->registers = (uint8_t)(vs1 + 1);
    }
    d->gather = funct3 == opivv && (funct6 == 0x0c || funct6 == 0x0e);
    return;
  }
  /* Widening, but for the reductions into one element. */
  const bool reduction = is_float && (funct6 == 0x31 || funct6 == 0x33);
  if (funct6 >= 0x30 && !reduction) d->group = group_wide;
  if (is_float) {
    d->eight_times = funct6 == 0x20 || funct6 == 0x21; /* vfdiv, vfrdiv */
    if (funct3 == opfvv) decode_float_unary(d, funct6, vs1);
    if (funct6 == 0x10) d->group = group_one;
  } else {
    d->eight_times = funct6 >= 0x20 && funct6 <= 0x23; /* vdivu, vdiv, vremu, vrem */
    decode_mask_or_move(d, funct3, funct6, vs1);
  }
}

static void decode_vector_memory(struct decoded* d, uint32_t word, uint32_t width) {
  const uint32_t mop = bits(word, 27, 26);
  const uint32_t variant = bits(word, 24, 20);
  d->insn_class = (word & 0x7f) == 0x07 ? class_vector_load : class_vector_store;
  d->eew = (uint8_t)(width == 0 ? 1 : 1u << (width - 4));
  d->fields = (uint8_t)(bits(word, 31, 29) + 1);
  d->masked = bits(word, 25, 25) == 0;
  d->group = group_memory;
  d->indexed = (mop & 1) != 0;
  if (mop == 0 && variant == 8) {
    d->access = access_whole;
    d->group = group_fixed;
    d->registers = d->fields;
  } else if (d->fields > 1) {
    d->access = access_segment;
  } else if (mop == 0) {
    d->access = access_unit;
    if (variant == 11) { /* vlm, vsm */
      d->group = group_fixed;
      d->registers = 1;
    }
  } else {
    d->access = mop == 2 ? access_strided : access_indexed;
  }
}

/* Opcode custom-1, the groups of the instruction set's table; everything else under it is not ours. */
static bool decode_ime(struct decoded* d, uint32_t word) {
  const uint32_t high = bits(word, 31, 26);
  if (bits(word, 31, 31) == 1) {
    const bool is_float = bits(word, 30, 29) == 0;
    const uint32_t form = bits(word, 28, 26);
    if (is_float ? form != 7 : bits(word, 30, 29) == 1 || form == 7) return false;
    d->ime = is_float ? ime_float_dot : ime_dot;
  } else if (high == 0x19 || high == 0x18 || high == 0x10) {
    d->ime = ime_layout;
  } else {
    return false;
  }
  d->insn_class = class_ime;
  return true;
}

static void decode_short(struct decoded* d, uint32_t half) {
  if ((half & 0xf07f) == 0x9002 && half != 0x9002) { /* c.jalr */
    d->flow = flow_call;
  } else if ((half & 0xf07f) == 0x8002) { /* c.jr */
    if (is_link(bits(half, 11, 7))) d->flow = flow_return;
  }
}

struct decoded decode_insn(uint32_t word, unsigned size) {
  struct decoded d = {.insn_class = class_scalar, .group = group_one, .fields = 1};
  if (size == 2) {
    decode_short(&d, word & 0xffff);
    return d;
  }
  const uint32_t funct3 = bits(word, 14, 12);
  const uint32_t rd = bits(word, 11, 7);
  switch (word & 0x7f) {
    case 0x57:
      if (funct3 == opcfg) {
        decode_vset(&d, word);
      } else {
        decode_arithmetic(&d, word);
      }
      break;
    case 0x07:
    case 0x27: /* the widths between are scalar floating point */
      if (funct3 == 0 || funct3 >= 5) decode_vector_memory(&d, word, funct3);
      break;
    case 0x2b:
      decode_ime(&d, word);
      break;
    case 0x73:
      if ((funct3 & 3) != 0) d.insn_class = class_csr;
      break;
    case 0x6f: /* jal */
      if (is_link(rd)) d.flow = flow_call;
      break;
    case 0x67: /* jalr */
      if (is_link(rd)) {
        d.flow = flow_call;
      } else if (rd == 0 && is_link(bits(word, 19, 15))) {
        d.flow = flow_return;
      }
      break;
    default:
      break;
  }
  return d;
}

unsigned lmul_eighths_of(unsigned vtype) {
  static const uint8_t eighths[8] = {8, 16, 32, 64, 0, 1, 2, 4};
  return eighths[vtype & 7];
}

unsigned sew_bytes_of(unsigned vtype) {
  return 1u << (vtype >> 3 & 7);
}

unsigned registers_of(unsigned lmul_eighths) {
  return lmul_eighths <= 8 ? 1 : lmul_eighths / 8;
}

/* EMUL of an operand whose elements have `bytes` bytes. */
static unsigned emul_registers(unsigned bytes, unsigned vtype) {
  return registers_of(lmul_eighths_of(vtype) * bytes / sew_bytes_of(vtype));
}

unsigned data_registers(const struct decoded* d, unsigned vtype) {
  if (d->group == group_fixed) return d->registers;
  const unsigned bytes = d->indexed ? sew_bytes_of(vtype) : d->eew;
  return d->fields * emul_registers(bytes, vtype);
}

unsigned widest_group(const struct decoded* d, unsigned vtype) {
  switch (d->group) {
    case group_lmul:
      return registers_of(lmul_eighths_of(vtype));
    case group_wide:
      return registers_of(2 * lmul_eighths_of(vtype));
    case group_fixed:
      return d->registers;
    case group_memory: {
      const unsigned data = data_registers(d, vtype);
      const unsigned index = d->indexed ? emul_registers(d->eew, vtype) : 0;
      return data > index ? data : index;
    }
    default:
      return 1;
  }
}
