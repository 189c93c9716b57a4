// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The assembler text of the loops of block_sums.hpp and level_sums.hpp, in pieces.
#ifndef TESSERA_BACKEND_IME_LOOPS_IME_H_
#define TESSERA_BACKEND_IME_LOOPS_IME_H_

#include "tessera/backend/ime/rvv_ime.h"

// clang-format off
// One product: k step s of the upper tile (registers c, a 2 s) and of the lower one (c + 2, a 2 s + 1).
#define TSR_SMT_BLOCK_STEP(a_upper, a_lower, step) \
  TSR_SMT_WORD_OF("c", "a", "b", "", a_upper, step) TSR_SMT_WORD_OF("c", "a", "b", "+2", a_lower, step)
#define TSR_SMT_BLOCK_TWO_STEPS TSR_SMT_BLOCK_STEP("", "+1", "") TSR_SMT_BLOCK_STEP("+2", "+3", "+1")
#define TSR_SMT_BLOCK_FOUR_STEPS TSR_SMT_BLOCK_TWO_STEPS TSR_SMT_BLOCK_STEP("+4", "+5", "+2") TSR_SMT_BLOCK_STEP("+6", "+7", "+3")
// total = fma(float(c), sa * sb rounded, total); sb is one register at t1, copied to four (vmv1r.v, vmv2r.v).
#define TSR_SMT_BLOCK_SCALE(total)                                                                   \
  "vl1re32.v %[b], (t1)\n"                                                                         \
  ".4byte 0x9e003057 | .Ltessera_%[b] << 20 | (.Ltessera_%[b]+1) << 7\n"                           \
  ".4byte 0x9e00b057 | .Ltessera_%[b] << 20 | (.Ltessera_%[b]+2) << 7\n"                           \
  "vsetvli t2, zero, e32, m4, ta, ma\n vfcvt.f.x.v %[c], %[c]\n vfmul.vv %[b], %[sa], %[b]\n"      \
  "vfmacc.vv %[" total "], %[c], %[b]\n"
#define TSR_SMT_BLOCK_FIRST(load, steps) \
  load " %[b], (%[pb])\n" steps "mv t1, %[psb]\n" TSR_SMT_BLOCK_SCALE("t0")
#define TSR_SMT_BLOCK_LATER(load, steps, j)                                                          \
  "vmv.v.i %[c], 0\n vsetvli t2, zero, e32, m1, ta, ma\n add t1, %[pb], %[b" j "]\n"               \
  load " %[b], (t1)\n" steps "add t1, %[psb], %[s" j "]\n" TSR_SMT_BLOCK_SCALE("t" j)
#define TSR_SMT_BLOCK_LOOP(load_a, a_bytes, load_b, b_bytes, sa_bytes, sb_bytes, steps, more)        \
  TSR_SMT_REGISTERS                                                                                \
  "1:\n" load_a " %[a], (%[pa])\n addi %[pa], %[pa], " a_bytes "\n"                                \
  "vl4re32.v %[sa], (%[psa])\n addi %[psa], %[psa], " sa_bytes "\n"                                \
  "vsetvli t2, zero, e32, m4, ta, ma\n vmv.v.i %[c], 0\n vsetvli t2, zero, e32, m1, ta, ma\n"      \
  TSR_SMT_BLOCK_FIRST(load_b, steps) TSR_SMT_BLOCK_LATER(load_b, steps, "1")                           \
  TSR_SMT_BLOCK_LATER(load_b, steps, "2") more                                                       \
  "addi %[pb], %[pb], " b_bytes "\n addi %[psb], %[psb], " sb_bytes "\n"                           \
  "addi %[groups], %[groups], -1\n bnez %[groups], 1b\n"

// level_sums.hpp: four k steps of the upper tile (t, a 2 s) and of the lower one (t + 2, a 2 s + 1).
#define TSR_SMT_LEVEL_STEP(t, a_upper, a_lower, step) \
  TSR_SMT_WORD_OF(t, "a", "b", "", a_upper, step) TSR_SMT_WORD_OF(t, "a", "b", "+2", a_lower, step)
#define TSR_SMT_LEVEL_STEPS(t)                                                \
  TSR_SMT_LEVEL_STEP(t, "", "+1", "") TSR_SMT_LEVEL_STEP(t, "+2", "+3", "+1") \
  TSR_SMT_LEVEL_STEP(t, "+4", "+5", "+2") TSR_SMT_LEVEL_STEP(t, "+6", "+7", "+3")
#define TSR_SMT_LEVEL_PANEL(j) \
  "add t1, %[pb], %[b" j "]\n vl4re8.v %[b], (t1)\n" TSR_SMT_LEVEL_STEPS("t" j)
#define TSR_SMT_LEVEL_LOOP(a_bytes, b_bytes, more)                                                   \
  TSR_SMT_REGISTERS "vsetvli t1, zero, e32, m1, ta, ma\n"                                            \
  "1:\n vl8re8.v %[a], (%[pa])\n vl4re8.v %[b], (%[pb])\n" TSR_SMT_LEVEL_STEPS("t0")                 \
  TSR_SMT_LEVEL_PANEL("1") TSR_SMT_LEVEL_PANEL("2") more                                             \
  "addi %[pa], %[pa], " a_bytes "\n addi %[pb], %[pb], " b_bytes "\n"                                \
  "bne %[pa], %[end], 1b\n"

// clang-format on

#endif  // TESSERA_BACKEND_IME_LOOPS_IME_H_
