// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
/// \file
/// The functions of tessera.h, compiled for one backend. Needs C++20; see tessera.h for the macros.
#if !defined(TSR_PART_FORMATS) && !defined(TSR_PART_MATMUL) && !defined(TSR_PART_ATTENTION) && \
    !defined(TSR_PART_ROPE) && !defined(TSR_PART_ROWS) && !defined(TSR_PART_RECURRENT)
#define TSR_PART_FORMATS
#define TSR_PART_MATMUL
#define TSR_PART_ATTENTION
#define TSR_PART_ROPE
#define TSR_PART_ROWS
#define TSR_PART_RECURRENT
#endif

#include "tessera/tessera.h"

#include <cstddef>

#include "tessera/backend/core.hpp"
#include "tessera/backend/list.hpp"
#include "tessera/c_interface/common.hpp"
#ifdef TSR_PART_FORMATS
#include "tessera/c_interface/arrays.hpp"
#include "tessera/c_interface/formats.hpp"
#endif
#ifdef TSR_PART_MATMUL
#include "tessera/c_interface/matmul.hpp"
#endif
#ifdef TSR_PART_ATTENTION
#include "tessera/c_interface/attention.hpp"
#endif
#ifdef TSR_PART_ROPE
#include "tessera/c_interface/rope.hpp"
#endif
#ifdef TSR_PART_ROWS
#include "tessera/c_interface/rows.hpp"
#endif
#ifdef TSR_PART_RECURRENT
#include "tessera/c_interface/recurrent.hpp"
#endif

namespace {

namespace c = tessera::TSR_COPY_;  // each copy its own, whatever it is compiled with
using tessera::Status;
#ifdef TSR_BACKEND
using B = tessera::backend::TSR_BACKEND;
#else
using B = tessera::default_backend;
#endif

constexpr tsr_status number(Status s) {
  return static_cast<tsr_status>(s);
}
static_assert(number(Status::control_register) == TSR_CONTROL_REGISTER &&
              number(Status::abi_mismatch) == TSR_ABI_MISMATCH &&
              number(Status::unknown_choice) == TSR_UNKNOWN_CHOICE &&
              number(Status::count_) == TSR_UNKNOWN_CHOICE + 1);

/// The caller's arguments, brought up to date, to one of the kernels.
template <class Backend, class Args>
tsr_status respond(const Args* from, Args defaults, const c::Request& request) {
  using namespace c;  // its call() for these arguments, if this part has any
  if (const Status s = take(from, defaults); s != Status::ok) return number(s);
  return number(call<Backend>(defaults, request));
}

}  // namespace

