// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The assembler text of the loops of row_sums.hpp, in pieces. Registers by number: v0-v1 totals, v4-v7 the sums of
/// two groups, v8 on the row, up to v31 the weights; between groups v20-v31 are free.
#ifndef TESSERA_BACKEND_IME_ROW_LOOPS_IME_H_
#define TESSERA_BACKEND_IME_ROW_LOOPS_IME_H_

// clang-format off
// The row's codes are in row 4 of a pair of registers that is 0 elsewhere: panel p's products come out in row p if the
// pair is read 4 - p rows further on; 4 is the second register alone.
#define TSR_SMT_ROW_DOT(panel, c, a, b) ".4byte %[word" panel "] | " b " << 20 | " a " << 15 | " c " << 7\n"
#define TSR_SMT_ROW_ONE_REGISTER "vsetvli t0, zero, e8, m1, ta, ma\n"

// v20 on: float(sums), which begin at 0 again. v28 on: the f16 scales in v24 on as f32; finite ones only.
#define TSR_SMT_ROW_TO_FLOATS                                                                              \
  "vfcvt.f.x.v v20, v4\n vmv.v.i v4, 0\n vsext.vf2 v28, v24\n vsll.vi v28, v28, 13\n"                      \
  "vand.vx v28, v28, %[mask]\n vfmul.vf v28, v28, %[unit]\n"
// total += float(sums) * (sa * sb rounded), one group after the other.
#define TSR_SMT_ROW_SCALE_TWO(levels)                                                                              \
  "vsetvli t0, %[have], e64, m1, ta, ma\n vlsseg2e64.v v24, (%[sb]), %[apart]\n addi %[sb], %[sb], 16\n"   \
  "vsetvli t0, zero, e32, m4, ta, ma\n" levels TSR_SMT_ROW_TO_FLOATS "vsetvli t0, zero, e32, m2, ta, ma\n"        \
  "flw ft0, 0(%[sa])\n flw ft1, 128(%[sa])\n addi %[sa], %[sa], 256\n"                                     \
  "vfmul.vf v28, v28, ft0\n vfmul.vf v30, v30, ft1\n vfmacc.vv v0, v20, v28\n vfmacc.vv v0, v22, v30\n"
#define TSR_SMT_ROW_SCALE_ONE(levels)                                                                              \
  "vsetvli t0, %[have], e64, m1, ta, ma\n vlse64.v v24, (%[sb]), %[apart]\n flw ft0, 0(%[sa])\n"           \
  "vsetvli t0, zero, e32, m2, ta, ma\n" levels TSR_SMT_ROW_TO_FLOATS                                              \
  "vfmul.vf v28, v28, ft0\n vfmacc.vv v0, v20, v28\n"
#define TSR_SMT_ROW_LOOP(two, one, levels)                                                                 \
  "vsetvli t0, zero, e32, m4, ta, ma\n vmv.v.i v0, 0\n vmv.v.i v4, 0\n beq %[sa], %[pairs], 2f\n"            \
  "1:\n" two TSR_SMT_ROW_SCALE_TWO(levels) "bne %[sa], %[pairs], 1b\n"                                      \
  "2: beqz %[odd], 3f\n" one TSR_SMT_ROW_SCALE_ONE(levels) "3: vs2r.v v0, (%[out])\n"

// Codes of a byte. Two groups: rows v8-v15 and v16-v23, a panel's columns v24-v31.
#define TSR_SMT_ROW_BYTES_STEP(p, a0, a1, b0, b1) TSR_SMT_ROW_DOT(p, "4", a0, b0) TSR_SMT_ROW_DOT(p, "6", a1, b1)
#define TSR_SMT_ROW_BYTES_PANEL(p, at)                                                                     \
  "vl8re8.v v24, (" at ")\n"                                                                               \
  TSR_SMT_ROW_BYTES_STEP(p, "8", "16", "24", "28") TSR_SMT_ROW_BYTES_STEP(p, "10", "18", "25", "29")       \
  TSR_SMT_ROW_BYTES_STEP(p, "12", "20", "26", "30") TSR_SMT_ROW_BYTES_STEP(p, "14", "22", "27", "31")
#define TSR_SMT_ROW_BYTES_TWO                                                                              \
  "vl8re8.v v8, (%[a])\n addi %[a], %[a], 256\n vl8re8.v v16, (%[a])\n addi %[a], %[a], 256\n"             \
  TSR_SMT_ROW_ONE_REGISTER TSR_SMT_ROW_BYTES_PANEL("0", "%[b]")                                            \
  "add t1, %[b], %[b1]\n" TSR_SMT_ROW_BYTES_PANEL("1", "t1")                                               \
  "add t1, %[b], %[b2]\n" TSR_SMT_ROW_BYTES_PANEL("2", "t1")                                               \
  "add t1, %[b], %[b3]\n" TSR_SMT_ROW_BYTES_PANEL("3", "t1") "addi %[b], %[b], 256\n"
#define TSR_SMT_ROW_BYTES_LAST(p, at)                                                                      \
  "vl4re8.v v24, (" at ")\n" TSR_SMT_ROW_DOT(p, "4", "8", "24") TSR_SMT_ROW_DOT(p, "4", "10", "25")        \
  TSR_SMT_ROW_DOT(p, "4", "12", "26") TSR_SMT_ROW_DOT(p, "4", "14", "27")
#define TSR_SMT_ROW_BYTES_ONE                                                                              \
  "vl8re8.v v8, (%[a])\n"                                                                                  \
  TSR_SMT_ROW_ONE_REGISTER TSR_SMT_ROW_BYTES_LAST("0", "%[b]")                                             \
  "add t1, %[b], %[b1]\n" TSR_SMT_ROW_BYTES_LAST("1", "t1")                                                \
  "add t1, %[b], %[b2]\n" TSR_SMT_ROW_BYTES_LAST("2", "t1")                                                \
  "add t1, %[b], %[b3]\n" TSR_SMT_ROW_BYTES_LAST("3", "t1")

