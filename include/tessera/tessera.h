// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The C interface: every kernel and storage format for programs in C99, C++11 and later.
///
/// One translation unit, tessera.cpp, holds the code: add it to the program, or link tessera::c. What the
/// kernels compute, their exactness, shapes and refusals are those of the C++ headers of the same name; this
/// header says what is different.
///
/// Calls. Each kernel NAME has a struct tsr_NAME_args and
///   tsr_NAME_init()                            arguments with their defaults: begin with these
///   tsr_NAME_check(&args)                      the status the kernel would return; reads no data
///   tsr_NAME_plan(&args, &plan)                memory, phases and units; zeros where shapes are refused
///   tsr_NAME_run(&args, phase, begin, end)     units [begin, end) of a phase, on any thread, in any order
///   tsr_NAME(&args)                            all of it on the calling thread
/// Between phases belongs a barrier. Every function returns a tsr_status, the numbers of tessera::Status; results
/// come through pointers. Nothing allocates, throws, locks or keeps state.
///
/// Growth. A struct of arguments begins with the size and the ABI that tsr_NAME_init() knows. Within one ABI
/// structs grow at their end only: a copy of the library takes shorter structs than its own, whose missing
/// members have their defaults, and refuses longer ones and another ABI (TSR_ABI_MISMATCH).
///
/// Several copies. TSR_SUFFIX, defined alike for tessera.cpp and before this header, is put behind every
/// function's name, so that copies compiled for unlike cores stand side by side. To declare the functions of
/// several copies, include this header once for each suffix.
///
/// Macros of the user for tessera.cpp: TSR_SUFFIX; TSR_BACKEND, a name of tessera::backend (default:
/// the best that the compiler's flags guarantee); TSR_PART_FORMATS, TSR_PART_MATMUL, TSR_PART_ATTENTION,
/// TSR_PART_ROPE, TSR_PART_ROWS, TSR_PART_RECURRENT: if any is defined, only these parts are compiled (to
/// spread the work over several objects, or to leave out what is not needed); TSR_FORMATS, a list such as
/// format::q4_0, format::nbits64_f16z: the only formats of this copy.
#ifndef TESSERA_TESSERA_H_
#define TESSERA_TESSERA_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The ABI of this header. A change that is no growth at a struct's end gives it another number.
#define TSR_ABI 1u

#define TSR_CONCAT2_(a, b) a##b
#define TSR_CONCAT_(a, b) TSR_CONCAT2_(a, b)

