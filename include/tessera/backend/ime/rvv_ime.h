// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The matrix intrinsics on RVV types, for C and C++: include tessera/ime.h, which documents them.
///
/// One function is one asm statement: a vsetvli, and the instruction as a word, for compilers and
/// assemblers that do not know it. The compiler allocates the registers and spells a number as `v8`;
/// assembler symbols turn that into bits. The statement has no side effects besides vl and vtype, so
/// it may be moved, merged or dropped like any arithmetic.
#ifndef TESSERA_BACKEND_IME_RVV_IME_H_
#define TESSERA_BACKEND_IME_RVV_IME_H_

#if !defined(__riscv_vector) || !defined(__riscv_v_intrinsic) || __riscv_v_intrinsic < 12000
#error \
    "these intrinsics need the vector extension and its intrinsics (-march=rv64gcv; clang 17, GCC 14)"
#endif

#include <riscv_vector.h>
#include <stddef.h>
#include <stdint.h>

#define TSR_SMT_INLINE static inline __attribute__((always_inline, unused))

/// The first line of every asm statement: symbols .Ltessera_v0 to .Ltessera_v31.
#define TSR_SMT_REGISTERS                                                                     \
  ".irp "                                                                                     \
  "r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n" \
  ".set .Ltessera_v\\r, \\r\n"                                                                \
  ".endr\n"
/// Sets vl and vtype. The destination is real (operand vl): `vsetvli zero, zero` keeps a stale vl.
#define TSR_SMT_VSETVLI(sew) "vsetvli %[vl], zero, " sew ", m1, ta, ma\n"
/// The word of operand `word`, with the registers of the operands d, a, b.
#define TSR_SMT_WORD(d, a, b) TSR_SMT_WORD_OF(d, a, b, "", "", "")
/// The same on later registers of the operands' groups: "+1" is the second one.
#define TSR_SMT_WORD_OF(d, a, b, d_plus, a_plus, b_plus)                               \
  ".4byte %[word] | (.Ltessera_%[" b "]" b_plus ") << 20 | (.Ltessera_%[" a "]" a_plus \
  ") << 15 | (.Ltessera_%[" d "]" d_plus ") << 7\n"

// c += a * b. The accumulator is early-clobber: it may share no register with a source.
#define TSR_SMT_PRODUCT_(name, bits, c_type, a_type, b_type)                     \
  TSR_SMT_INLINE c_type tsr_smt_##name(c_type c, a_type a, b_type b) {           \
    unsigned long vl;                                                            \
    __asm__(TSR_SMT_REGISTERS TSR_SMT_VSETVLI("e32") TSR_SMT_WORD("c", "a", "b") \
            : [vl] "=&r"(vl), [c] "+&vr"(c)                                      \
            : [a] "vr"(a), [b] "vr"(b), [word] "i"(bits)                         \
            : "vl", "vtype");                                                    \
    return c;                                                                    \
  }
