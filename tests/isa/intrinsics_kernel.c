/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* The intrinsics in C: compiled, not run. */
#include "tessera/ime.h"

void add_tiles(int32_t* c, const int8_t* a, const int8_t* b, size_t steps);
void add_tiles(int32_t* c, const int8_t* a, const int8_t* b, size_t steps) {
  const size_t bytes = tsr_smt_vlenb();
  vint32m2_t sums = tsr_smt_load_i32m2(c);
  for (size_t s = 0; s < steps; ++s) {
    sums = tsr_smt_vmadot(sums, tsr_smt_load_i8m1(a + s * bytes), tsr_smt_load_i8m1(b + s * bytes));
  }
  tsr_smt_store_i32m2(c, sums);
}

void add_scaled(uint16_t* c, const int8_t* a, const uint8_t* b, const uint16_t* scales);
void add_scaled(uint16_t* c, const int8_t* a, const uint8_t* b, const uint16_t* scales) {
  vuint16m1_t sums = tsr_smt_load_u16m1(c);
  sums = tsr_smt_vmadotsu_hp_i4(sums, tsr_smt_load_i8m1(a), tsr_smt_load_u8m1(b),
                                tsr_smt_load_u16m1(scales), 3);
  tsr_smt_store_u16m1(c, sums);
}