// Nibbles: a byte holds the codes of k steps s and s + 2. The columns of two panels, v24-v31, become 16 times the levels
// in v16-v23 (low) and v24-v31 (high); the row's groups take turns in v8-v15.
#define TSR_SMT_ROW_NIBBLES                                                                                \
  "vsetvli t0, zero, e8, m8, ta, ma\n vxor.vx v24, v24, %[eights]\n vsll.vi v16, v24, 4\n"                  \
  "vand.vi v24, v24, -16\n" TSR_SMT_ROW_ONE_REGISTER
#define TSR_SMT_ROW_NIBBLES_LEVELS "vsra.vi v4, v4, 4\n"
#define TSR_SMT_ROW_NIBBLES_STEP(p, q, c, a, b, next) TSR_SMT_ROW_DOT(p, c, a, b) TSR_SMT_ROW_DOT(q, c, a, next)
#define TSR_SMT_ROW_NIBBLES_FIRST(p, q)                                                                    \
  TSR_SMT_ROW_NIBBLES_STEP(p, q, "4", "8", "16", "20") TSR_SMT_ROW_NIBBLES_STEP(p, q, "4", "10", "17", "21") \
  TSR_SMT_ROW_NIBBLES_STEP(p, q, "4", "12", "24", "28") TSR_SMT_ROW_NIBBLES_STEP(p, q, "4", "14", "25", "29")
#define TSR_SMT_ROW_NIBBLES_SECOND(p, q)                                                                   \
  TSR_SMT_ROW_NIBBLES_STEP(p, q, "6", "8", "18", "22") TSR_SMT_ROW_NIBBLES_STEP(p, q, "6", "10", "19", "23") \
  TSR_SMT_ROW_NIBBLES_STEP(p, q, "6", "12", "26", "30") TSR_SMT_ROW_NIBBLES_STEP(p, q, "6", "14", "27", "31")
#define TSR_SMT_ROW_NIBBLES_TWO                                                                            \
  "vl8re8.v v8, (%[a])\n addi t1, %[a], 256\n"                                                             \
  "vl4re8.v v24, (%[b])\n add t2, %[b], %[b1]\n vl4re8.v v28, (t2)\n" TSR_SMT_ROW_NIBBLES                  \
  TSR_SMT_ROW_NIBBLES_FIRST("0", "1") "vl8re8.v v8, (t1)\n" TSR_SMT_ROW_NIBBLES_SECOND("0", "1")           \
  "add t1, %[b], %[b2]\n vl4re8.v v24, (t1)\n add t1, %[b], %[b3]\n vl4re8.v v28, (t1)\n"                  \
  "addi %[b], %[b], 128\n" TSR_SMT_ROW_NIBBLES TSR_SMT_ROW_NIBBLES_SECOND("2", "3")                        \
  "vl8re8.v v8, (%[a])\n addi %[a], %[a], 512\n" TSR_SMT_ROW_NIBBLES_FIRST("2", "3")
#define TSR_SMT_ROW_NIBBLES_LAST(p, low, low_next, high, high_next)                                        \
  TSR_SMT_ROW_DOT(p, "4", "8", low) TSR_SMT_ROW_DOT(p, "4", "10", low_next)                                \
  TSR_SMT_ROW_DOT(p, "4", "12", high) TSR_SMT_ROW_DOT(p, "4", "14", high_next)
#define TSR_SMT_ROW_NIBBLES_ONE                                                                            \
  "vl8re8.v v8, (%[a])\n vl2re8.v v24, (%[b])\n"                                                           \
  "add t1, %[b], %[b1]\n vl2re8.v v26, (t1)\n add t1, %[b], %[b2]\n vl2re8.v v28, (t1)\n"                  \
  "add t1, %[b], %[b3]\n vl2re8.v v30, (t1)\n" TSR_SMT_ROW_NIBBLES                                         \
  TSR_SMT_ROW_NIBBLES_LAST("0", "16", "17", "24", "25") TSR_SMT_ROW_NIBBLES_LAST("1", "18", "19", "26", "27") \
  TSR_SMT_ROW_NIBBLES_LAST("2", "20", "21", "28", "29") TSR_SMT_ROW_NIBBLES_LAST("3", "22", "23", "30", "31")

// The whole statement, in terms of the names in ImeRowSums::sum_tile().
#define TSR_SMT_ROW_STATEMENT(two, one, levels)                                                            \
  __asm__ volatile(                                                                                        \
      TSR_SMT_ROW_LOOP(two, one, levels)                                                                   \
      : [a] "+&r"(a), [sa] "+&r"(sa), [sb] "+&r"(sb), [b] "+&r"(b)                                         \
      : [out] "r"(out), [pairs] "r"(pairs), [odd] "r"(in.groups % 2), [have] "r"(four.have),             \
        [apart] "r"(in.panel_bytes), [b1] "r"(four.second), [b2] "r"(four.third), [b3] "r"(four.fourth),   \
        [mask] "r"(sign_and_magnitude), [eights] "r"(0x88), [unit] "f"(0x1p112f), [word0] "i"(word0),   \
        [word1] "i"(word1), [word2] "i"(word2), [word3] "i"(word3)                                \
      : "t0", "t1", "t2", "ft0", "ft1", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", \
        "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",  \
        "v25", "v26", "v27", "v28", "v29", "v30", "v31", "vl", "vtype", "memory")
// clang-format on

#endif  // TESSERA_BACKEND_IME_ROW_LOOPS_IME_H_
