/* SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause */
/* Every function of tessera.h at least once: C99 that is C++11, too. CALLS_ENTRY is the name of the program. */
#include "tests/c_interface/calls.h"

#include <string.h>

#include "tessera/tessera.h"

static call_record record;
static int wrong;

static void expect(tsr_status have, tsr_status want, int line) {
  if (have == want) return;
  ++wrong;
  record("status of line", (uint64_t)line << 32 | have);
}
#define EXPECT(call, want) expect((call), (want), __LINE__)
#define OK(call) EXPECT(call, TSR_OK)

static tsr_matrix matrix(float* x, size_t rows, size_t cols) {
  tsr_matrix m;
  m.data = x;
  m.rows = rows;
  m.cols = cols;
  m.row_stride = (ptrdiff_t)cols;
  return m;
}
static tsr_const_matrix const_matrix(const float* x, size_t rows, size_t cols) {
  tsr_const_matrix m;
  m.data = x;
  m.rows = rows;
  m.cols = cols;
  m.row_stride = (ptrdiff_t)cols;
  return m;
}
static tsr_const_any_matrix const_any(const void* x, size_t rows, size_t cols) {
  tsr_const_any_matrix m;
  m.data = x;
  m.rows = rows;
  m.cols = cols;
  m.row_stride = (ptrdiff_t)cols;
  return m;
}
static tsr_any_matrix any(void* x, size_t rows, size_t cols) {
  tsr_any_matrix m;
  m.data = x;
  m.rows = rows;
  m.cols = cols;
  m.row_stride = (ptrdiff_t)cols;
  return m;
}
static tsr_any_heads any_heads(void* x, size_t heads, size_t tokens, size_t dim) {
  tsr_any_heads v;
  v.data = x;
  v.heads = heads;
  v.tokens = tokens;
  v.dim = dim;
  v.head_stride = (ptrdiff_t)(tokens * dim);
  v.token_stride = (ptrdiff_t)dim;
  return v;
}
static tsr_const_any_heads const_any_heads(const void* x, size_t heads, size_t tokens, size_t dim) {
  tsr_const_any_heads v;
  v.data = x;
  v.heads = heads;
  v.tokens = tokens;
  v.dim = dim;
  v.head_stride = (ptrdiff_t)(tokens * dim);
  v.token_stride = (ptrdiff_t)dim;
  return v;
}
static tsr_const_heads const_heads(const float* x, size_t heads, size_t tokens, size_t dim) {
  tsr_const_heads v;
  v.data = x;
  v.heads = heads;
  v.tokens = tokens;
  v.dim = dim;
  v.head_stride = (ptrdiff_t)(tokens * dim);
  v.token_stride = (ptrdiff_t)dim;
  return v;
}
static tsr_heads heads(float* x, size_t count, size_t tokens, size_t dim) {
  tsr_heads v;
  v.data = x;
  v.heads = count;
  v.tokens = tokens;
  v.dim = dim;
  v.head_stride = (ptrdiff_t)(tokens * dim);
  v.token_stride = (ptrdiff_t)dim;
  return v;
}
static tsr_const_channels const_channels(const float* x, size_t tokens, size_t channels) {
  tsr_const_channels v;
  v.data = x;
  v.tokens = tokens;
  v.channels = channels;
  v.token_stride = (ptrdiff_t)channels;
  v.channel_stride = 1;
  return v;
}
static tsr_channels channels(float* x, size_t tokens, size_t count) {
  tsr_channels v;
  v.data = x;
  v.tokens = tokens;
  v.channels = count;
  v.token_stride = (ptrdiff_t)count;
  v.channel_stride = 1;
  return v;
}
static tsr_states states(float* x, size_t size) {
  tsr_states s;
  s.data = x;
  s.slots = 1;
  s.slot_stride = (ptrdiff_t)size;
  s.order = TSR_STATE_OUTPUTS;
  return s;
}
static tsr_workspace workspace(tsr_plan plan) {
  tsr_workspace w;
  w.shared = call_memory(plan.shared);
  w.shared_bytes = plan.shared;
  w.scratch = call_memory(plan.scratch);
  w.scratch_bytes = plan.scratch;
  return w;
}

static void keep(const char* name, const void* bytes, size_t size) {
  record(name, call_hash(TSR_OK, bytes, size));
}
static void keep_floats(const char* name, const float* x, size_t count) {
  keep(name, x, count * sizeof(float));
}

/* One kernel, four ways: refused without memory where it needs some, by units from the last to the first, phases in
   order, and at once. */
