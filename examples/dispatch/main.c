/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Two copies of the library in one program: one for every core, one for the cores that have more. Each thread asks once what
 * it runs on and takes the copy that fits; the weights are packed once, for both, and the bits are the same.
 *
 *   dispatch [plain|tuned]      the argument forces a copy, for cores that this program cannot tell
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tessera/tessera.h" /* the copy for every core */
#define TSR_SUFFIX _tuned
#include "tessera/tessera.h" /* the copy for some */

/* What this program needs of a copy. */
typedef struct copy {
  const char* name;
  tsr_status (*plan)(const tsr_matmul_args*, tsr_plan*);
  tsr_status (*matmul)(const tsr_matmul_args*);
  tsr_status (*softmax)(const tsr_softmax_args*);
} copy;
static const copy plain = {"plain", tsr_matmul_plan, tsr_matmul, tsr_softmax};
static const copy tuned = {"tuned", tsr_matmul_plan_tuned, tsr_matmul_tuned, tsr_softmax_tuned};

/* The tuned copy is compiled for matrix instructions at VLEN 256, or on x86 for AVX2. */
static const copy* copy_for_this_thread(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &tuned : &plain;
#else
  tsr_core_facts facts = tsr_core_init();
  if (tsr_core(&facts) != TSR_OK) return &plain;
  printf("core %s, vlenb %lu, backend %s\n", facts.core, (unsigned long)facts.vlenb, facts.backend);
  return strcmp(facts.backend, "ime1") == 0 ? &tuned : &plain;
#endif
}

enum { M = 5, N = 24, K = 256 };
static float a[M * K], w[N * K], c[M * N];
static unsigned char memory[1 << 18];

/* softmax(a * w), row by row; a hash of the result, or 0. */
static uint32_t run(const copy* with, const void* image, size_t bytes, unsigned char* free_memory) {
  tsr_matmul_args product = tsr_matmul_init();
  tsr_softmax_args soft = tsr_softmax_init();
  tsr_plan plan;
  uint32_t hash = 0x811c9dc5u;
  size_t i;
  memset(c, 0, sizeof c);
  product.a.data = a;
  product.a.rows = product.c.rows = M;
  product.a.cols = product.a.row_stride = product.b.k = K;
  product.b.format = TSR_Q4_0;
  product.b.data = image;
  product.b.bytes = bytes;
  product.b.n = product.c.cols = product.c.row_stride = N;
  product.c.data = c;
  if (with->plan(&product, &plan) != TSR_OK) return 0;
  product.workspace.shared = free_memory;
  product.workspace.shared_bytes = plan.shared;
  product.workspace.scratch = free_memory + (plan.shared + 63) / 64 * 64;
  product.workspace.scratch_bytes = plan.scratch;
  soft.x.data = soft.y.data = c;
  soft.x.rows = soft.y.rows = M;
  soft.x.cols = soft.y.cols = soft.x.row_stride = soft.y.row_stride = N;
  if (with->matmul(&product) != TSR_OK || with->softmax(&soft) != TSR_OK) return 0;
  for (i = 0; i < sizeof c; ++i) hash = (hash ^ ((const unsigned char*)c)[i]) * 0x01000193u;
  return hash;
}

int main(int argc, char** argv) {
  unsigned char* image = memory + 64 - (uintptr_t)memory % 64;
  const tsr_tile tile = {4, 4, 8}; /* the order that the matrix instructions want; every copy reads it */
  tsr_const_matrix weights;
  const copy* chosen = copy_for_this_thread();
  uint32_t seed = 1, hash, other;
  size_t bytes, i;
  if (argc == 2) chosen = strcmp(argv[1], "tuned") == 0 ? &tuned : &plain;
  for (i = 0; i < M * K + N * K; ++i) {
    float* const to = i < M * K ? a + i : w + (i - M * K);
    seed = seed * 1664525u + 1013904223u;
    *to = (float)((int32_t)seed / 256) * 0x1p-23f;
  }
  weights.data = w;
  weights.rows = N;
  weights.cols = weights.row_stride = K;
  if (tsr_packed_size(TSR_Q4_0, tile, N, K, &bytes) != TSR_OK ||
      tsr_pack(TSR_Q4_0, tile, &weights, image, bytes, 0, N) != TSR_OK)
    return 1;
  hash = run(chosen, image, bytes, image + bytes);
  other = run(&plain, image, bytes, image + bytes);
  printf("%s %08lx, plain %08lx\n", chosen->name, (unsigned long)hash, (unsigned long)other);
  return hash != 0 && hash == other ? 0 : 1;
}
