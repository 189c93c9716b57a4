/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Softmax of fixed rows; prints the version of the compiled copy and a hash of the result. */
#include <stdint.h>
#include <stdio.h>

#define TSR_SUFFIX _mine
#include "tessera/tessera.h"

enum { M = 3, K = 64 };

int main(void) {
  static float x[M * K];
  tsr_softmax_args args = tsr_softmax_init();
  tsr_build_facts build = tsr_build_init();
  uint32_t seed = 1, hash = 0x811c9dc5u;
  size_t i;
  for (i = 0; i < M * K; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (float)((int32_t)seed / 256) * 0x1p-23f;
  }
  args.x.data = args.y.data = x;
  args.x.rows = args.y.rows = M;
  args.x.cols = args.y.cols = K;
  args.x.row_stride = args.y.row_stride = K;
  if (tsr_softmax_mine(&args) != TSR_OK || tsr_build_mine(&build) != TSR_OK) return 1;
  for (i = 0; i < sizeof x; ++i) hash = (hash ^ ((const unsigned char*)x)[i]) * 0x01000193u;
  printf("%lu.%lu.%lu %08lx\n", (unsigned long)build.version_major,
         (unsigned long)build.version_minor, (unsigned long)build.version_patch,
         (unsigned long)hash);
  return 0;
}
