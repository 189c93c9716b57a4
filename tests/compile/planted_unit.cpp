// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Every fault that check_symbols.py looks for: a weak symbol with vector code outside the ISA namespace, a call of a
// library, and a static initialiser.
#include <cmath>
#include <cstdio>

#if defined(__riscv_vector)
#include <riscv_vector.h>
inline float weak_vector_code(float x) {
  return __riscv_vfmv_f_s_f32m1_f32(__riscv_vfmv_s_f_f32m1(x, 1));
}
#else
inline float weak_vector_code(float x) {
  return x * x + 1.0f;
}
#endif

float planted_call(float x) {
  return weak_vector_code(std::sin(x));
}

const int planted_initialiser = std::puts("");
const int* planted_use = &planted_initialiser;