#define TRY(name, args, has_workspace, out, count)                                          \
  do {                                                                                      \
    tsr_plan plan;                                                                          \
    size_t phase, unit;                                                                     \
    OK(tsr_##name##_plan(&(args), &plan));                                                  \
    has_workspace;                                                                          \
    OK(tsr_##name##_check(&(args)));                                                        \
    for (phase = 0; phase < plan.phases; ++phase)                                           \
      for (unit = plan.units[phase]; unit-- > 0;)                                           \
        OK(tsr_##name##_run(&(args), phase, unit, unit + 1));                               \
    keep_floats(#name, (out), (count));                                                     \
    EXPECT(tsr_##name##_run(&(args), plan.phases, 0, 0), TSR_BAD_PHASE);                    \
    EXPECT(tsr_##name##_run(&(args), 0, 0, plan.units[0] + 1), TSR_BAD_UNIT_RANGE);         \
    EXPECT(tsr_##name(NULL), TSR_NULL_POINTER);                                             \
    (args).abi.version += 1;                                                                \
    EXPECT(tsr_##name##_check(&(args)), TSR_ABI_MISMATCH);                                  \
    (args).abi.version -= 1;                                                                \
    (args).abi.size += 8;                                                                   \
    EXPECT(tsr_##name(&(args)), TSR_ABI_MISMATCH);                                          \
    (args).abi.size -= 8;                                                                   \
  } while (0)
#define WORKSPACE(args)                                             \
  if (plan.shared + plan.scratch != 0) {                            \
    tsr_workspace none;                                             \
    memset(&none, 0, sizeof none);                                  \
    (args).workspace = none;                                        \
    expect((args).workspace.scratch == NULL ? TSR_OK : 1, 0, __LINE__); \
  }                                                                 \
  (args).workspace = workspace(plan)
#define AGAIN(name, args, out, count) \
  do {                                \
    OK(tsr_##name(&(args)));          \
    keep_floats(#name " at once", (out), (count)); \
  } while (0)

static void try_rows(void) {
  const size_t n = call_rows * call_cols;
  const float* x = call_floats(n, 1);
  const float* w = call_floats(call_cols, 2);
  float* y = call_floats(n, 0);
  tsr_softmax_args softmax = tsr_softmax_init();
  tsr_rms_norm_args rms = tsr_rms_norm_init();
  tsr_l2_norm_args l2 = tsr_l2_norm_init();
  tsr_gated_rms_norm_args gated = tsr_gated_rms_norm_init();
  tsr_swiglu_args swiglu = tsr_swiglu_init();
  tsr_activation_args activation = tsr_activation_init();
  softmax.x = const_matrix(x, call_rows, call_cols);
  softmax.y = matrix(y, call_rows, call_cols);
  softmax.scale = 3.0f;
  TRY(softmax, softmax, (void)0, y, n);
  AGAIN(softmax, softmax, y, n);
  /* Growth: a caller whose struct ends before the scale gets the default. */
  softmax.abi.size = (uint32_t)offsetof(tsr_softmax_args, scale);
  OK(tsr_softmax(&softmax));
  keep_floats("softmax of scale 1", y, n);
  softmax.abi.size = 4;
  EXPECT(tsr_softmax(&softmax), TSR_ABI_MISMATCH);
  softmax = tsr_softmax_init();
  EXPECT(tsr_softmax(&softmax), TSR_EMPTY_SHAPE);
  softmax.x = const_matrix(x, call_rows, call_cols);
  softmax.y = matrix(y, call_rows, call_cols - 1);
  EXPECT(tsr_softmax_check(&softmax), TSR_SHAPE_MISMATCH);
  EXPECT(tsr_softmax_plan(&softmax, NULL), TSR_NULL_POINTER);

  rms.x = const_matrix(x, call_rows, call_cols);
  rms.y = matrix(y, call_rows, call_cols);
  rms.weight = w;
  TRY(rms_norm, rms, (void)0, y, n);
  l2.x = const_heads(x, 1, call_rows, call_cols);
  l2.y = heads(y, 1, call_rows, call_cols);
  TRY(l2_norm, l2, (void)0, y, n);
  gated.x = gated.z = l2.x;
  gated.y = l2.y;
  gated.weight = const_matrix(w, 1, call_cols);
  gated.order = TSR_GATE_BEFORE;
  TRY(gated_rms_norm, gated, (void)0, y, n);
  gated.order = 2;
  EXPECT(tsr_gated_rms_norm(&gated), TSR_UNKNOWN_CHOICE);
  swiglu.gate = swiglu.up = rms.x;
  swiglu.y = rms.y;
  TRY(swiglu, swiglu, (void)0, y, n);
  activation.x = rms.x;
  activation.y = rms.y;
  EXPECT(tsr_activation(&activation), TSR_UNKNOWN_CHOICE);
  activation.function = TSR_SOFTPLUS;
  TRY(activation, activation, (void)0, y, n);
  activation.function = TSR_SIGMOID;
  AGAIN(activation, activation, y, n);
  activation.function = TSR_SILU;
  AGAIN(activation, activation, y, n);
}

static void try_formats(void) {
  const float* x = call_floats(call_outputs * call_k, 3);
  const char* text = NULL;
  size_t count, i;
  tsr_format format;
  tsr_build_facts build = tsr_build_init();
  tsr_core_facts core = tsr_core_init();
  OK(tsr_message(TSR_OVERLAP, &text));
  keep("message", text, strlen(text));
  OK(tsr_build(&build));
  expect(build.compiled_abi == TSR_ABI && build.version_minor == 1 ? TSR_OK : 1, 0, __LINE__);
  expect(strlen(build.backend) != 0 && strlen(build.instructions) != 0 ? TSR_OK : 1, 0, __LINE__);
  for (i = 0; i < build.kernel_count; ++i)
    expect(build.kernels[i].exactness <= TSR_IDENTICAL ? TSR_OK : 1, 0, __LINE__);
  build.abi.version += 1;
  EXPECT(tsr_build(&build), TSR_ABI_MISMATCH);
  OK(tsr_core(&core));
  expect(strlen(core.core) != 0 && strlen(core.backend) != 0 ? TSR_OK : 1, 0, __LINE__);
  EXPECT(tsr_core(NULL), TSR_NULL_POINTER);

  OK(tsr_format_count(&count));
  EXPECT(tsr_format_at(count, &format), TSR_UNKNOWN_FORMAT);
  EXPECT(tsr_format_find("q9_9", &format), TSR_UNKNOWN_FORMAT);
  EXPECT(tsr_quantize(99, x, 32, NULL), TSR_NULL_POINTER);
  for (i = 0; i < count; ++i) {
    tsr_format_facts facts = tsr_format_init();
    tsr_packed_facts packed = tsr_packed_init();
    tsr_tile tile, own;
    size_t bytes, row_bytes, t;
    int has_blocks;
    void *blocks, *stored, *image, *again;
    float* back = call_floats(call_k, 0);
    const tsr_const_matrix w = const_matrix(x, call_outputs, call_k);
    OK(tsr_format_at(i, &format));
    OK(tsr_format_facts_of(format, &facts));
    expect(facts.name != NULL ? TSR_OK : 1, 0, __LINE__);
    {
      tsr_format found = 99;
      OK(tsr_format_find(facts.name, &found));
      expect(found == format ? TSR_OK : 1, 0, __LINE__);
    }
    has_blocks = facts.scale_group != 0;
    row_bytes = call_k / facts.group * facts.block_bytes;
    blocks = call_memory(call_outputs * row_bytes);
    if (has_blocks) {
      OK(tsr_quantize(format, x, call_outputs * call_k, blocks));
      if (call_recorded(format)) keep("quantize", blocks, call_outputs * row_bytes);
      OK(tsr_dequantize(format, blocks, call_k, back));
      if (call_recorded(format)) keep_floats("dequantize", back, call_k);
    } else {
      EXPECT(tsr_quantize(format, x, call_k, blocks), TSR_UNKNOWN_FORMAT);
      EXPECT(tsr_dequantize(format, blocks, call_k, back), TSR_UNKNOWN_FORMAT);
    }
    if (facts.group != 1) EXPECT(tsr_quantize(format, x, 1, blocks), TSR_GROUP_MULTIPLE);
    OK(tsr_native_tile(format, &own));
    memset(&tile, 0, sizeof tile);
    for (t = 0; t < 2; ++t) { /* the copy's own tile, and the plainest one */
      OK(tsr_packed_size(format, tile, call_outputs, call_k, &bytes));
      image = call_memory(bytes);
      again = call_memory(bytes);
      stored = call_memory(call_outputs * row_bytes);
      OK(tsr_pack(format, tile, &w, image, bytes, 7, call_outputs));
      OK(tsr_pack(format, tile, &w, image, bytes, 0, 7));
      EXPECT(tsr_pack_stored(format, tile, blocks, call_outputs, call_k, (ptrdiff_t)row_bytes,
                             again, bytes, 0, call_outputs),
             has_blocks ? TSR_OK : TSR_UNKNOWN_FORMAT);
      if (has_blocks) expect(memcmp(image, again, bytes) == 0 ? TSR_OK : 1, 0, __LINE__);
      if (t == 1 && call_recorded(format)) keep("pack", image, bytes);
      EXPECT(tsr_unpack(image, bytes, stored, row_bytes, 0, call_outputs),
             has_blocks ? TSR_OK : TSR_UNKNOWN_FORMAT);
      if (has_blocks)
        expect(memcmp(stored, blocks, call_outputs * row_bytes) == 0 ? TSR_OK : 1, 0, __LINE__);
      OK(tsr_packed_facts_of(image, bytes, &packed));
      expect(packed.format == format && packed.n == call_outputs && packed.bytes == bytes ? TSR_OK
                                                                                           : 1,
             0, __LINE__);
      expect(packed.tile.n == (t == 0 ? own.n : 1) ? TSR_OK : 1, 0, __LINE__);
      EXPECT(tsr_unpack(image, 63, stored, row_bytes, 0, call_outputs), TSR_PACKED_TOO_SMALL);
      ((char*)image)[0] = 'x';
      EXPECT(tsr_packed_facts_of(image, bytes, &packed), TSR_PACKED_MAGIC);
      tile.m = tile.n = tile.k = 1;
    }
    tile.n = 3;
    EXPECT(tsr_packed_size(format, tile, call_outputs, call_k, &bytes), TSR_PACKED_TILE);
    call_reset();
    x = call_floats(call_outputs * call_k, 3);
  }
}

/* Codes, scales and zero points, with room for those of any format. */
static tsr_arrays arrays_memory(void) {
  tsr_arrays a;
  a.codes = call_memory(call_outputs * 128);
  a.scales = call_memory(call_outputs * 16);
  a.zero_points = call_memory(call_outputs * 4);
  a.rows = call_outputs;
  a.cols = call_partial;
  a.row_stride = call_partial;
  return a;
}
static tsr_const_arrays const_arrays(tsr_arrays a) {
  tsr_const_arrays c;
  c.codes = a.codes;
  c.scales = a.scales;
  c.zero_points = a.zero_points;
  c.rows = a.rows;
  c.cols = a.cols;
  c.row_stride = a.row_stride;
  return c;
}

/* Weights in arrays: quantised, packed and unpacked; what they lack, refused. */
static void try_arrays(tsr_format format) {
  const size_t n = call_outputs * call_partial;
  const float* x = call_floats(n, 3);
  float* back = call_floats(n, 0);
  const tsr_const_matrix w = const_matrix(x, call_outputs, call_partial);
  tsr_matrix to = matrix(back, call_outputs, call_partial);
  tsr_arrays arrays = arrays_memory(), again = arrays_memory();
  tsr_const_arrays in = const_arrays(arrays);
  tsr_format_facts facts = tsr_format_init();
  const int is_row = format == TSR_I8_ROW || format == TSR_U8_ROW;
  size_t blocks, codes, scales, zeros, bytes, t;
  tsr_tile tile;
  OK(tsr_format_facts_of(format, &facts));
  expect(facts.has_arrays != 0 ? TSR_OK : 1, 0, __LINE__);
  blocks = is_row ? 1 : (call_partial + facts.scale_group - 1) / facts.scale_group;
  codes = call_outputs * (is_row ? call_partial : blocks * facts.scale_group / 2);
  scales = call_outputs * blocks * (strstr(facts.name, "f16") != NULL ? 2 : 4);
  zeros = call_outputs * (is_row ? 1 : facts.has_minima ? (blocks + 1) / 2 : 0);

  OK(tsr_quantize_arrays(format, &w, &arrays, 7, SIZE_MAX));
  OK(tsr_quantize_arrays(format, &w, &arrays, 0, 7));
  keep("codes", arrays.codes, codes);
  keep("scales", arrays.scales, scales);
  keep("zero points", arrays.zero_points, zeros);
  OK(tsr_dequantize_arrays(format, &in, &to, 0, call_outputs));
  keep_floats("dequantize_arrays", back, n);
  memset(&tile, 0, sizeof tile);
  for (t = 0; t < 2; ++t) { /* the copy's own tile, and the plainest one */
    void *image, *from_floats;
    OK(tsr_packed_size(format, tile, call_outputs, call_partial, &bytes));
    image = call_memory(bytes);
    from_floats = call_memory(bytes);
    OK(tsr_pack_arrays(format, tile, &in, image, bytes, 7, call_outputs));
    OK(tsr_pack_arrays(format, tile, &in, image, bytes, 0, 7));
    OK(tsr_pack(format, tile, &w, from_floats, bytes, 0, call_outputs));
    expect(memcmp(image, from_floats, bytes) == 0 ? TSR_OK : 1, 0, __LINE__);
    OK(tsr_unpack_arrays(image, bytes, &again, 0, call_outputs));
    expect(memcmp(again.codes, arrays.codes, codes) == 0 ? TSR_OK : 1, 0, __LINE__);
    expect(memcmp(again.scales, arrays.scales, scales) == 0 ? TSR_OK : 1, 0, __LINE__);
    expect(memcmp(again.zero_points, arrays.zero_points, zeros) == 0 ? TSR_OK : 1, 0, __LINE__);
    EXPECT(tsr_unpack_arrays(image, bytes, &again, 0, call_outputs + 1), TSR_BAD_UNIT_RANGE);
    EXPECT(tsr_unpack_arrays(image, bytes - 64, &again, 0, 1), TSR_PACKED_TOO_SMALL);
    again.cols -= 1;
    EXPECT(tsr_unpack_arrays(image, bytes, &again, 0, 1), TSR_SHAPE_MISMATCH);
    again.cols += 1;
    EXPECT(tsr_unpack_arrays(image, bytes, NULL, 0, 1), TSR_NULL_POINTER);
    EXPECT(tsr_pack_arrays(format, tile, &in, image, bytes - 64, 0, 1), TSR_PACKED_TOO_SMALL);
    tile.m = tile.n = tile.k = 1;
  }
  EXPECT(tsr_pack_arrays(TSR_Q4_0, tile, &in, NULL, 0, 0, 1), TSR_UNKNOWN_FORMAT);
  EXPECT(tsr_pack_arrays(TSR_NBITS64_F16, tile, &in, NULL, 0, 0, 1), TSR_UNKNOWN_FORMAT);
  EXPECT(tsr_pack_arrays(format, tile, NULL, NULL, 0, 0, 1), TSR_NULL_POINTER);
  EXPECT(tsr_quantize_arrays(TSR_F32, &w, &arrays, 0, 1), TSR_UNKNOWN_FORMAT);
  EXPECT(tsr_quantize_arrays(format, NULL, &arrays, 0, 1), TSR_NULL_POINTER);
  EXPECT(tsr_quantize_arrays(format, &w, &arrays, 2, 1), TSR_BAD_UNIT_RANGE);
  EXPECT(tsr_dequantize_arrays(format, &in, NULL, 0, 1), TSR_NULL_POINTER);
  to.rows -= 1;
  EXPECT(tsr_dequantize_arrays(format, &in, &to, 0, 1), TSR_SHAPE_MISMATCH);
  to.rows += 1;
  to.row_stride -= 1;
  EXPECT(tsr_dequantize_arrays(format, &in, &to, 0, 1), TSR_STRIDE_TOO_SMALL);
  arrays.row_stride -= 1;
  if (is_row) EXPECT(tsr_quantize_arrays(format, &w, &arrays, 0, 1), TSR_STRIDE_TOO_SMALL);
  arrays.row_stride += 1;
  arrays.zero_points = NULL; /* of i8_row they are 0 */
  EXPECT(tsr_quantize_arrays(format, &w, &arrays, 0, 1),
         format == TSR_U8_ROW || facts.has_minima ? TSR_NULL_POINTER : TSR_OK);
  in.scales = (const char*)in.scales + 1;
  EXPECT(tsr_dequantize_arrays(format, &in, &to, 0, 1), TSR_STRIDE_TOO_SMALL);
  to.row_stride += 1;
  EXPECT(tsr_dequantize_arrays(format, &in, &to, 0, 1), TSR_MISALIGNED);
  call_reset();
}

static void try_all_arrays(void) {
  const tsr_format mixed[] = {TSR_U8_ROW, TSR_F16, TSR_Q8_0};
  size_t count, i, bytes;
  OK(tsr_format_count(&count));
  for (i = 0; i < count; ++i) {
    tsr_format_facts facts = tsr_format_init();
    tsr_format format;
    OK(tsr_format_at(i, &format));
    OK(tsr_format_facts_of(format, &facts));
    if (facts.has_arrays && call_recorded(format)) try_arrays(format);
  }
  OK(tsr_quantized_size(3, 5, mixed, 2, &bytes)); /* floats ask for nothing */
  EXPECT(tsr_quantized_size(3, 5, mixed, 3, &bytes), TSR_QUANTIZED_NEEDS);
}

/* Weights packed for a tile, `images` of them one behind the other. */
static tsr_weights packed_weights(tsr_format format, size_t tile_n, size_t images, uint32_t seed) {
  tsr_weights w;
  tsr_tile tile;
  size_t bytes, i;
  char* data;
  tile.m = tile.n = tile.k = tile_n;
  memset(&w, 0, sizeof w);
  OK(tsr_packed_size(format, tile, call_outputs, call_k, &bytes));
  data = (char*)call_memory(images * bytes);
  for (i = 0; i < images; ++i) {
    const tsr_const_matrix x = const_matrix(
        call_floats(call_outputs * call_k, seed + (uint32_t)i), call_outputs, call_k);
    OK(tsr_pack(format, tile, &x, data + i * bytes, bytes, 0, call_outputs));
  }
  w.format = format;
  w.data = data;
  w.bytes = images * bytes;
  w.n = call_outputs;
  w.k = call_k;
  return w;
}

static void try_matmul(tsr_format format, tsr_format type) {
  const size_t n = call_rows * call_outputs;
  const float* x = call_floats(call_rows * call_k, 5);
  const float* bias = call_floats(call_outputs, 6);
  float* y = call_floats(2 * n, 0);
  void* narrow = call_memory(2 * call_rows * call_k * 2);
  void* residual = call_memory(n * 4);
  tsr_step steps[9];
  tsr_matmul_args args = tsr_matmul_init();
  size_t bytes;
  args.a = const_any(x, call_rows, call_k);
  args.b = packed_weights(format, 0, 1, 7);
  args.c = any(y, call_rows, call_outputs);
  TRY(matmul, args, WORKSPACE(args), y, n);
  AGAIN(matmul, args, y, n);
  args.b = packed_weights(format, 1, 1, 7); /* another tile, the same bits */
  {
    tsr_plan plan;
    OK(tsr_matmul_plan(&args, &plan));
    args.workspace = workspace(plan);
  }
  AGAIN(matmul, args, y, n);

  /* 16-bit activations and outputs, and every step. */
  memset(steps, 0, sizeof steps);
  steps[0].kind = TSR_STEP_SCALE;
  steps[0].value = 0.75f;
  steps[1].kind = TSR_STEP_BIAS;
  steps[1].data = bias;
  steps[2].kind = TSR_STEP_SILU;
  steps[3].kind = TSR_STEP_ROW_SCALE;
  steps[3].data = x;
  steps[4].kind = TSR_STEP_RESIDUAL;
  steps[4].type = type;
  steps[4].row_stride = call_outputs;
  OK(tsr_quantize(type, x, n, residual));
  steps[4].data = residual;
  steps[5].kind = TSR_STEP_GELU;
  steps[6].kind = TSR_STEP_CLAMP;
  steps[6].value = -0.5f;
  steps[6].high = 0.5f;
  steps[7].kind = TSR_STEP_RELU;
  args.steps = steps;
  args.step_count = 8;
  OK(tsr_quantize(type, x, call_rows * call_k, narrow));
  args.a = const_any(narrow, call_rows, call_k);
  args.a_type = args.c_type = type;
  {
    tsr_plan plan;
    OK(tsr_matmul_plan(&args, &plan));
    args.workspace = workspace(plan);
  }
  OK(tsr_matmul(&args));
  keep("matmul with steps", y, n * 2);
  steps[8].kind = TSR_STEP_GATE;
  args.step_count = 9;
  EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE);

  /* A pair: SwiGLU, then the gate among steps. */
  args.b.pair = packed_weights(format, 1, 1, 9).data;
  args.b.pair_bytes = args.b.bytes;
  args.step_count = 0;
  args.a = const_any(x, call_rows, call_k);
  args.a_type = args.c_type = TSR_F32;
  {
    tsr_plan plan;
    OK(tsr_matmul_plan(&args, &plan));
    args.workspace = workspace(plan);
  }
  OK(tsr_matmul(&args));
  keep_floats("matmul of a pair", y, n);
  args.step_count = 1;
  EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE); /* no gate */
  args.steps = steps + 7;
  args.step_count = 2;
  OK(tsr_matmul(&args));
  keep_floats("matmul of a pair with steps", y, n);

  /* Activations that were quantised before. */
  if (format != TSR_F32 && format != TSR_F16) {
    tsr_quantize_rows_args rows = tsr_quantize_rows_init();
    OK(tsr_quantized_size(call_rows, call_k, &format, 1, &bytes));
    rows.a = args.a;
    rows.out = call_memory(bytes);
    rows.out_bytes = bytes;
    rows.formats = &format;
    rows.format_count = 1;
    TRY(quantize_rows, rows, (void)0, y, 0);
    OK(tsr_quantize_rows(&rows));
    args.a.data = rows.out;
    args.a_type = TSR_QUANTIZED;
    args.a_bytes = bytes;
    args.step_count = 0;
    OK(tsr_matmul(&args));
    keep_floats("matmul of quantised rows", y, n);
    args.a_bytes = 16;
    EXPECT(tsr_matmul(&args), TSR_QUANTIZED_TOO_SMALL);
  } else {
    args.a_type = TSR_QUANTIZED;
    EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE);
  }

  /* Two products with weights of their own, and rows that are not packed. */
  args = tsr_matmul_init();
  args.a = const_any(x, 2, call_k);
  args.b = packed_weights(format, 0, 2, 7);
  args.c = any(y, 2, call_outputs);
  args.batches.outer = args.batches.outer_weights = 2;
  args.batches.a_outer = 2 * call_k;
  args.batches.c_outer = 2 * call_outputs;
  TRY(matmul, args, WORKSPACE(args), y, 4 * call_outputs);
  args.batches.inner = 0;
  EXPECT(tsr_matmul(&args), TSR_EMPTY_SHAPE);
  if (format == TSR_I8_ROW || format == TSR_U8_ROW) {
    args.batches.inner = 1;
    args.b.stored = 1;
    EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE);
  } else {
    tsr_format_facts facts = tsr_format_init();
    const float* w = call_floats(call_outputs * call_k, 7);
    void* stored;
    OK(tsr_format_facts_of(format, &facts));
    bytes = call_k / facts.group * facts.block_bytes;
    stored = call_memory(call_outputs * bytes);
    OK(tsr_quantize(format, w, call_outputs * call_k, stored));
    args = tsr_matmul_init();
    args.a = const_any(x, call_rows, call_k);
    args.c = any(y, call_rows, call_outputs);
    args.b.format = format;
    args.b.stored = 1;
    args.b.data = stored;
    args.b.n = call_outputs;
    args.b.k = call_k;
    args.b.row_bytes = (ptrdiff_t)bytes;
    TRY(matmul, args, WORKSPACE(args), y, n);
    args.b.pair = stored;
    EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE);
    args.b.pair = NULL;
    args.b.format = 99;
    EXPECT(tsr_matmul(&args), TSR_UNKNOWN_FORMAT);
    args.b.format = format;
    args.c_type = TSR_Q8_0;
    EXPECT(tsr_matmul(&args), TSR_UNKNOWN_CHOICE);
    args.c_type = TSR_F32;
    args.c.data = stored;
    EXPECT(tsr_matmul(&args), TSR_OVERLAP);
  }
  call_reset();
}

static void try_experts(tsr_format format) {
  const size_t n = call_tokens * call_used * call_outputs;
  static const int32_t chosen[call_tokens * call_used] = {2, 0, 1, 1, 0, 2};
  const float* x = call_floats(call_tokens * call_k, 11);
  float* y = call_floats(n, 0);
  tsr_matmul_experts_args args = tsr_matmul_experts_init();
  int32_t* ids = (int32_t*)call_memory(sizeof chosen);
  memcpy(ids, chosen, sizeof chosen);
  args.a.data = x;
  args.a.tokens = call_tokens;
  args.a.slots = 1;
  args.a.cols = call_k;
  args.a.token_stride = args.a.slot_stride = call_k;
  args.b = packed_weights(format, 0, call_experts, 12);
  args.experts = call_experts;
  args.ids.data = ids;
  args.ids.tokens = call_tokens;
  args.ids.slots = call_used;
  args.ids.cols = 1;
  args.ids.token_stride = call_used;
  args.ids.slot_stride = 1;
  args.c.data = y;
  args.c.tokens = call_tokens;
  args.c.slots = call_used;
  args.c.cols = call_outputs;
  args.c.token_stride = call_used * call_outputs;
  args.c.slot_stride = call_outputs;
  TRY(matmul_experts, args, WORKSPACE(args), y, n);
  AGAIN(matmul_experts, args, y, n);
  ids[3] = call_experts;
  EXPECT(tsr_matmul_experts(&args), TSR_EXPERT_RANGE);
  ids[3] = 1;
  args.b.bytes -= 64;
  EXPECT(tsr_matmul_experts(&args), TSR_PACKED_TOO_SMALL);
  call_reset();
}

static void try_attention(tsr_format key_format, tsr_format value_format) {
  const size_t n = call_heads * call_tokens * call_dim;
  const size_t cached = call_key_heads * call_keys * call_dim;
  const float* q = call_floats(n, 21);
  const float* x = call_floats(cached, 22);
  const float* gate = call_floats(n, 23);
  float* y = call_floats(n, 0);
  float* slopes = call_floats(call_heads, 0);
  tsr_format_facts kf = tsr_format_init(), vf = tsr_format_init();
  tsr_attention_args args = tsr_attention_init();
  tsr_attention_part parts[2];
  tsr_scores_args scores = tsr_scores_init();
  void *k, *v;
  size_t part;
  OK(tsr_format_facts_of(key_format, &kf));
  OK(tsr_format_facts_of(value_format, &vf));
  expect(kf.is_cache && vf.is_cache ? TSR_OK : 1, 0, __LINE__);
  k = call_memory(cached / kf.group * kf.block_bytes);
  v = call_memory(cached / vf.group * vf.block_bytes);
  OK(tsr_quantize(key_format, x, cached, k));
  OK(tsr_quantize(value_format, x, cached, v));
  OK(tsr_alibi_slopes(8.0f, slopes, call_heads));
  EXPECT(tsr_alibi_slopes(65.0f, slopes, call_heads), TSR_POSITION_RANGE);
  args.q = const_heads(q, call_heads, call_tokens, call_dim);
  args.k = const_any_heads(k, call_key_heads, call_keys, call_dim / kf.group);
  args.k_format = key_format;
  args.v = const_any_heads(v, call_key_heads, call_keys, call_dim / vf.group);
  args.v_format = value_format;
  args.out = heads(y, call_heads, call_tokens, call_dim);
  args.scale = 0.25f;
  args.causal = 1;
  args.causal_offset = call_keys - call_tokens;
  args.before = 100;
  args.soft_cap = 30.0f;
  args.slopes = slopes;
  args.slope_count = call_heads;
  args.gate = const_heads(gate, call_heads, call_tokens, call_dim);
  TRY(attention, args, WORKSPACE(args), y, n);
  AGAIN(attention, args, y, n);
  /* In two parts, merged: the same bits. */
  memset(y, 0, n * sizeof(float));
  for (part = 0; part < 2; ++part) {
    const size_t begin = part == 0 ? 0 : 64, end = part == 0 ? 64 : call_keys;
    tsr_plan plan;
    size_t floats;
    float* partials;
    OK(tsr_attention_plan(&args, &plan));
    OK(tsr_attention_partial_size(&args, begin, end, &floats));
    partials = call_floats(floats, 0);
    OK(tsr_attention_blocks(&args, begin, end, partials, floats, 0, plan.units[0]));
    EXPECT(tsr_attention_blocks(&args, begin, end, partials, floats - 1, 0, plan.units[0]),
           TSR_WORKSPACE_TOO_SMALL);
    parts[part].key_begin = begin;
    parts[part].key_end = end;
    parts[part].partials = partials;
    parts[part].floats = floats;
  }
  EXPECT(tsr_attention_merge(&args, parts, 1, 0, call_heads * call_tokens), TSR_KEY_SPLIT);
  EXPECT(tsr_attention_merge(&args, parts, 65, 0, call_heads * call_tokens), TSR_SHAPE_TOO_LARGE);
  OK(tsr_attention_merge(&args, parts, 2, 0, call_heads * call_tokens));
  keep_floats("attention at once", y, n);
  args.query = 2;
  EXPECT(tsr_attention(&args), TSR_UNKNOWN_CHOICE);
  args.query = TSR_QUERY_QUANTIZED;
  args.v_format = TSR_Q4_K;
  EXPECT(tsr_attention(&args), TSR_UNKNOWN_FORMAT);

  scores.q = args.q;
  scores.k = args.k;
  scores.k_format = key_format;
  scores.out = heads(call_floats(call_heads * call_tokens * call_keys, 0), call_heads, call_tokens,
                     call_keys);
  scores.scale = 0.5f;
  TRY(scores, scores, WORKSPACE(scores), scores.out.data, call_heads * call_tokens * call_keys);
  call_reset();
}

/* The same over a cache in a tile's order. */
static void try_kv_cache(void) {
  const size_t n = call_heads * call_tokens * call_dim;
  const size_t cached = call_key_heads * call_keys * call_dim;
  const float* q = call_floats(n, 21);
  const float* x = call_floats(cached, 22);
  float* y = call_floats(n, 0);
  size_t t;
  for (t = 0; t < 2; ++t) { /* the copy's own tile, and the plainest one */
    tsr_kv_append_args append = tsr_kv_append_init();
    tsr_attention_args args = tsr_attention_init();
    tsr_kv_held held = {0, 0};
    append.cache.tile.m = append.cache.tile.n = append.cache.tile.k = t;
    append.cache.sequences = 1;
    append.cache.key_heads = call_key_heads;
    append.cache.capacity = call_keys;
    append.cache.dk = append.cache.dv = call_dim;
    OK(tsr_kv_cache_size(&append.cache, &append.cache.bytes));
    append.cache.memory = call_memory(append.cache.bytes);
    append.k = const_any_heads(x, call_key_heads, call_keys, call_dim);
    append.v = append.k;
    append.held = &held;
    append.held_count = 1;
    TRY(kv_append, append, (void)0, y, 0);
    append.type = TSR_Q8_0;
    EXPECT(tsr_kv_append(&append), TSR_UNKNOWN_CHOICE);
    append.type = TSR_F32;
    append.cache.tile.n = 3;
    EXPECT(tsr_kv_append(&append), TSR_PACKED_TILE);
    append.cache.tile.n = t;
    append.cache.bytes -= 1;
    EXPECT(tsr_kv_append(&append), TSR_CACHE_TOO_SMALL);
    append.cache.bytes += 1;
    held.end = call_keys;
    args.q = const_heads(q, call_heads, call_tokens, call_dim);
    args.out = heads(y, call_heads, call_tokens, call_dim);
    args.scale = 0.25f;
    args.cache = append.cache;
    args.held = &held;
    args.held_count = 1;
    TRY(attention, args, WORKSPACE(args), y, n);
    held.begin = 2;
    held.end = 1;
    EXPECT(tsr_attention(&args), TSR_POSITION_RANGE);
  }
  call_reset();
}

/* Over codes whose scales lie apart. */
static void try_scaled_cache(void) {
  const size_t n = call_heads * call_tokens * call_dim;
  const size_t cached = call_key_heads * call_keys * call_dim;
  const size_t channels = call_key_heads * call_dim;
  const float scale = 0.01f;
  float* y = call_floats(n, 0);
  float* scales = call_floats(channels, 0);
  unsigned char* codes = (unsigned char*)call_memory(cached);
  tsr_attention_args args = tsr_attention_init();
  size_t i;
  for (i = 0; i < cached; ++i) codes[i] = (unsigned char)(i * 73 % 251);
  for (i = 0; i < channels; ++i) scales[i] = 0.125f * (float)(i % 7 + 1);
  args.q = const_heads(call_floats(n, 21), call_heads, call_tokens, call_dim);
  args.k = const_any_heads(codes, call_key_heads, call_keys, call_dim);
  args.k_format = TSR_SCALED_INT8;
  args.k_scales = &scale;
  args.k_scale_count = 1;
  args.v = const_any_heads(codes, call_key_heads, call_keys, call_dim / 2);
  args.v_format = TSR_SCALED_INT4;
  args.v_scales = scales;
  args.v_scale_count = channels;
  args.out = heads(y, call_heads, call_tokens, call_dim);
  args.scale = 0.25f;
  TRY(attention, args, WORKSPACE(args), y, n);
  args.v_scale_count -= 1;
  EXPECT(tsr_attention(&args), TSR_SHAPE_MISMATCH);
  args.v_format = TSR_Q8_0;
  EXPECT(tsr_attention(&args), TSR_UNKNOWN_FORMAT);
  call_reset();
}

static void try_rope(void) {
  static const int32_t positions[call_tokens] = {0, 7, 70000};
  const size_t pairs = call_dim / 2;
  const size_t n = call_heads * call_tokens * call_dim;
  const float* x = call_floats(n, 31);
  float* y = call_floats(n, 0);
  float* cosine = call_floats(2 * call_tokens * pairs, 0);
  float* sine = cosine + call_tokens * pairs;
  void* narrow = call_memory(n * 2);
  tsr_rope_table_args table = tsr_rope_table_init();
  tsr_rope_args rope = tsr_rope_init();
  tsr_rope_shift_args shift = tsr_rope_shift_init();
  tsr_hadamard_args hadamard = tsr_hadamard_init();
  table.positions = positions;
  table.position_count = call_tokens;
  table.cosine = matrix(cosine, call_tokens, pairs);
  table.sine = matrix(sine, call_tokens, pairs);
  TRY(rope_table, table, (void)0, cosine, 2 * call_tokens * pairs);
  table.planes = 4;
  EXPECT(tsr_rope_table(&table), TSR_UNKNOWN_CHOICE);
  rope.x = const_any_heads(x, call_heads, call_tokens, call_dim);
  rope.y = any_heads(y, call_heads, call_tokens, call_dim);
  rope.cosine = const_any(cosine, call_tokens, pairs);
  rope.sine = const_any(sine, call_tokens, pairs);
  EXPECT(tsr_rope(&rope), TSR_UNKNOWN_CHOICE); /* no pairing */
  rope.pairing = TSR_PAIRING_INTERLEAVED;
  TRY(rope, rope, (void)0, y, n);
  OK(tsr_quantize(TSR_BF16, x, n, narrow));
  rope.x.data = narrow;
  rope.type = TSR_BF16;
  rope.pairing = TSR_PAIRING_HALF;
  rope.inverse = 1;
  OK(tsr_rope(&rope));
  keep("rope of bf16", y, n * 2);
  rope.table_type = TSR_Q8_0;
  EXPECT(tsr_rope(&rope), TSR_UNKNOWN_CHOICE);
  {
    void* cache = call_memory(n / 32 * 34);
    OK(tsr_quantize(TSR_Q8_0, x, n, cache));
    shift.k = any_heads(cache, call_heads, call_tokens, call_dim / 32);
    shift.format = TSR_Q8_0;
    shift.cosine = const_matrix(cosine, call_tokens, pairs);
    shift.sine = const_matrix(sine, call_tokens, pairs);
    shift.pairing = TSR_PAIRING_HALF;
    TRY(rope_shift, shift, WORKSPACE(shift), (const float*)cache, 0);
    keep("rope_shift", cache, n / 32 * 34);
    shift.format = TSR_Q4_K;
    EXPECT(tsr_rope_shift(&shift), TSR_UNKNOWN_FORMAT);
  }
  hadamard.x = const_heads(x, call_heads, call_tokens, call_dim);
  hadamard.y = heads(y, call_heads, call_tokens, call_dim);
  TRY(hadamard, hadamard, WORKSPACE(hadamard), y, n);
  hadamard.block = 3;
  EXPECT(tsr_hadamard(&hadamard), TSR_HEAD_SIZE);
  call_reset();
}

/* A recurrent kernel begins each time from the same state. */
#define TRY_STATE(name, args, state, size, seed, out, count)     \
  do {                                                           \
    tsr_plan plan;                                               \
    size_t phase;                                                \
    OK(tsr_##name##_plan(&(args), &plan));                       \
    WORKSPACE(args);                                             \
    OK(tsr_##name##_check(&(args)));                             \
    for (phase = 0; phase < plan.phases; ++phase)                \
      OK(tsr_##name##_run(&(args), phase, 0, plan.units[phase])); \
    keep_floats(#name, (out), (count));                          \
    keep_floats(#name " state", (state), (size));                \
    call_fill((state), (size), (seed));                          \
    OK(tsr_##name(&(args)));                                     \
    keep_floats(#name, (out), (count));                          \
    EXPECT(tsr_##name##_run(&(args), plan.phases, 0, 0), TSR_BAD_PHASE); \
    (args).abi.version += 1;                                     \
    EXPECT(tsr_##name(&(args)), TSR_ABI_MISMATCH);               \
    (args).abi.version -= 1;                                     \
    (args).states.data = NULL;                                   \
    EXPECT(tsr_##name(&(args)), TSR_NULL_POINTER);               \
  } while (0)

static void try_recurrent(void) {
  enum { wide = call_heads * call_dim + 2 * call_states };
  const size_t n = call_heads * call_tokens * call_dim;
  const size_t keys = call_heads * call_tokens * call_states;
  const size_t size = call_heads * call_dim * call_states;
  static const tsr_sequence all = {0, call_tokens, 0};
  static const tsr_sequence one = {call_tokens - 1, 1, 0};
  const float* x = call_floats(n, 41);
  const float* k = call_floats(keys, 42);
  const float* g = call_floats(keys, 43);
  const float* r = call_floats(keys, 44);
  const float* dt = call_floats(call_tokens * call_heads, 45);
  const float* a = call_floats(call_heads, 46);
  float* y = call_floats(n, 0);
  float* state = call_floats(size, 47);
  const float* input = call_floats(call_tokens * wide, 48);
  const float* taps = call_floats(call_width * wide, 49);
  float* rows = call_floats(call_tokens * wide, 0);
  float* tail = call_floats((call_width - 1) * wide, 47);
  tsr_ssm_conv_args conv = tsr_ssm_conv_init();
  tsr_ssm_scan_args scan = tsr_ssm_scan_init();
  tsr_mamba2_step_args mamba = tsr_mamba2_step_init();
  tsr_gated_delta_net_args delta = tsr_gated_delta_net_init();
  tsr_gated_delta_net_step_args step = tsr_gated_delta_net_step_init();
  tsr_gated_linear_attention_args linear = tsr_gated_linear_attention_init();
  tsr_rwkv6_args rwkv6 = tsr_rwkv6_init();
  tsr_rwkv7_args rwkv7 = tsr_rwkv7_init();

  conv.x = const_channels(input, call_tokens, wide);
  conv.weight = const_channels(taps, call_width, wide);
  conv.y = channels(rows, call_tokens, wide);
  conv.silu = 1;
  conv.sequences = &all;
  conv.sequence_count = 1;
  conv.states.data = tail;
  conv.states.slots = 1;
  conv.states.slot_stride = (call_width - 1) * wide;
  conv.states.row_stride = wide;
  TRY_STATE(ssm_conv, conv, tail, (call_width - 1) * wide, 47, rows, call_tokens * wide);
  conv.states.data = tail;

  call_fill(state, size, 47);
  scan.x = const_heads(x, call_heads, call_tokens, call_dim);
  scan.dt = const_channels(dt, call_tokens, call_heads);
  scan.a = const_channels(a, 1, call_heads);
  scan.b = const_heads(k, 1, call_tokens, call_states);
  scan.c = const_heads(r, 1, call_tokens, call_states);
  scan.z = scan.x;
  scan.y = heads(y, call_heads, call_tokens, call_dim);
  scan.sequences = &all;
  scan.sequence_count = 1;
  scan.states = states(state, size);
  TRY_STATE(ssm_scan, scan, state, size, 47, y, n);
  scan.states = states(state, size);
  scan.algorithm = TSR_CHUNKED;
  call_fill(state, size, 47);
  TRY_STATE(ssm_scan, scan, state, size, 47, y, n);
  scan.algorithm = 2;
  EXPECT(tsr_ssm_scan(&scan), TSR_UNKNOWN_CHOICE);

  call_fill(state, size, 47);
  mamba.state_size = call_states;
  mamba.xbc = conv.x;
  mamba.weight = conv.weight;
  mamba.conv_states = conv.states;
  mamba.dt = scan.dt;
  mamba.a = scan.a;
  mamba.y = scan.y;
  mamba.sequences = &one;
  mamba.sequence_count = 1;
  mamba.states = states(state, size);
  TRY_STATE(mamba2_step, mamba, state, size, 47, y, n);

  call_fill(state, size, 47);
  delta.q = const_heads(r, call_key_heads, call_tokens, call_states);
  delta.k = const_heads(k, call_key_heads, call_tokens, call_states);
  delta.v = scan.x;
  delta.beta = scan.dt;
  delta.out = scan.y;
  delta.scale = 0.5f;
  delta.sequences = &all;
  delta.sequence_count = 1;
  delta.states = states(state, size);
  EXPECT(tsr_gated_delta_net(&delta), TSR_UNKNOWN_CHOICE); /* no head map */
  delta.head_map = TSR_HEADS_MODULO;
  TRY_STATE(gated_delta_net, delta, state, size, 47, y, n);
  delta.states = states(state, size);
  delta.algorithm = TSR_CHUNKED;
  delta.head_map = TSR_HEADS_BLOCKS;
  call_fill(state, size, 47);
  TRY_STATE(gated_delta_net, delta, state, size, 47, y, n);
  delta.states.order = 2;
  EXPECT(tsr_gated_delta_net(&delta), TSR_UNKNOWN_CHOICE);

  call_fill(state, size, 47);
  call_fill(tail, (call_width - 1) * wide, 47);
  step.head_map = TSR_HEADS_MODULO;
  step.key_heads = 1;
  step.key_size = call_states;
  step.qkv = conv.x;
  step.weight = conv.weight;
  step.conv_states = conv.states;
  step.beta = scan.dt;
  step.out = scan.y;
  step.sequences = &one;
  step.sequence_count = 1;
  step.states = states(state, size);
  TRY_STATE(gated_delta_net_step, step, state, size, 47, y, n);

  call_fill(state, size, 47);
  linear.q = const_heads(r, call_heads, call_tokens, call_states);
  linear.k = const_heads(k, call_heads, call_tokens, call_states);
  linear.v = scan.x;
  linear.gate = const_heads(g, call_heads, call_tokens, call_states);
  linear.out = scan.y;
  linear.scale = 0.5f;
  linear.sequences = &all;
  linear.sequence_count = 1;
  linear.states = states(state, size);
  TRY_STATE(gated_linear_attention, linear, state, size, 47, y, n);

  call_fill(state, size, 47);
  rwkv6.receptance = linear.q;
  rwkv6.k = linear.k;
  rwkv6.v = linear.v;
  rwkv6.decay = linear.gate;
  rwkv6.bonus = const_matrix(g, call_heads, call_states);
  rwkv6.out = scan.y;
  rwkv6.sequences = &all;
  rwkv6.sequence_count = 1;
  rwkv6.states = states(state, size);
  TRY_STATE(rwkv6, rwkv6, state, size, 47, y, n);

  call_fill(state, size, 47);
  rwkv7.receptance = linear.q;
  rwkv7.k = linear.k;
  rwkv7.v = linear.v;
  rwkv7.decay = linear.gate;
  rwkv7.a = linear.k;
  rwkv7.b = linear.q;
  rwkv7.out = scan.y;
  rwkv7.sequences = &all;
  rwkv7.sequence_count = 1;
  rwkv7.states = states(state, size);
  TRY_STATE(rwkv7, rwkv7, state, size, 47, y, n);
  call_reset();
}

int CALLS_ENTRY(call_record to) {
  record = to;
  wrong = 0;
  call_reset();
  try_rows();
  call_reset();
  try_formats();
  call_reset();
  try_all_arrays();
  try_matmul(TSR_F16, TSR_BF16);
  try_matmul(TSR_Q4_0, TSR_F16);
  try_matmul(TSR_Q4_K, TSR_BF16);
  try_matmul(TSR_U8_ROW, TSR_F16);
  try_matmul(TSR_NBITS32_F16Z, TSR_BF16);
  try_experts(TSR_BF16);
  try_experts(TSR_Q8_0);
  try_experts(TSR_Q2_K);
  try_experts(TSR_I8_ROW);
  try_attention(TSR_F32, TSR_F16);
  try_attention(TSR_Q8_0, TSR_Q4_1);
  try_kv_cache();
  try_scaled_cache();
  try_rope();
  try_recurrent();
  return wrong;
}