// none, u, su, us: bits 14:12 are 3, 0, 2, 1 in addition to `bits`.
#define TSR_SMT_SIGNS_(name, suffix, bits, a_lmul)                                               \
  TSR_SMT_PRODUCT_(name##suffix, (bits) | 0x3000, vint32m2_t, vint8##a_lmul##_t, vint8m1_t)      \
  TSR_SMT_PRODUCT_(name##u##suffix, bits, vint32m2_t, vuint8##a_lmul##_t, vuint8m1_t)            \
  TSR_SMT_PRODUCT_(name##su##suffix, (bits) | 0x2000, vint32m2_t, vint8##a_lmul##_t, vuint8m1_t) \
  TSR_SMT_PRODUCT_(name##us##suffix, (bits) | 0x1000, vint32m2_t, vuint8##a_lmul##_t, vint8m1_t)

TSR_SMT_SIGNS_(vmadot, , 0xe200002b, m1)
TSR_SMT_SIGNS_(vmadot, _i4, 0xc200002b, m1)
TSR_SMT_SIGNS_(vmadot1, , 0xe600002b, m2)
TSR_SMT_SIGNS_(vmadot2, , 0xe600402b, m2)
TSR_SMT_SIGNS_(vmadot3, , 0xe600802b, m2)
TSR_SMT_PRODUCT_(vfwmadot, 0x9e00402b, vfloat32m2_t, vuint16m1_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot1, 0x9e00502b, vfloat32m2_t, vuint16m2_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot2, 0x9e00602b, vfloat32m2_t, vuint16m2_t, vuint16m1_t)
TSR_SMT_PRODUCT_(vfwmadot3, 0x9e00702b, vfloat32m2_t, vuint16m2_t, vuint16m1_t)

// A register that is not v0. clang has that constraint from 20 on; before, the mask operand keeps the
// others out of v0, unless one and the same value is passed as mask and as source.
#if defined(__clang__) && __clang_major__ < 20
#define TSR_SMT_NOT_V0_ "vr"
#else
#define TSR_SMT_NOT_V0_ "vd"
#endif

// An immediate is chosen among statements: it is a constant after inlining, and need not be one in a
// build without optimisation. The mask or the scales are in v0, as a mask operand.
#define TSR_SMT_V0_CASE_(imm_value, bits, c_type)                                             \
  case imm_value:                                                                             \
    __asm__(TSR_SMT_REGISTERS TSR_SMT_VSETVLI("e32") TSR_SMT_WORD("c", "a", "b")              \
            : [vl] "=&r"(vl), [c] "+&vr"(c)                                                   \
            : [a] TSR_SMT_NOT_V0_(a), [b] TSR_SMT_NOT_V0_(b), [v0] "vm"(v0), [word] "i"(bits) \
            : "vl", "vtype");                                                                 \
    return c;
#define TSR_SMT_SPARSE_4_(bits)                    \
  TSR_SMT_V0_CASE_(2, (bits) | 0x8000, vint32m2_t) \
  TSR_SMT_V0_CASE_(3, (bits) | 0x8080, vint32m2_t)
#define TSR_SMT_SPARSE_2_(bits)
#define TSR_SMT_SPARSE_(name, bits, segments, a_type, b_type)                                 \
  TSR_SMT_INLINE vint32m2_t tsr_smt_##name(vint32m2_t c, a_type a, b_type b, vuint8m1_t mask, \
                                           unsigned imm) {                                    \
    const vbool1_t v0 = __riscv_vreinterpret_v_u8m1_b1(mask);                                 \
    unsigned long vl;                                                                         \
    switch (imm) {                                                                            \
      TSR_SMT_V0_CASE_(0, bits, vint32m2_t)                                                   \
      TSR_SMT_V0_CASE_(1, (bits) | 0x80, vint32m2_t)                                          \
      TSR_SMT_SPARSE_##segments##_(bits) default : __builtin_trap();                          \
    }                                                                                         \
  }
#define TSR_SMT_SPARSE_SIGNS_(suffix, bits, segments)                                    \
  TSR_SMT_SPARSE_(vmadot_sp##suffix, (bits) | 0x3000, segments, vint8m2_t, vint8m1_t)    \
  TSR_SMT_SPARSE_(vmadotu_sp##suffix, bits, segments, vuint8m2_t, vuint8m1_t)            \
  TSR_SMT_SPARSE_(vmadotsu_sp##suffix, (bits) | 0x2000, segments, vint8m2_t, vuint8m1_t) \
  TSR_SMT_SPARSE_(vmadotus_sp##suffix, (bits) | 0x1000, segments, vuint8m2_t, vint8m1_t)

TSR_SMT_SPARSE_SIGNS_(, 0xe800002b, 4)
TSR_SMT_SPARSE_SIGNS_(_i4, 0xc800002b, 2)

#define TSR_SMT_SCALED_(name, bits, a_type, b_type)                                                \
  TSR_SMT_INLINE vuint16m1_t tsr_smt_##name(vuint16m1_t c, a_type a, b_type b, vuint16m1_t scales, \
                                            unsigned imm) {                                        \
    const vbool1_t v0 = __riscv_vreinterpret_v_u8m1_b1(__riscv_vreinterpret_v_u16m1_u8m1(scales)); \
    unsigned long vl;                                                                              \
    switch (imm) {                                                                                 \
      TSR_SMT_V0_CASE_(0, bits, vuint16m1_t)                                                       \
      TSR_SMT_V0_CASE_(1, (bits) | 0x1000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(2, (bits) | 0x2000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(3, (bits) | 0x3000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(4, (bits) | 0x4000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(5, (bits) | 0x5000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(6, (bits) | 0x6000, vuint16m1_t)                                            \
      TSR_SMT_V0_CASE_(7, (bits) | 0x7000, vuint16m1_t)                                            \
      default:                                                                                     \
        __builtin_trap();                                                                          \
    }                                                                                              \
  }
TSR_SMT_SCALED_(vmadot_hp, 0xf000002b, vint8m1_t, vint8m1_t)
TSR_SMT_SCALED_(vmadotu_hp, 0xec00002b, vuint8m1_t, vuint8m1_t)
TSR_SMT_SCALED_(vmadotsu_hp, 0xf400002b, vint8m1_t, vuint8m1_t)
TSR_SMT_SCALED_(vmadotus_hp, 0xf800002b, vuint8m1_t, vint8m1_t)
TSR_SMT_SCALED_(vmadot_hp_i4, 0xd000002b, vint8m1_t, vint8m1_t)
TSR_SMT_SCALED_(vmadotu_hp_i4, 0xcc00002b, vuint8m1_t, vuint8m1_t)
TSR_SMT_SCALED_(vmadotsu_hp_i4, 0xd400002b, vint8m1_t, vuint8m1_t)
TSR_SMT_SCALED_(vmadotus_hp_i4, 0xd800002b, vuint8m1_t, vint8m1_t)

#define TSR_SMT_LAYOUT_CASE_(imm_value, bits, sew)                             \
  case imm_value:                                                              \
    __asm__(TSR_SMT_REGISTERS TSR_SMT_VSETVLI(sew) TSR_SMT_WORD("d", "a", "b") \
            : [vl] "=&r"(vl), [d] "=&vr"(d)                                    \
            : [a] "vr"(a), [b] "vr"(b), [word] "i"((bits) | (imm_value) << 12) \
            : "vl", "vtype");                                                  \
    return d;
#define TSR_SMT_LAYOUT_(name, bits, sew, d_type, a_type)                   \
  TSR_SMT_INLINE d_type tsr_smt_##name(a_type a, a_type b, unsigned imm) { \
    d_type d;                                                              \
    unsigned long vl;                                                      \
    switch (imm) {                                                         \
      TSR_SMT_LAYOUT_CASE_(0, bits, sew)                                   \
      TSR_SMT_LAYOUT_CASE_(1, bits, sew)                                   \
      TSR_SMT_LAYOUT_CASE_(2, bits, sew)                                   \
      TSR_SMT_LAYOUT_CASE_(3, bits, sew)                                   \
      default:                                                             \
        __builtin_trap();                                                  \
    }                                                                      \
  }
#define TSR_SMT_WIDE_(sew, type, letter, bits_of)                                         \
  TSR_SMT_LAYOUT_(vpack_##letter##bits_of, 0x6600002b, sew, v##type##m2_t, v##type##m1_t) \
  TSR_SMT_LAYOUT_(vupack_##letter##bits_of, 0x6600402b, sew, v##type##m2_t, v##type##m1_t)
TSR_SMT_WIDE_("e8", int8, i, 8)
TSR_SMT_WIDE_("e8", uint8, u, 8)
TSR_SMT_WIDE_("e16", int16, i, 16)
TSR_SMT_WIDE_("e16", uint16, u, 16)
TSR_SMT_WIDE_("e32", int32, i, 32)
TSR_SMT_WIDE_("e32", uint32, u, 32)
TSR_SMT_WIDE_("e64", int64, i, 64)
TSR_SMT_WIDE_("e64", uint64, u, 64)
TSR_SMT_LAYOUT_(vnpack_i16, 0x6200002b, "e8", vint8m1_t, vint16m1_t)
TSR_SMT_LAYOUT_(vnpack_u16, 0x6200002b, "e8", vuint8m1_t, vuint16m1_t)
TSR_SMT_LAYOUT_(vnpack_i32, 0x6200002b, "e16", vint16m1_t, vint32m1_t)
TSR_SMT_LAYOUT_(vnpack_u32, 0x6200002b, "e16", vuint16m1_t, vuint32m1_t)
TSR_SMT_LAYOUT_(vnpack_i64, 0x6200002b, "e32", vint32m1_t, vint64m1_t)
TSR_SMT_LAYOUT_(vnpack_u64, 0x6200002b, "e32", vuint32m1_t, vuint64m1_t)
TSR_SMT_LAYOUT_(vnspack_i16, 0x6200402b, "e8", vint8m1_t, vint16m1_t)
TSR_SMT_LAYOUT_(vnspack_i32, 0x6200402b, "e16", vint16m1_t, vint32m1_t)
TSR_SMT_LAYOUT_(vnspack_i64, 0x6200402b, "e32", vint32m1_t, vint64m1_t)
TSR_SMT_LAYOUT_(vnpack4_i8, 0x4200002b, "e8", vint8m1_t, vint8m1_t)
TSR_SMT_LAYOUT_(vnpack4_u8, 0x4200002b, "e8", vuint8m1_t, vuint8m1_t)
TSR_SMT_LAYOUT_(vnspack4_i8, 0x4200402b, "e8", vint8m1_t, vint8m1_t)

/// Bytes of one register.
TSR_SMT_INLINE size_t tsr_smt_vlenb(void) {
  return __riscv_vsetvlmax_e8m1();
}
// Whole registers from and to memory.
#define TSR_SMT_MEMORY_(type, name, sew, lmul)                                                    \
  TSR_SMT_INLINE v##type##lmul##_t tsr_smt_load_##name##lmul(const TSR_SMT_C_##type* from) {      \
    return __riscv_vle##sew##_v_##name##lmul(from, __riscv_vsetvlmax_e##sew##lmul());             \
  }                                                                                               \
  TSR_SMT_INLINE void tsr_smt_store_##name##lmul(TSR_SMT_C_##type* to, v##type##lmul##_t value) { \
    __riscv_vse##sew##_v_##name##lmul(to, value, __riscv_vsetvlmax_e##sew##lmul());               \
  }
#define TSR_SMT_C_int8 int8_t
#define TSR_SMT_C_uint8 uint8_t
#define TSR_SMT_C_int16 int16_t
#define TSR_SMT_C_uint16 uint16_t
#define TSR_SMT_C_int32 int32_t
#define TSR_SMT_C_uint32 uint32_t
#define TSR_SMT_C_int64 int64_t
#define TSR_SMT_C_uint64 uint64_t
#define TSR_SMT_C_float32 float
#define TSR_SMT_MEMORY_BOTH_(type, name, sew) \
  TSR_SMT_MEMORY_(type, name, sew, m1) TSR_SMT_MEMORY_(type, name, sew, m2)
TSR_SMT_MEMORY_BOTH_(int8, i8, 8)
TSR_SMT_MEMORY_BOTH_(uint8, u8, 8)
TSR_SMT_MEMORY_BOTH_(int16, i16, 16)
TSR_SMT_MEMORY_BOTH_(uint16, u16, 16)
TSR_SMT_MEMORY_BOTH_(int32, i32, 32)
TSR_SMT_MEMORY_BOTH_(uint32, u32, 32)
TSR_SMT_MEMORY_BOTH_(int64, i64, 64)
TSR_SMT_MEMORY_BOTH_(uint64, u64, 64)
TSR_SMT_MEMORY_(float32, f32, 32, m2)
TSR_SMT_INLINE vint32m2_t tsr_smt_zero_i32m2(void) {
  return __riscv_vmv_v_x_i32m2(0, __riscv_vsetvlmax_e32m2());
}
TSR_SMT_INLINE vfloat32m2_t tsr_smt_zero_f32m2(void) {
  return __riscv_vreinterpret_v_i32m2_f32m2(tsr_smt_zero_i32m2());
}
TSR_SMT_INLINE vuint16m1_t tsr_smt_zero_u16m1(void) {
  return __riscv_vmv_v_x_u16m1(0, __riscv_vsetvlmax_e16m1());
}

#undef TSR_SMT_PRODUCT_
#undef TSR_SMT_NOT_V0_
#undef TSR_SMT_SIGNS_
#undef TSR_SMT_V0_CASE_
#undef TSR_SMT_SPARSE_4_
#undef TSR_SMT_SPARSE_2_
#undef TSR_SMT_SPARSE_
#undef TSR_SMT_SPARSE_SIGNS_
#undef TSR_SMT_SCALED_
#undef TSR_SMT_LAYOUT_CASE_
#undef TSR_SMT_LAYOUT_
#undef TSR_SMT_WIDE_
#undef TSR_SMT_MEMORY_
#undef TSR_SMT_MEMORY_BOTH_
#undef TSR_SMT_C_int8
#undef TSR_SMT_C_uint8
#undef TSR_SMT_C_int16
#undef TSR_SMT_C_uint16
#undef TSR_SMT_C_int32
#undef TSR_SMT_C_uint32
#undef TSR_SMT_C_int64
#undef TSR_SMT_C_uint64
#undef TSR_SMT_C_float32

#endif  // TESSERA_BACKEND_IME_RVV_IME_H_