#ifdef __cplusplus
extern "C" {
#endif

// ---- statuses, formats, tiles --------------------------------------------------------------------

/// The outcome of a call: TSR_OK, or why the call as a whole was refused (nothing is written then).
typedef uint32_t tsr_status;
enum {
  TSR_OK = 0,
  TSR_NULL_POINTER,
  TSR_EMPTY_SHAPE,
  TSR_SHAPE_MISMATCH,
  TSR_SHAPE_TOO_LARGE,
  TSR_STRIDE_TOO_SMALL,
  TSR_MISALIGNED,
  TSR_OVERLAP,
  TSR_WORKSPACE_TOO_SMALL,
  TSR_WORKSPACE_MISALIGNED,
  TSR_SCRATCH_TOO_SMALL,
  TSR_PACKED_MAGIC,
  TSR_PACKED_VERSION,
  TSR_PACKED_FORMAT,
  TSR_PACKED_TILE,
  TSR_PACKED_SHAPE,
  TSR_PACKED_TOO_SMALL,
  TSR_QUANTIZED_MAGIC,
  TSR_QUANTIZED_TILE,
  TSR_QUANTIZED_NEEDS,
  TSR_QUANTIZED_SHAPE,
  TSR_QUANTIZED_TOO_SMALL,
  TSR_BATCH_RATIO,
  TSR_EXPERT_RANGE,
  TSR_SLOT_RATIO,
  TSR_UNKNOWN_FORMAT,
  TSR_GROUP_MULTIPLE,
  TSR_HEAD_RATIO,
  TSR_HEAD_SIZE,
  TSR_POSITION_RANGE,
  TSR_KEY_SPLIT,
  TSR_PAGE_TABLE,
  TSR_CACHE_TOO_SMALL,
  TSR_NOT_FINITE,
  TSR_NOT_POSITIVE,
  TSR_BAD_UNIT_RANGE,
  TSR_BAD_PHASE,
  TSR_BAD_SLICE,
  TSR_WRONG_VLEN,
  TSR_CONTROL_REGISTER,
  TSR_ABI_MISMATCH,  ///< the struct is longer than, or of another ABI than, the compiled copy's
  TSR_UNKNOWN_CHOICE  ///< a number that stands for nothing: an enumerator, a step, a type of elements
};

/// A storage format: the type id of GGUF files, or a number of the library's own. Any format of the library is taken by
/// its number; tsr_format_find() and tsr_format_at() know them all, these are the ones with a name here.
///
/// TSR_NBITS: weights of ONNX Runtime's MatMulNBits with bits = 4 (formats/nbits.hpp); the number is the operator's
/// block_size, F32 or F16 the type of its scales, Z says that there are zero points. A copy has those of 32 and 128
/// unless TSR_FORMATS names others. TSR_I8_ROW and TSR_U8_ROW: int8 and uint8 with a scale and a zero point per row
/// (formats/int8_row.hpp). Both kinds come as arrays (struct tsr_const_arrays); a format that the copy has not is
/// TSR_UNKNOWN_FORMAT.
typedef uint32_t tsr_format;
enum {
  TSR_F32 = 0,
  TSR_F16 = 1,
  TSR_Q4_0 = 2,
  TSR_Q4_1 = 3,
  TSR_Q5_0 = 6,
  TSR_Q5_1 = 7,
  TSR_Q8_0 = 8,
  TSR_Q2_K = 10,
  TSR_Q3_K = 11,
  TSR_Q4_K = 12,
  TSR_Q5_K = 13,
  TSR_Q6_K = 14,
  TSR_IQ4_NL = 20,
  TSR_IQ4_XS = 23,
  TSR_BF16 = 30,
  TSR_MXFP4 = 39,
  TSR_NVFP4 = 40,
  TSR_Q1_0 = 41,
  TSR_Q2_0 = 42,

  // Formats of no GGUF file, beyond any number of GGUF's.
  TSR_NBITS16_F32 = 0x4e420010,
  TSR_NBITS16_F16 = 0x4e420011,
  TSR_NBITS16_F32Z = 0x4e420012,
  TSR_NBITS16_F16Z = 0x4e420013,
  TSR_NBITS32_F32 = 0x4e420020,
  TSR_NBITS32_F16 = 0x4e420021,
  TSR_NBITS32_F32Z = 0x4e420022,
  TSR_NBITS32_F16Z = 0x4e420023,
  TSR_NBITS64_F32 = 0x4e420040,
  TSR_NBITS64_F16 = 0x4e420041,
  TSR_NBITS64_F32Z = 0x4e420042,
  TSR_NBITS64_F16Z = 0x4e420043,
  TSR_NBITS128_F32 = 0x4e420080,
  TSR_NBITS128_F16 = 0x4e420081,
  TSR_NBITS128_F32Z = 0x4e420082,
  TSR_NBITS128_F16Z = 0x4e420083,
  TSR_NBITS256_F32 = 0x4e420100,
  TSR_NBITS256_F16 = 0x4e420101,
  TSR_NBITS256_F32Z = 0x4e420102,
  TSR_NBITS256_F16Z = 0x4e420103,
  TSR_I8_ROW = 0x726f7738,
  TSR_U8_ROW = 0x726f7739
};
/// As a type of activations: what tsr_quantize_rows() wrote.
#define TSR_QUANTIZED 0xffffffffu
/// As k_format and as v_format, one of them each: caches of codes whose scales lie apart (ScaledInt8 and ScaledInt4 of
/// attention.hpp). Blocks are one code and, of int4, two.
#define TSR_SCALED_INT8 0xfffffffeu
#define TSR_SCALED_INT4 0xfffffffdu

/// How results of compiled copies compare; see the headers of the kernels.
typedef uint32_t tsr_exactness;
enum {
  TSR_EXACT = 0,      ///< integers
  TSR_IDENTICAL = 1,  ///< the same bits on every backend
  TSR_BOUNDED = 2     ///< a documented error
};

/// The first member of every struct of arguments; tsr_NAME_init() sets it.
typedef struct tsr_abi {
  uint32_t size;     ///< bytes of the whole struct
  uint32_t version;  ///< TSR_ABI
} tsr_abi;

/// M x N x K of the tile that a packed layout belongs to; zeros: the copy's own.
typedef struct tsr_tile {
  size_t m;
  size_t n;
  size_t k;
} tsr_tile;

// ---- views ---------------------------------------------------------------------------------------
// As in core/views.hpp: strides count elements and may have any sign where data are read. Views of `void`
// hold elements, or blocks, of the format that a member beside them names.

/// rows x cols; elements of a row are contiguous.
typedef struct tsr_matrix {
  float* data;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_matrix;
typedef struct tsr_const_matrix {
  const float* data;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_const_matrix;
typedef struct tsr_any_matrix {
  void* data;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_any_matrix;
typedef struct tsr_const_any_matrix {
  const void* data;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_const_any_matrix;

/// heads x tokens rows of dim contiguous elements.
typedef struct tsr_heads {
  float* data;
  size_t heads;
  size_t tokens;
  size_t dim;
  ptrdiff_t head_stride;
  ptrdiff_t token_stride;
} tsr_heads;
typedef struct tsr_const_heads {
  const float* data;
  size_t heads;
  size_t tokens;
  size_t dim;
  ptrdiff_t head_stride;
  ptrdiff_t token_stride;
} tsr_const_heads;
typedef struct tsr_any_heads {
  void* data;
  size_t heads;
  size_t tokens;
  size_t dim;
  ptrdiff_t head_stride;
  ptrdiff_t token_stride;
} tsr_any_heads;
typedef struct tsr_const_any_heads {
  const void* data;
  size_t heads;
  size_t tokens;
  size_t dim;
  ptrdiff_t head_stride;
  ptrdiff_t token_stride;
} tsr_const_any_heads;

/// tokens x channels.
typedef struct tsr_channels {
  float* data;
  size_t tokens;
  size_t channels;
  ptrdiff_t token_stride;
  ptrdiff_t channel_stride;
} tsr_channels;
typedef struct tsr_const_channels {
  const float* data;
  size_t tokens;
  size_t channels;
  ptrdiff_t token_stride;
  ptrdiff_t channel_stride;
} tsr_const_channels;

/// tokens x slots rows of cols contiguous elements.
typedef struct tsr_slots {
  void* data;
  size_t tokens;
  size_t slots;
  size_t cols;
  ptrdiff_t token_stride;
  ptrdiff_t slot_stride;
} tsr_slots;
typedef struct tsr_const_slots {
  const void* data;
  size_t tokens;
  size_t slots;
  size_t cols;
  ptrdiff_t token_stride;
  ptrdiff_t slot_stride;
} tsr_const_slots;

// ---- memory, phases, units -----------------------------------------------------------------------

/// Memory of the caller, each part aligned to 64 bytes: `shared` goes from one phase to the next and serves
/// all threads, `scratch` is one thread's during a call.
typedef struct tsr_workspace {
  void* shared;
  size_t shared_bytes;
  void* scratch;
  size_t scratch_bytes;
} tsr_workspace;

/// What a call needs and how it can be shared out.
typedef struct tsr_plan {
  size_t shared;    ///< bytes
  size_t scratch;   ///< bytes, per thread
  size_t phases;    ///< 1 to 3
  size_t units[3];  ///< of each phase
} tsr_plan;

// ---- this copy, this core ------------------------------------------------------------------------

typedef struct tsr_kernel_facts {
  const char* name;
  tsr_exactness exactness;
} tsr_kernel_facts;

/// What tsr_build() says of the compiled copy.
typedef struct tsr_build_facts {
  tsr_abi abi;
  uint32_t version_major;
  uint32_t version_minor;
  uint32_t version_patch;
  uint32_t compiled_abi;
  const char* backend;       ///< "rvv"
  const char* instructions;  ///< the configuration its flags allow, "rv64gcv_zvl128_000000000000"
  const tsr_kernel_facts* kernels;  ///< those of the parts that were compiled together with it
  size_t kernel_count;
} tsr_build_facts;

/// What tsr_core() says of the core that the calling thread is on; another one may be the next. Unlike
/// cores of one chip: pin the thread first, and never move one that has used vectors.
typedef struct tsr_core_facts {
  tsr_abi abi;
  /// "a100", "x100", "a60", "x60": SpacemiT's, by marchid; "rvv": another core with vectors; "none": no vectors,
  /// or not RISC-V Linux.
  const char* core;
  /// The backend its instructions allow for sure: "ime2", "ime1", "rvv" or "scalar". Of the x60 cores of a K1
  /// only the first four have matrix instructions, and no register tells: they are "rvv" here.
  const char* backend;
  size_t vlenb;        ///< bytes of a vector register, 0 without vectors
  uint64_t mvendorid;  ///< 0 where the kernel does not tell
  uint64_t marchid;
} tsr_core_facts;

// ---- storage formats and packed weights ----------------------------------------------------------

typedef struct tsr_format_facts {
  tsr_abi abi;
  const char* name;    ///< "q4_0"
  size_t group;        ///< elements of a block; 1 where there are none
  size_t block_bytes;  ///< bytes of a block
  size_t scale_group;  ///< elements that share a scale; 1 for floats, 0: the whole row
  int is_float;
  int has_minima;
  int is_cache;    ///< keys and values can be stored in it
  int has_arrays;  ///< weights come as arrays, by the functions of tsr_const_arrays
} tsr_format_facts;

/// A rows x cols weight matrix in arrays, one row per output column of a product, any number of columns.
///
/// TSR_I8_ROW, TSR_U8_ROW: value = scale * (code - zero point). `codes` are int8_t or uint8_t, row i at
/// codes + i * row_stride; `scales` one float a row; `zero_points` one of the codes' type a row, or null: all 0.
///
/// TSR_NBITS of B elements: value = scale * (code - zero point), the latter 8 in formats without. A row is
/// blocks = ceil(cols / B) blocks; `codes` are rows * blocks * B / 2 bytes, low nibble first, the last block whole;
/// `scales` rows * blocks floats, or the bits of binary16; `zero_points` rows * ceil(blocks / 2) bytes, two blocks
/// each, low nibble first, not read by formats without. Rows lie one behind the other; row_stride is not read.
typedef struct tsr_const_arrays {
  const void* codes;
  const void* scales;
  const void* zero_points;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_const_arrays;
/// The same to write to.
typedef struct tsr_arrays {
  void* codes;
  void* scales;
  void* zero_points;
  size_t rows;
  size_t cols;
  ptrdiff_t row_stride;
} tsr_arrays;

/// What a packed image says of itself.
typedef struct tsr_packed_facts {
  tsr_abi abi;
  tsr_format format;
  tsr_tile tile;
  size_t n;
  size_t k;
  size_t bytes;
} tsr_packed_facts;

// ---- matrix products (matmul.hpp, matmul_experts.hpp, quantize_rows.hpp) ---------------------------

/// What happens to a product before it is stored: steps, one after the other, each rounded once
/// (tile/epilogue.hpp). A product of a pair has exactly one TSR_STEP_GATE; without any steps it is SwiGLU.
typedef uint32_t tsr_step_kind;
enum {
  TSR_STEP_SCALE = 0,      ///< times `value`
  TSR_STEP_ROW_SCALE = 1,  ///< times data[row], float
  TSR_STEP_BIAS = 2,       ///< plus data[column], float
  TSR_STEP_RESIDUAL =
      3,  ///< plus data[row * row_stride + column] of `type`: TSR_F32, TSR_F16 or TSR_BF16
  TSR_STEP_CLAMP = 4,  ///< limited to [value, high]; a NaN becomes value
  TSR_STEP_RELU = 5,
  TSR_STEP_SILU = 6,
  TSR_STEP_GELU = 7,  ///< the tanh form
  TSR_STEP_GATE = 8   ///< times the pair's second product
};
typedef struct tsr_step {
  tsr_step_kind kind;
  float value;
  float high;
  tsr_format type;
  const void* data;
  ptrdiff_t row_stride;
} tsr_step;

/// An n x k weight matrix, one row per output column. Packed: `data` is the image (or the images, one behind
/// the other) that tsr_pack() wrote, of any tile; `pair`, if set, the images of a second matrix that meets the
/// same activations. Stored (`stored` not 0): rows of the format as they are, `row_bytes` apart; elements of
/// a float format `element_bytes` apart (0: contiguous); formats of no blocks (TSR_I8_ROW, TSR_U8_ROW) are multiplied
/// packed only (TSR_UNKNOWN_CHOICE).
typedef struct tsr_weights {
  tsr_format format;
  int stored;
  const void* data;
  size_t bytes;
  const void* pair;
  size_t pair_bytes;
  size_t n;
  size_t k;
  ptrdiff_t row_bytes;
  ptrdiff_t element_bytes;
} tsr_weights;

/// Several products of one shape in a call: struct Batches of kernels/matmul/batches.hpp.
typedef struct tsr_batches {
  size_t outer;
  size_t inner;
  size_t outer_weights;
  size_t inner_weights;
  ptrdiff_t a_outer;
  ptrdiff_t a_inner;
  ptrdiff_t c_outer;
  ptrdiff_t c_inner;
  ptrdiff_t b_outer;
  ptrdiff_t b_inner;
} tsr_batches;

typedef struct tsr_matmul_args {
  tsr_abi abi;
  tsr_const_any_matrix a;  ///< M x K of a_type
  tsr_format
      a_type;  ///< TSR_F32 (default), TSR_F16, TSR_BF16; TSR_QUANTIZED: a.data has a_bytes bytes
  size_t a_bytes;
  tsr_weights b;
  tsr_any_matrix c;   ///< M x N of c_type
  tsr_format c_type;  ///< TSR_F32 (default), TSR_F16, TSR_BF16
  const tsr_step* steps;
  size_t step_count;
  tsr_batches batches;
  tsr_workspace workspace;
} tsr_matmul_args;

typedef struct tsr_matmul_experts_args {
  tsr_abi abi;
  tsr_const_slots a;  ///< tokens x slots rows of K, of a_type
  tsr_format a_type;  ///< TSR_F32 (default), TSR_F16, TSR_BF16
  tsr_weights b;      ///< packed: the images of all experts, one behind the other
  size_t experts;
  tsr_const_slots ids;  ///< tokens x used, cols 1: int32_t
  tsr_slots c;          ///< tokens x used rows of N, of c_type
  tsr_format c_type;    ///< TSR_F32 (default), TSR_F16, TSR_BF16
  const tsr_step* steps;
  size_t step_count;
  tsr_workspace workspace;
} tsr_matmul_experts_args;

typedef struct tsr_quantize_rows_args {
  tsr_abi abi;
  tsr_const_any_matrix a;  ///< M x K of a_type
  tsr_format a_type;       ///< TSR_F32 (default), TSR_F16, TSR_BF16
  void* out;               ///< tsr_quantized_size() bytes, aligned to 64
  size_t out_bytes;
  const tsr_format* formats;  ///< of all weights that the rows will meet
  size_t format_count;
} tsr_quantize_rows_args;

// ---- attention (attention.hpp, kv_cache.hpp, scores.hpp, hadamard.hpp) -------------------------------------------

/// No limit of attention's window.
#define TSR_UNLIMITED SIZE_MAX

typedef uint32_t tsr_query;
enum {
  TSR_QUERY_QUANTIZED = 0,  ///< keys of blocks meet the query in int8 (default)
  TSR_QUERY_FULL = 1        ///< they meet it in f32
};

/// One of the two pointers, or neither. `f16` points at the bits of binary16.
typedef struct tsr_mask {
  const float* f32;
  const uint16_t* f16;
  size_t heads;
  size_t sequences;
  ptrdiff_t query_stride;
  ptrdiff_t head_stride;
  ptrdiff_t sequence_stride;
} tsr_mask;

typedef struct tsr_sequence_batch {
  size_t count;
  ptrdiff_t q_stride;
  ptrdiff_t k_stride;
  ptrdiff_t v_stride;
  ptrdiff_t out_stride;
  ptrdiff_t gate_stride;
  const int32_t* key_lengths;
  size_t key_length_count;
  const int32_t* offsets;
  size_t offset_count;
} tsr_sequence_batch;

typedef struct tsr_page_table {
  size_t page_tokens;
  const int32_t* table;
  size_t table_count;
  size_t pages_per_sequence;
  size_t pages;
  ptrdiff_t k_stride;
  ptrdiff_t v_stride;
} tsr_page_table;

/// A cache in the order of a tile (kv_cache.hpp), tsr_kv_cache_size() bytes aligned to 64. `tile`: zeros: the one that
/// this copy reads in place; every copy reads those of all others.
typedef struct tsr_kv_cache {
  void* memory;
  size_t bytes;
  tsr_tile tile;
  size_t sequences;
  size_t key_heads;
  size_t capacity;
  size_t dk;
  size_t dv;
} tsr_kv_cache;

/// Positions [begin, end) that a cache holds of a sequence. Read by the library as its own struct, as tsr_sequence.
typedef struct __attribute__((may_alias)) tsr_kv_held {
  size_t begin;
  size_t end;
} tsr_kv_held;

typedef struct tsr_kv_append_args {
  tsr_abi abi;
  tsr_kv_cache cache;
  tsr_const_any_heads k;    ///< key heads x new tokens x dk, of `type`
  tsr_const_any_heads v;    ///< key heads x new tokens x dv
  tsr_format type;          ///< TSR_F32 (default), TSR_F16, TSR_BF16
  const tsr_kv_held* held;  ///< what each sequence has already
  size_t held_count;
  const int32_t* counts;
  size_t count_count;
  ptrdiff_t k_stride;
  ptrdiff_t v_stride;
} tsr_kv_append_args;

/// Over rows of keys and values, or over a cache where cache.memory is set: k, v, their formats and pages are
/// unused then, and `held` says what each sequence has.
typedef struct tsr_attention_args {
  tsr_abi abi;
  tsr_const_heads q;
  tsr_const_any_heads k;  ///< sizes and strides in blocks of k_format
  tsr_format k_format;
  tsr_const_any_heads v;
  tsr_format v_format;
  tsr_heads out;
  float scale;  ///< default 1
  int causal;
  ptrdiff_t causal_offset;
  tsr_query query;
  float soft_cap;
  size_t before;  ///< default TSR_UNLIMITED
  size_t after;   ///< default TSR_UNLIMITED
  tsr_mask mask;
  const float* slopes;
  size_t slope_count;
  const float* sinks;
  size_t sink_count;
  tsr_const_heads gate;
  tsr_matrix log_sum_exp;
  tsr_sequence_batch sequences;
  tsr_page_table pages;
  tsr_workspace workspace;
  tsr_kv_cache cache;
  const tsr_kv_held* held;
  size_t held_count;
  const float*
      k_scales;  ///< of TSR_SCALED_INT8 and TSR_SCALED_INT4: one, or one per head and channel
  size_t k_scale_count;
  const float* v_scales;
  size_t v_scale_count;
} tsr_attention_args;

/// What tsr_attention_blocks() gave for keys [key_begin, key_end).
typedef struct tsr_attention_part {
  size_t key_begin;
  size_t key_end;
  const float* partials;
  size_t floats;
} tsr_attention_part;

typedef struct tsr_scores_args {
  tsr_abi abi;
  tsr_const_heads q;
  tsr_const_any_heads k;  ///< sizes and strides in blocks of k_format
  tsr_format k_format;
  tsr_heads out;
  float scale;  ///< default 1
  int transposed;
  tsr_query query;
  tsr_workspace workspace;
} tsr_scores_args;

typedef struct tsr_hadamard_args {
  tsr_abi abi;
  tsr_const_heads x;
  tsr_heads y;
  size_t block;  ///< 0: the whole head
  tsr_workspace workspace;
} tsr_hadamard_args;

// ---- rotary embedding (rope.hpp) -------------------------------------------------------------------

typedef uint32_t tsr_pairing;
enum {
  TSR_PAIRING_INTERLEAVED = 1,
  TSR_PAIRING_HALF = 2  ///< neither is the default: models differ
};

typedef uint32_t tsr_rope_planes;
enum {
  TSR_PLANES_ONE = 0,
  TSR_PLANES_SECTIONS = 1,
  TSR_PLANES_INTERLEAVED = 2,
  TSR_PLANES_VISION = 3
};

typedef struct tsr_rope_scaling {
  double frequency_scale;  ///< default 1
  double ext_factor;
  double attention_factor;  ///< default 1
  double beta_fast;         ///< default 32
  double beta_slow;         ///< default 1
  uint32_t original_context;
} tsr_rope_scaling;

typedef struct tsr_rope_table_args {
  tsr_abi abi;
  const int32_t* positions;
  size_t position_count;
  double base;  ///< default 10000
  tsr_matrix cosine;
  tsr_matrix sine;
  const float* frequency_factors;
  size_t factor_count;
  tsr_rope_scaling scaling;
  tsr_rope_planes planes;
  uint32_t section[4];
} tsr_rope_table_args;

typedef struct tsr_rope_args {
  tsr_abi abi;
  tsr_const_any_heads x;
  tsr_any_heads y;
  tsr_format type;  ///< of x and y: TSR_F32 (default), TSR_F16, TSR_BF16
  tsr_const_any_matrix cosine;
  tsr_const_any_matrix sine;
  tsr_format table_type;  ///< of cosine and sine, likewise
  tsr_pairing pairing;    ///< without a default
  size_t offset;
  int inverse;
  const int32_t* positions;
  size_t position_count;
} tsr_rope_args;

typedef struct tsr_rope_shift_args {
  tsr_abi abi;
  tsr_any_heads k;    ///< sizes and strides in blocks of `format`
  tsr_format format;  ///< one whose facts say is_cache, and no float format
  tsr_const_matrix cosine;
  tsr_const_matrix sine;
  tsr_pairing pairing;  ///< without a default
  size_t offset;
  int inverse;
  const int32_t* positions;
  size_t position_count;
  tsr_workspace workspace;
} tsr_rope_shift_args;

// ---- rows (softmax.hpp, norm.hpp, head_norm.hpp, activation.hpp) -------------------------------------

typedef struct tsr_softmax_args {
  tsr_abi abi;
  tsr_const_matrix x;
  tsr_matrix y;
  float scale;  ///< default 1
} tsr_softmax_args;

typedef struct tsr_rms_norm_args {
  tsr_abi abi;
  tsr_const_matrix x;
  const float* weight;
  tsr_matrix y;
  float eps;  ///< default 1e-5
} tsr_rms_norm_args;

typedef struct tsr_l2_norm_args {
  tsr_abi abi;
  tsr_const_heads x;
  tsr_heads y;
  float eps;  ///< default 1e-6
} tsr_l2_norm_args;

typedef uint32_t tsr_gate_order;
enum { TSR_GATE_AFTER = 0, TSR_GATE_BEFORE = 1 };

typedef struct tsr_gated_rms_norm_args {
  tsr_abi abi;
  tsr_const_heads x;
  tsr_const_heads z;
  tsr_const_matrix weight;
  tsr_heads y;
  float eps;  ///< default 1e-5
  tsr_gate_order order;
} tsr_gated_rms_norm_args;

typedef struct tsr_swiglu_args {
  tsr_abi abi;
  tsr_const_matrix gate;
  tsr_const_matrix up;
  tsr_matrix y;
} tsr_swiglu_args;

typedef uint32_t tsr_function;
enum {
  TSR_SOFTPLUS = 1,
  TSR_SIGMOID = 2,
  TSR_SILU = 3  ///< none of them is the default
};

typedef struct tsr_activation_args {
  tsr_abi abi;
  tsr_const_matrix x;
  tsr_matrix y;
  tsr_function function;  ///< without a default
} tsr_activation_args;

// ---- recurrences (ssm_conv.hpp, ssm_scan.hpp, ssm_step.hpp, gated_delta_net.hpp, linear_attention.hpp) ------

/// Read by the library as its own struct of the same members, hence the attribute.
typedef struct __attribute__((may_alias)) tsr_sequence {
  size_t first;
  size_t tokens;
  size_t slot;
} tsr_sequence;

typedef uint32_t tsr_state_order;
enum {
  TSR_STATE_OUTPUTS = 0,
  TSR_STATE_REDUCTION = 1  ///< GGUF's
};

typedef struct tsr_states {
  float* data;
  size_t slots;
  ptrdiff_t slot_stride;
  tsr_state_order order;
} tsr_states;

typedef struct tsr_snapshots {
  float* data;
  size_t count;
  ptrdiff_t sequence_stride;
  ptrdiff_t snapshot_stride;
} tsr_snapshots;

typedef struct tsr_conv_states {
  float* data;
  size_t slots;
  ptrdiff_t slot_stride;
  ptrdiff_t row_stride;
  ptrdiff_t channel_stride;  ///< default 1
} tsr_conv_states;

typedef struct tsr_conv_snapshots {
  float* data;
  size_t count;
  ptrdiff_t sequence_stride;
  ptrdiff_t snapshot_stride;
  ptrdiff_t row_stride;
  ptrdiff_t channel_stride;  ///< default 1
} tsr_conv_snapshots;

typedef struct tsr_ssm_conv_args {
  tsr_abi abi;
  tsr_const_channels x;
  tsr_const_channels weight;
  const float* bias;
  tsr_channels y;
  int silu;
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_conv_states states;
  tsr_conv_snapshots snapshots;
  tsr_workspace workspace;
} tsr_ssm_conv_args;

typedef uint32_t tsr_algorithm;
enum { TSR_SEQUENTIAL = 0, TSR_CHUNKED = 1 };

typedef struct tsr_ssm_scan_args {
  tsr_abi abi;
  tsr_const_heads x;
  tsr_const_channels dt;
  tsr_const_channels a;
  tsr_const_heads b;
  tsr_const_heads c;
  const float* d;
  tsr_const_heads z;
  tsr_heads y;
  int softplus;  ///< default 1
  float dt_min;
  float dt_max;  ///< default infinity
  tsr_algorithm algorithm;
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_snapshots snapshots;
  tsr_workspace workspace;
} tsr_ssm_scan_args;

typedef struct tsr_mamba2_step_args {
  tsr_abi abi;
  size_t groups;  ///< default 1
  size_t state_size;
  tsr_const_channels xbc;
  tsr_const_channels weight;
  const float* bias;
  tsr_conv_states conv_states;
  tsr_const_channels dt;
  tsr_const_channels a;
  const float* d;
  tsr_const_heads z;
  tsr_heads y;
  int softplus;  ///< default 1
  float dt_min;
  float dt_max;  ///< default infinity
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_workspace workspace;
} tsr_mamba2_step_args;

/// Which key head head h of H uses.
typedef uint32_t tsr_head_map;
enum {
  TSR_HEADS_MODULO = 1,  ///< h % Hk, as in GGUF files
  TSR_HEADS_BLOCKS = 2   ///< h / (H / Hk); neither is the default: models differ
};

typedef struct tsr_gated_delta_net_step_args {
  tsr_abi abi;
  tsr_head_map head_map;  ///< without a default
  size_t key_heads;
  size_t key_size;
  tsr_const_channels qkv;
  tsr_const_channels weight;
  const float* bias;
  tsr_conv_states conv_states;
  float eps;  ///< default 1e-6
  tsr_const_heads log_gate;
  tsr_const_channels beta;
  tsr_heads out;
  float scale;  ///< default 1
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_workspace workspace;
} tsr_gated_delta_net_step_args;

typedef struct tsr_gated_delta_net_args {
  tsr_abi abi;
  tsr_head_map head_map;  ///< without a default
  tsr_const_heads q;
  tsr_const_heads k;
  tsr_const_heads v;
  tsr_const_heads log_gate;
  tsr_const_channels beta;
  tsr_heads out;
  float scale;  ///< default 1
  tsr_algorithm algorithm;
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_snapshots snapshots;
  tsr_workspace workspace;
} tsr_gated_delta_net_args;

typedef struct tsr_gated_linear_attention_args {
  tsr_abi abi;
  tsr_const_heads q;
  tsr_const_heads k;
  tsr_const_heads v;
  tsr_const_heads gate;
  tsr_heads out;
  float scale;  ///< default 1
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_snapshots snapshots;
  tsr_workspace workspace;
} tsr_gated_linear_attention_args;

typedef struct tsr_rwkv6_args {
  tsr_abi abi;
  tsr_const_heads receptance;
  tsr_const_heads k;
  tsr_const_heads v;
  tsr_const_heads decay;
  tsr_const_matrix bonus;
  tsr_heads out;
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_snapshots snapshots;
  tsr_workspace workspace;
} tsr_rwkv6_args;

typedef struct tsr_rwkv7_args {
  tsr_abi abi;
  tsr_const_heads receptance;
  tsr_const_heads k;
  tsr_const_heads v;
  tsr_const_heads decay;
  tsr_const_heads a;
  tsr_const_heads b;
  tsr_heads out;
  const tsr_sequence* sequences;
  size_t sequence_count;
  tsr_states states;
  tsr_snapshots snapshots;
  tsr_workspace workspace;
} tsr_rwkv7_args;

// ---- defaults --------------------------------------------------------------------------------------

/// Zeros, the struct's size and this header's ABI.
#define TSR_CLEAR_(args)              \
  do {                                \
    memset(&(args), 0, sizeof(args)); \
    (args).abi.size = sizeof(args);   \
    (args).abi.version = TSR_ABI;     \
  } while (0)

/// Structs whose defaults are zeros, and what the facts are written to.
#define TSR_INIT_ZEROS_(name, type)            \
  static inline type tsr_##name##_init(void) { \
    type args;                                 \
    TSR_CLEAR_(args);                          \
    return args;                               \
  }
TSR_INIT_ZEROS_(build, tsr_build_facts)
TSR_INIT_ZEROS_(core, tsr_core_facts)
TSR_INIT_ZEROS_(format, tsr_format_facts)
TSR_INIT_ZEROS_(packed, tsr_packed_facts)
TSR_INIT_ZEROS_(matmul_experts, tsr_matmul_experts_args)
TSR_INIT_ZEROS_(quantize_rows, tsr_quantize_rows_args)
TSR_INIT_ZEROS_(hadamard, tsr_hadamard_args)
TSR_INIT_ZEROS_(kv_append, tsr_kv_append_args)
TSR_INIT_ZEROS_(rope, tsr_rope_args)
TSR_INIT_ZEROS_(rope_shift, tsr_rope_shift_args)
TSR_INIT_ZEROS_(swiglu, tsr_swiglu_args)
TSR_INIT_ZEROS_(activation, tsr_activation_args)
TSR_INIT_ZEROS_(rwkv6, tsr_rwkv6_args)
TSR_INIT_ZEROS_(rwkv7, tsr_rwkv7_args)
#undef TSR_INIT_ZEROS_

/// The others: what follows the zeros.
#define TSR_INIT_(name, defaults)                           \
  static inline tsr_##name##_args tsr_##name##_init(void) { \
    tsr_##name##_args args;                                 \
    TSR_CLEAR_(args);                                       \
    defaults;                                               \
    return args;                                            \
  }
TSR_INIT_(matmul, args.batches.outer = args.batches.inner = args.batches.outer_weights =
                      args.batches.inner_weights = 1)
TSR_INIT_(attention, args.scale = 1.0f; args.before = args.after = TSR_UNLIMITED;
          args.mask.heads = args.mask.sequences = args.sequences.count = 1)
TSR_INIT_(scores, args.scale = 1.0f)
TSR_INIT_(rope_table, args.base = 10000.0;
          args.scaling.frequency_scale = args.scaling.attention_factor = 1.0;
          args.scaling.beta_fast = 32.0; args.scaling.beta_slow = 1.0)
TSR_INIT_(softmax, args.scale = 1.0f)
TSR_INIT_(rms_norm, args.eps = 1e-5f)
TSR_INIT_(l2_norm, args.eps = 1e-6f)
TSR_INIT_(gated_rms_norm, args.eps = 1e-5f)
TSR_INIT_(ssm_conv, args.states.channel_stride = args.snapshots.channel_stride = 1)
TSR_INIT_(ssm_scan, args.softplus = 1; args.dt_max = __builtin_inff())
TSR_INIT_(mamba2_step, args.groups = 1; args.conv_states.channel_stride = 1; args.softplus = 1;
          args.dt_max = __builtin_inff())
TSR_INIT_(gated_delta_net_step, args.conv_states.channel_stride = 1; args.eps = 1e-6f;
          args.scale = 1.0f)
TSR_INIT_(gated_delta_net, args.scale = 1.0f)
TSR_INIT_(gated_linear_attention, args.scale = 1.0f)
#undef TSR_INIT_

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TESSERA_TESSERA_H_

// ---- functions: once for each TSR_SUFFIX -------------------------------------------------------------

#undef TSR_NAME_
#ifdef TSR_SUFFIX
#define TSR_NAME_(name) TSR_CONCAT_(name, TSR_SUFFIX)
#else
#define TSR_NAME_(name) name
#endif
#undef TSR_COPY_
#define TSR_COPY_ TSR_NAME_(c_interface)  // the namespace of the copy's code

#ifdef __cplusplus
extern "C" {
#endif

/// A sentence for people, through `text`; also for values outside the list.
tsr_status TSR_NAME_(tsr_message)(tsr_status status, const char** text);

/// The compiled copy. TSR_ABI_MISMATCH: it was compiled with another header than the caller; compiled_abi and the
/// version are set even so, if there is room for them.
tsr_status TSR_NAME_(tsr_build)(tsr_build_facts* facts);

/// The core under the calling thread. Asks the system: once per pinned thread, not once per call.
tsr_status TSR_NAME_(tsr_core)(tsr_core_facts* facts);

/// The formats: how many, the index-th, the one of a name; what is known of one.
tsr_status TSR_NAME_(tsr_format_count)(size_t* count);
tsr_status TSR_NAME_(tsr_format_at)(size_t index, tsr_format* format);
tsr_status TSR_NAME_(tsr_format_find)(const char* name, tsr_format* format);
tsr_status TSR_NAME_(tsr_format_facts_of)(tsr_format format, tsr_format_facts* facts);

/// `count` elements, whole blocks (TSR_GROUP_MULTIPLE), to and from a format; no alignment asked of blocks.
/// TSR_UNKNOWN_FORMAT: also a format without blocks, with a scale per row, as of all functions of stored rows.
tsr_status TSR_NAME_(tsr_quantize)(tsr_format format, const float* x, size_t count, void* blocks);
tsr_status TSR_NAME_(tsr_dequantize)(tsr_format format, const void* blocks, size_t count, float* x);

/// The tile whose images this copy reads without rearranging.
tsr_status TSR_NAME_(tsr_native_tile)(tsr_format format, tsr_tile* tile);
/// Bytes of the image of an n x k matrix; 0 where there is none. TSR_PACKED_TILE: no tile of the format.
tsr_status TSR_NAME_(tsr_packed_size)(tsr_format format, tsr_tile tile, size_t n, size_t k,
                                      size_t* bytes);
/// Packs rows [begin, end) of floats, quantised by the format's rule; the image is aligned to 64 bytes.
tsr_status TSR_NAME_(tsr_pack)(tsr_format format, tsr_tile tile, const tsr_const_matrix* weights,
                               void* image, size_t bytes, size_t begin, size_t end);
/// The same of rows already stored in the format, `row_bytes` apart: every bit is kept.
tsr_status TSR_NAME_(tsr_pack_stored)(tsr_format format, tsr_tile tile, const void* rows, size_t n,
                                      size_t k, ptrdiff_t row_bytes, void* image, size_t bytes,
                                      size_t begin, size_t end);
/// The exact stored blocks of rows [begin, end): row i goes to rows + i * row_bytes.
tsr_status TSR_NAME_(tsr_unpack)(const void* image, size_t bytes, void* rows, size_t row_bytes,
                                 size_t begin, size_t end);

/// Rows [begin, end) (SIZE_MAX: to the last) of floats quantised to arrays by the format's rule, and back: `arrays`
/// has all rows, of which these are written or read. Exactness: TSR_IDENTICAL. TSR_UNKNOWN_FORMAT: not a format of
/// arrays; TSR_EMPTY_SHAPE; TSR_SHAPE_MISMATCH: rows or cols differ; TSR_NULL_POINTER: an array is missing that the
/// format has (quantising to TSR_U8_ROW: the zero points, too); TSR_MISALIGNED: floats or scales;
/// TSR_STRIDE_TOO_SMALL; TSR_SHAPE_TOO_LARGE; TSR_BAD_UNIT_RANGE.
tsr_status TSR_NAME_(tsr_quantize_arrays)(tsr_format format, const tsr_const_matrix* x,
                                          const tsr_arrays* arrays, size_t begin, size_t end);
tsr_status TSR_NAME_(tsr_dequantize_arrays)(tsr_format format, const tsr_const_arrays* arrays,
                                            const tsr_matrix* x, size_t begin, size_t end);
/// Packs rows [begin, end) of arrays: every bit is kept. As tsr_pack(), and TSR_STRIDE_TOO_SMALL,
/// TSR_UNKNOWN_FORMAT: not a format of arrays.
tsr_status TSR_NAME_(tsr_pack_arrays)(tsr_format format, tsr_tile tile,
                                      const tsr_const_arrays* arrays, void* image, size_t bytes,
                                      size_t begin, size_t end);
/// The exact arrays of rows [begin, end), at their places among those of all rows; nibbles of zero points that belong
/// to no block become 0. TSR_SHAPE_MISMATCH: rows or cols are not the image's. TSR_NULL_POINTER: also zero points of
/// TSR_U8_ROW or TSR_I8_ROW, unless all of these rows are 0.
tsr_status TSR_NAME_(tsr_unpack_arrays)(const void* image, size_t bytes, const tsr_arrays* arrays,
                                        size_t begin, size_t end);
/// What the image says of itself, after its header was checked.
tsr_status TSR_NAME_(tsr_packed_facts_of)(const void* image, size_t bytes, tsr_packed_facts* facts);

/// Bytes of rows x cols activations quantised for weights of these formats. TSR_QUANTIZED_NEEDS, as of
/// tsr_quantize_rows(): TSR_I8_ROW and TSR_U8_ROW want activations of one scale per row, which no format of blocks
/// can meet.
tsr_status TSR_NAME_(tsr_quantized_size)(size_t rows, size_t cols, const tsr_format* formats,
                                         size_t format_count, size_t* bytes);

/// Bytes of a cache of this shape; memory and bytes are not read. 0 where there is none.
tsr_status TSR_NAME_(tsr_kv_cache_size)(const tsr_kv_cache* shape, size_t* bytes);

/// attention_blocks() and what goes with it: partial results of keys [key_begin, key_end), cut at multiples
/// of 64, and their merging. Units of blocks are those of tsr_attention_plan(), of merging one per sequence,
/// head and query.
tsr_status TSR_NAME_(tsr_attention_partial_size)(const tsr_attention_args* args, size_t key_begin,
                                                 size_t key_end, size_t* floats);
tsr_status TSR_NAME_(tsr_attention_blocks)(const tsr_attention_args* args, size_t key_begin,
                                           size_t key_end, float* partials, size_t floats,
                                           size_t begin, size_t end);
tsr_status TSR_NAME_(tsr_attention_merge)(const tsr_attention_args* args,
                                          const tsr_attention_part* parts, size_t part_count,
                                          size_t begin, size_t end);
/// ALiBi's slopes for `count` heads; max_bias from 0 to 64.
tsr_status TSR_NAME_(tsr_alibi_slopes)(float max_bias, float* slopes, size_t count);

/// The functions of every kernel; see the head of this file.
#define TSR_KERNEL_(name)                                                                 \
  tsr_status TSR_NAME_(tsr_##name##_check)(const tsr_##name##_args* args);                \
  tsr_status TSR_NAME_(tsr_##name##_plan)(const tsr_##name##_args* args, tsr_plan* plan); \
  tsr_status TSR_NAME_(tsr_##name##_run)(const tsr_##name##_args* args, size_t phase,     \
                                         size_t begin, size_t end);                       \
  tsr_status TSR_NAME_(tsr_##name)(const tsr_##name##_args* args)

TSR_KERNEL_(matmul);
TSR_KERNEL_(matmul_experts);
TSR_KERNEL_(quantize_rows);
TSR_KERNEL_(attention);
TSR_KERNEL_(scores);
TSR_KERNEL_(hadamard);
TSR_KERNEL_(kv_append);
TSR_KERNEL_(rope_table);
TSR_KERNEL_(rope);
TSR_KERNEL_(rope_shift);
TSR_KERNEL_(softmax);
TSR_KERNEL_(rms_norm);
TSR_KERNEL_(l2_norm);
TSR_KERNEL_(gated_rms_norm);
TSR_KERNEL_(swiglu);
TSR_KERNEL_(activation);
TSR_KERNEL_(ssm_conv);
TSR_KERNEL_(ssm_scan);
TSR_KERNEL_(mamba2_step);
TSR_KERNEL_(gated_delta_net_step);
TSR_KERNEL_(gated_delta_net);
TSR_KERNEL_(gated_linear_attention);
TSR_KERNEL_(rwkv6);
TSR_KERNEL_(rwkv7);
#undef TSR_KERNEL_

#ifdef __cplusplus
}  // extern "C"
#endif