#define TSR_DEFINE_(name)                                                                  \
  tsr_status TSR_NAME_(tsr_##name##_check)(const tsr_##name##_args* args) {                \
    return respond<B>(args, tsr_##name##_init(), {c::Request::Kind::check});               \
  }                                                                                        \
  tsr_status TSR_NAME_(tsr_##name##_plan)(const tsr_##name##_args* args, tsr_plan* plan) { \
    if (plan == nullptr) return TSR_NULL_POINTER;                                          \
    return respond<B>(args, tsr_##name##_init(), {c::Request::Kind::plan, plan});          \
  }                                                                                        \
  tsr_status TSR_NAME_(tsr_##name##_run)(const tsr_##name##_args* args, size_t phase,      \
                                         size_t begin, size_t end) {                       \
    return respond<B>(args, tsr_##name##_init(),                                           \
                      {c::Request::Kind::run, nullptr, phase, {begin, end}});              \
  }                                                                                        \
  tsr_status TSR_NAME_(tsr_##name)(const tsr_##name##_args* args) {                        \
    return respond<B>(args, tsr_##name##_init(), {c::Request::Kind::whole});               \
  }

#ifdef TSR_PART_FORMATS

tsr_status TSR_NAME_(tsr_message)(tsr_status status, const char** text) {
  if (text == nullptr) return TSR_NULL_POINTER;
  *text = message(static_cast<Status>(status));
  return TSR_OK;
}

tsr_status TSR_NAME_(tsr_build)(tsr_build_facts* facts) {
  // All of them by the definitions in their headers.
  static constexpr tsr_kernel_facts kernels[] = {
      {"matmul", TSR_IDENTICAL},
      {"matmul_experts", TSR_IDENTICAL},
      {"quantize_rows", TSR_IDENTICAL},
      {"attention", TSR_IDENTICAL},
      {"scores", TSR_IDENTICAL},
      {"hadamard", TSR_IDENTICAL},
      {"kv_append", TSR_EXACT},
      {"rope_table", TSR_IDENTICAL},
      {"rope", TSR_IDENTICAL},
      {"rope_shift", TSR_IDENTICAL},
      {"softmax", TSR_IDENTICAL},
      {"rms_norm", TSR_IDENTICAL},
      {"l2_norm", TSR_IDENTICAL},
      {"gated_rms_norm", TSR_IDENTICAL},
      {"swiglu", TSR_IDENTICAL},
      {"activation", TSR_IDENTICAL},
      {"ssm_conv", TSR_IDENTICAL},
      {"ssm_scan", TSR_IDENTICAL},
      {"mamba2_step", TSR_IDENTICAL},
      {"gated_delta_net_step", TSR_IDENTICAL},
      {"gated_delta_net", TSR_IDENTICAL},
      {"gated_linear_attention", TSR_IDENTICAL},
      {"rwkv6", TSR_IDENTICAL},
      {"rwkv7", TSR_IDENTICAL},
  };
  tsr_build_facts f = {};
  f.version_major = TESSERA_VERSION_MAJOR;
  f.version_minor = TESSERA_VERSION_MINOR;
  f.version_patch = TESSERA_VERSION_PATCH;
  f.compiled_abi = TSR_ABI;
  f.backend = B::name;
  f.instructions = TESSERA_ISA_STRING;
  f.kernels = kernels;
  f.kernel_count = sizeof kernels / sizeof kernels[0];
  return number(c::give(f, facts));
}

tsr_status TSR_NAME_(tsr_core)(tsr_core_facts* facts) {
  const tessera::CoreFacts here = tessera::core_facts();
  tsr_core_facts f = {{}, here.core, here.backend, here.vlenb, here.mvendorid, here.marchid};
  return number(c::give(f, facts));
}

tsr_status TSR_NAME_(tsr_format_count)(size_t* count) {
  if (count == nullptr) return TSR_NULL_POINTER;
  *count = c::compiled_formats::size;
  return TSR_OK;
}
tsr_status TSR_NAME_(tsr_format_at)(size_t index, tsr_format* format) {
  return number(c::format_at(index, format));
}
tsr_status TSR_NAME_(tsr_format_find)(const char* name, tsr_format* format) {
  return number(c::format_find(name, format));
}
tsr_status TSR_NAME_(tsr_format_facts_of)(tsr_format format, tsr_format_facts* facts) {
  return number(c::format_facts(format, facts));
}
tsr_status TSR_NAME_(tsr_quantize)(tsr_format format, const float* x, size_t count, void* blocks) {
  return number(c::quantize(format, x, count, blocks));
}
tsr_status TSR_NAME_(tsr_dequantize)(tsr_format format, const void* blocks, size_t count,
                                     float* x) {
  return number(c::dequantize(format, blocks, count, x));
}
tsr_status TSR_NAME_(tsr_native_tile)(tsr_format format, tsr_tile* tile) {
  return number(c::native_tile<B>(format, tile));
}
tsr_status TSR_NAME_(tsr_packed_size)(tsr_format format, tsr_tile tile, size_t n, size_t k,
                                      size_t* bytes) {
  return number(c::size_of_packed<B>(format, tile, n, k, bytes));
}
tsr_status TSR_NAME_(tsr_pack)(tsr_format format, tsr_tile tile, const tsr_const_matrix* weights,
                               void* image, size_t bytes, size_t begin, size_t end) {
  return number(c::pack<B>(format, tile, weights, c::bytes(image, bytes), {begin, end}));
}
tsr_status TSR_NAME_(tsr_pack_stored)(tsr_format format, tsr_tile tile, const void* rows, size_t n,
                                      size_t k, ptrdiff_t row_bytes, void* image, size_t bytes,
                                      size_t begin, size_t end) {
  return number(
      c::pack_stored<B>(format, tile, rows, n, k, row_bytes, c::bytes(image, bytes), {begin, end}));
}
tsr_status TSR_NAME_(tsr_unpack)(const void* image, size_t bytes, void* rows, size_t row_bytes,
                                 size_t begin, size_t end) {
  return number(c::unpack<B>(c::bytes(image, bytes), rows, row_bytes, {begin, end}));
}
tsr_status TSR_NAME_(tsr_quantize_arrays)(tsr_format format, const tsr_const_matrix* x,
                                          const tsr_arrays* arrays, size_t begin, size_t end) {
  return number(c::quantize_arrays(format, x, arrays, {begin, end}));
}
tsr_status TSR_NAME_(tsr_dequantize_arrays)(tsr_format format, const tsr_const_arrays* arrays,
                                            const tsr_matrix* x, size_t begin, size_t end) {
  return number(c::dequantize_arrays(format, arrays, x, {begin, end}));
}
tsr_status TSR_NAME_(tsr_pack_arrays)(tsr_format format, tsr_tile tile,
                                      const tsr_const_arrays* arrays, void* image, size_t bytes,
                                      size_t begin, size_t end) {
  return number(c::pack_arrays<B>(format, tile, arrays, c::bytes(image, bytes), {begin, end}));
}
tsr_status TSR_NAME_(tsr_unpack_arrays)(const void* image, size_t bytes, const tsr_arrays* arrays,
                                        size_t begin, size_t end) {
  return number(c::unpack_arrays<B>(c::bytes(image, bytes), arrays, {begin, end}));
}
tsr_status TSR_NAME_(tsr_packed_facts_of)(const void* image, size_t bytes,
                                          tsr_packed_facts* facts) {
  return number(c::packed_facts<B>(c::bytes(image, bytes), facts));
}

#endif  // TSR_PART_FORMATS

#ifdef TSR_PART_MATMUL

TSR_DEFINE_(matmul)
TSR_DEFINE_(matmul_experts)
TSR_DEFINE_(quantize_rows)

tsr_status TSR_NAME_(tsr_quantized_size)(size_t rows, size_t cols, const tsr_format* formats,
                                         size_t format_count, size_t* bytes) {
  return number(c::quantized_size<B>(rows, cols, formats, format_count, bytes));
}

#endif  // TSR_PART_MATMUL

#ifdef TSR_PART_ATTENTION

TSR_DEFINE_(attention)
TSR_DEFINE_(scores)
TSR_DEFINE_(hadamard)
TSR_DEFINE_(kv_append)

tsr_status TSR_NAME_(tsr_kv_cache_size)(const tsr_kv_cache* shape, size_t* bytes) {
  if (shape == nullptr || bytes == nullptr) return TSR_NULL_POINTER;
  *bytes = tessera::kv_cache_size(c::kv_shape(*shape));
  return TSR_OK;
}

tsr_status TSR_NAME_(tsr_attention_partial_size)(const tsr_attention_args* args, size_t key_begin,
                                                 size_t key_end, size_t* floats) {
  tsr_attention_args full = tsr_attention_init();
  if (const Status s = c::take(args, full); s != Status::ok) return number(s);
  return number(c::partial_size<B>(full, {key_begin, key_end}, floats));
}
tsr_status TSR_NAME_(tsr_attention_blocks)(const tsr_attention_args* args, size_t key_begin,
                                           size_t key_end, float* partials, size_t floats,
                                           size_t begin, size_t end) {
  tsr_attention_args full = tsr_attention_init();
  if (const Status s = c::take(args, full); s != Status::ok) return number(s);
  return number(c::blocks<B>(full, {key_begin, key_end}, {partials, floats}, {begin, end}));
}
tsr_status TSR_NAME_(tsr_attention_merge)(const tsr_attention_args* args,
                                          const tsr_attention_part* parts, size_t part_count,
                                          size_t begin, size_t end) {
  tsr_attention_args full = tsr_attention_init();
  if (const Status s = c::take(args, full); s != Status::ok) return number(s);
  return number(c::merge<B>(full, parts, part_count, {begin, end}));
}
tsr_status TSR_NAME_(tsr_alibi_slopes)(float max_bias, float* slopes, size_t count) {
  if (slopes == nullptr && count != 0) return TSR_NULL_POINTER;
  if (!(max_bias >= 0.0f && max_bias <= 64.0f)) return TSR_POSITION_RANGE;
  tessera::alibi_slopes(max_bias, {slopes, count});
  return TSR_OK;
}

#endif  // TSR_PART_ATTENTION

#ifdef TSR_PART_ROPE

TSR_DEFINE_(rope_table)
TSR_DEFINE_(rope)
TSR_DEFINE_(rope_shift)

#endif  // TSR_PART_ROPE

#ifdef TSR_PART_ROWS

TSR_DEFINE_(softmax)
TSR_DEFINE_(rms_norm)
TSR_DEFINE_(l2_norm)
TSR_DEFINE_(gated_rms_norm)
TSR_DEFINE_(swiglu)
TSR_DEFINE_(activation)

#endif  // TSR_PART_ROWS

#ifdef TSR_PART_RECURRENT

TSR_DEFINE_(ssm_conv)
TSR_DEFINE_(ssm_scan)
TSR_DEFINE_(mamba2_step)
TSR_DEFINE_(gated_delta_net_step)
TSR_DEFINE_(gated_delta_net)
TSR_DEFINE_(gated_linear_attention)
TSR_DEFINE_(rwkv6)
TSR_DEFINE_(rwkv7)

#endif  // TSR_PART_RECURRENT
