// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The assembler text of the loops of key_major.hpp. Registers of the scores by number: v0-v1 the total of eight keys and
/// eight queries, v8 on the keys and then the scales, v16 on the sums of groups, v24 on the queries.
#ifndef TESSERA_BACKEND_IME2_KEY_LOOPS_IME_H_
#define TESSERA_BACKEND_IME2_KEY_LOOPS_IME_H_

// clang-format off
// Both k steps of a group.
#define TSR_SMT_KEY_DOT(c, k, q) ".4byte %[word] | " q " << 20 | " k " << 15 | " c " << 7\n"
#define TSR_SMT_KEY_GROUP(c, k0, k1, q0, q1) TSR_SMT_KEY_DOT(c, k0, q0) TSR_SMT_KEY_DOT(c, k1, q1)
#define TSR_SMT_KEY_ONE TSR_SMT_KEY_GROUP("16", "8", "9", "24", "25")
#define TSR_SMT_KEY_FOUR                                                                                    \
  TSR_SMT_KEY_ONE TSR_SMT_KEY_GROUP("18", "10", "11", "26", "27")                                            \
  TSR_SMT_KEY_GROUP("20", "12", "13", "28", "29") TSR_SMT_KEY_GROUP("22", "14", "15", "30", "31")
// total = fma(float(sum), scale, total), group after group.
#define TSR_SMT_KEY_ADD_ONE "vfmacc.vv v0, v16, v8\n"
#define TSR_SMT_KEY_ADD_FOUR                                                                                \
  TSR_SMT_KEY_ADD_ONE "vfmacc.vv v0, v18, v10\n vfmacc.vv v0, v20, v12\n vfmacc.vv v0, v22, v14\n"
#define TSR_SMT_KEY_STATEMENT(registers, dots, adds)                                                        \
  __asm__ volatile(                                                                                         \
      "vl" registers "re8.v v24, (%[q])\n"                                                                  \
      "1: vl" registers "re8.v v8, (%[k])\n add %[k], %[k], %[apart]\n"                                     \
      "vsetvli t0, zero, e32, m" registers ", ta, ma\n vmv.v.i v16, 0\n vsetvli t0, zero, e32, m1, ta, ma\n" \
      dots                                                                                                  \
      "vl" registers "re32.v v8, (%[s])\n add %[s], %[s], %[apart]\n vl2re32.v v0, (%[z])\n"                \
      "vsetvli t0, zero, e32, m" registers ", ta, ma\n vfcvt.f.x.v v16, v16\n"                              \
      "vsetvli t0, zero, e32, m2, ta, ma\n" adds                                                            \
      "vs2r.v v0, (%[z])\n addi %[z], %[z], 256\n bne %[z], %[end], 1b\n"                                   \
      : [k] "+&r"(k), [s] "+&r"(s), [z] "+&r"(z)                                                            \
      : [q] "r"(q), [apart] "r"(apart), [end] "r"(end), [word] "i"(detail::ime_word<Insn>)                  \
      : "t0", "v0", "v1", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", \
        "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "vl", "vtype",  \
        "memory")

// A key's value, v16 or v24 on, times the weights of four rows (v0, v4, v8, v12) or of one; `at` is the key's distance in
// weights. A pair of values that follow one another is one load.
#define TSR_SMT_VALUE_LOAD(v) "vle32.v v" v ", (%[x])\n add %[x], %[x], %[step]\n"
#define TSR_SMT_VALUE_ADD_FOUR(v, at)                                                                       \
  "flw ft0, " at "(%[p])\n flw ft1, 4+" at "(%[p])\n flw ft2, 8+" at "(%[p])\n flw ft3, 12+" at "(%[p])\n"   \
  "vfmacc.vf v0, ft0, v" v "\n vfmacc.vf v4, ft1, v" v "\n"                                                 \
  "vfmacc.vf v8, ft2, v" v "\n vfmacc.vf v12, ft3, v" v "\n"
#define TSR_SMT_VALUE_ADD_ONE(v, at) "flw ft0, " at "(%[p])\n vfmacc.vf v0, ft0, v" v "\n"
#define TSR_SMT_VALUE_APART(add, v, next, at, at_next)                                                      \
  TSR_SMT_VALUE_LOAD(v) TSR_SMT_VALUE_LOAD(next) add(v, at) add(next, at_next)
#define TSR_SMT_VALUE_PAIR(add, v, next, at, at_next)                                                       \
  "vl8re32.v v" v ", (%[x])\n addi %[x], %[x], 1024\n" add(v, at) add(next, at_next)
#define TSR_SMT_VALUES(two, add)                                                                            \
  "vsetvli t0, %[columns], e32, m4, ta, ma\n vmv.v.i v0, 0\n vmv.v.i v4, 0\n vmv.v.i v8, 0\n"               \
  "vmv.v.i v12, 0\n beq %[p], %[eights], 2f\n"                                                              \
  "1:" two(add, "16", "20", "0", "32") two(add, "24", "28", "64", "96")                                     \
  two(add, "16", "20", "128", "160") two(add, "24", "28", "192", "224")                                     \
  "addi %[p], %[p], 256\n bne %[p], %[eights], 1b\n"                                                        \
  "2: beq %[p], %[end], 4f\n"                                                                               \
  "3:" TSR_SMT_VALUE_LOAD("16") add("16", "0") "addi %[p], %[p], 32\n bne %[p], %[end], 3b\n4:\n"
#define TSR_SMT_VALUES_STATEMENT(two, add, stores)                                                          \
  __asm__ volatile(TSR_SMT_VALUES(two, add) stores                                                          \
                   : [p] "+&r"(p), [x] "+&r"(x)                                                             \
                   : [step] "r"(step), [columns] "r"(columns), [eights] "r"(eights), [end] "r"(end),        \
                     [o0] "r"(o0), [o1] "r"(o1), [o2] "r"(o2), [o3] "r"(o3)                                 \
                   : "t0", "ft0", "ft1", "ft2", "ft3", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", \
                     "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",     \
                     "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "vl",     \
                     "vtype", "memory")
#define TSR_SMT_STORE_FOUR                                                                                  \
  "vse32.v v12, (%[o3])\n vse32.v v8, (%[o2])\n vse32.v v4, (%[o1])\n" TSR_SMT_STORE_ONE
#define TSR_SMT_STORE_ONE "vse32.v v0, (%[o0])\n"
// clang-format on

#endif  // TESSERA_BACKEND_IME2_KEY_LOOPS_IME_H_
