/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Small problems that the C interface and the C++ library both compute: their sizes and inputs. */
#ifndef TESSERA_TESTS_C_INTERFACE_CALLS_H_
#define TESSERA_TESTS_C_INTERFACE_CALLS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  call_rows = 5,
  call_cols = 64,
  call_outputs = 20,
  call_k = 256,      /* a whole block of every format */
  call_partial = 75, /* no whole block of any */
  call_heads = 4,
  call_key_heads = 2,
  call_tokens = 3,
  call_keys = 130, /* three blocks of attention */
  call_dim = 32,
  call_experts = 3,
  call_used = 2,
  call_states = 8,
  call_width = 4
};

/* Told of each result: its name, and a hash of its bytes. */
typedef void (*call_record)(const char* name, uint64_t hash);

/* A result must be TSR_OK (0); anything else is recorded in its place. */
uint64_t call_hash(uint32_t status, const void* bytes, size_t size);
/* Floats in (-1, 1), the same everywhere. */
void call_fill(float* x, size_t count, uint32_t seed);
/* Memory from a pool that call_reset() empties; zeroed, aligned to 64 bytes. */
void* call_memory(size_t bytes);
float* call_floats(size_t count, uint32_t seed);
void call_reset(void);
/* Are there digests of a format? Of one that was added to the library later there need not be. */
int call_recorded(uint32_t format);

/* The same calls compiled as C99, C++11 and C++17. The result: how many statuses were not as they should be. */
int calls_c99(call_record record);
int calls_cxx11(call_record record);
int calls_cxx17(call_record record);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_TESTS_C_INTERFACE_CALLS_H_ */
