// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// expected.cpp FILE: writes the digests of calls.c's problems, computed by the C++ interface on the scalar backend, in the
// order of the calls.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <span>

#include "tessera/c_interface/format_list.hpp"
#include "tessera/tessera.h"
#include "tessera/tessera.hpp"
#include "tests/c_interface/calls.h"

namespace {

using namespace tessera;
using B = backend::scalar;

/// The numbers of the C interface are those of the library.
constexpr struct {
  tsr_status number;
  Status status;
} statuses[] = {
    {TSR_OK, Status::ok},
    {TSR_NULL_POINTER, Status::null_pointer},
    {TSR_EMPTY_SHAPE, Status::empty_shape},
    {TSR_SHAPE_MISMATCH, Status::shape_mismatch},
    {TSR_SHAPE_TOO_LARGE, Status::shape_too_large},
    {TSR_STRIDE_TOO_SMALL, Status::stride_too_small},
    {TSR_MISALIGNED, Status::misaligned},
    {TSR_OVERLAP, Status::overlap},
    {TSR_WORKSPACE_TOO_SMALL, Status::workspace_too_small},
    {TSR_WORKSPACE_MISALIGNED, Status::workspace_misaligned},
    {TSR_SCRATCH_TOO_SMALL, Status::scratch_too_small},
    {TSR_PACKED_MAGIC, Status::packed_magic},
    {TSR_PACKED_VERSION, Status::packed_version},
    {TSR_PACKED_FORMAT, Status::packed_format},
    {TSR_PACKED_TILE, Status::packed_tile},
    {TSR_PACKED_SHAPE, Status::packed_shape},
    {TSR_PACKED_TOO_SMALL, Status::packed_too_small},
    {TSR_QUANTIZED_MAGIC, Status::quantized_magic},
    {TSR_QUANTIZED_TILE, Status::quantized_tile},
    {TSR_QUANTIZED_NEEDS, Status::quantized_needs},
    {TSR_QUANTIZED_SHAPE, Status::quantized_shape},
    {TSR_QUANTIZED_TOO_SMALL, Status::quantized_too_small},
    {TSR_BATCH_RATIO, Status::batch_ratio},
    {TSR_EXPERT_RANGE, Status::expert_range},
    {TSR_SLOT_RATIO, Status::slot_ratio},
    {TSR_UNKNOWN_FORMAT, Status::unknown_format},
    {TSR_GROUP_MULTIPLE, Status::group_multiple},
    {TSR_HEAD_RATIO, Status::head_ratio},
    {TSR_HEAD_SIZE, Status::head_size},
    {TSR_POSITION_RANGE, Status::position_range},
    {TSR_KEY_SPLIT, Status::key_split},
    {TSR_PAGE_TABLE, Status::page_table},
    {TSR_CACHE_TOO_SMALL, Status::cache_too_small},
    {TSR_NOT_FINITE, Status::not_finite},
    {TSR_NOT_POSITIVE, Status::not_positive},
    {TSR_BAD_UNIT_RANGE, Status::bad_unit_range},
    {TSR_BAD_PHASE, Status::bad_phase},
    {TSR_BAD_SLICE, Status::bad_slice},
    {TSR_WRONG_VLEN, Status::wrong_vlen},
    {TSR_CONTROL_REGISTER, Status::control_register},
    {TSR_ABI_MISMATCH, Status::abi_mismatch},
    {TSR_UNKNOWN_CHOICE, Status::unknown_choice},
};
constexpr bool statuses_agree() {
  for (const auto& s : statuses)
    if (s.number != static_cast<tsr_status>(s.status)) return false;
  return std::size(statuses) == static_cast<std::size_t>(Status::count_);
}
static_assert(statuses_agree());

constexpr struct {
  tsr_format number;
  FormatId id;
} named_formats[] = {
    {TSR_F32, FormatId::f32},
    {TSR_F16, FormatId::f16},
    {TSR_Q4_0, FormatId::q4_0},
    {TSR_Q4_1, FormatId::q4_1},
    {TSR_Q5_0, FormatId::q5_0},
    {TSR_Q5_1, FormatId::q5_1},
    {TSR_Q8_0, FormatId::q8_0},
    {TSR_Q2_K, FormatId::q2_K},
    {TSR_Q3_K, FormatId::q3_K},
    {TSR_Q4_K, FormatId::q4_K},
    {TSR_Q5_K, FormatId::q5_K},
    {TSR_Q6_K, FormatId::q6_K},
    {TSR_IQ4_NL, FormatId::iq4_nl},
    {TSR_IQ4_XS, FormatId::iq4_xs},
    {TSR_BF16, FormatId::bf16},
    {TSR_MXFP4, FormatId::mxfp4},
    {TSR_NVFP4, FormatId::nvfp4},
    {TSR_Q1_0, FormatId::q1_0},
    {TSR_Q2_0, FormatId::q2_0},
    {TSR_I8_ROW, format::i8_row::id},
    {TSR_U8_ROW, format::u8_row::id},
    {TSR_NBITS16_F32, format::nbits16_f32::id},
    {TSR_NBITS16_F16, format::nbits16_f16::id},
    {TSR_NBITS16_F32Z, format::nbits16_f32z::id},
    {TSR_NBITS16_F16Z, format::nbits16_f16z::id},
    {TSR_NBITS32_F32, format::nbits32_f32::id},
    {TSR_NBITS32_F16, format::nbits32_f16::id},
    {TSR_NBITS32_F32Z, format::nbits32_f32z::id},
    {TSR_NBITS32_F16Z, format::nbits32_f16z::id},
    {TSR_NBITS64_F32, format::nbits64_f32::id},
    {TSR_NBITS64_F16, format::nbits64_f16::id},
    {TSR_NBITS64_F32Z, format::nbits64_f32z::id},
    {TSR_NBITS64_F16Z, format::nbits64_f16z::id},
    {TSR_NBITS128_F32, format::nbits128_f32::id},
    {TSR_NBITS128_F16, format::nbits128_f16::id},
    {TSR_NBITS128_F32Z, format::nbits128_f32z::id},
    {TSR_NBITS128_F16Z, format::nbits128_f16z::id},
    {TSR_NBITS256_F32, format::nbits256_f32::id},
    {TSR_NBITS256_F16, format::nbits256_f16::id},
    {TSR_NBITS256_F32Z, format::nbits256_f32z::id},
    {TSR_NBITS256_F16Z, format::nbits256_f16z::id},
};
constexpr bool formats_agree() {
  for (const auto& f : named_formats)
    if (f.number != static_cast<tsr_format>(f.id)) return false;
  return true;
}
static_assert(formats_agree());

struct Recorder {
  call_record record;

  void bytes(const char* name, const void* data, std::size_t size) const {
    record(name, call_hash(0, data, size));
  }
  void floats(const char* name, Status status, const float* x, std::size_t count) const {
    record(name, call_hash(static_cast<std::uint32_t>(status), x, count * sizeof(float)));
  }
};

Workspace memory(WorkspaceSize size) {
  return {{static_cast<std::byte*>(call_memory(size.shared)), size.shared},
          {static_cast<std::byte*>(call_memory(size.scratch)), size.scratch}};
}

template <class T>
HeadView<T> heads_of(T* data, std::size_t heads, std::size_t tokens, std::size_t dim) {
  return {data,
          heads,
          tokens,
          dim,
          static_cast<std::ptrdiff_t>(tokens * dim),
          static_cast<std::ptrdiff_t>(dim)};
}

/// Floats in format F.
template <class F>
typename F::Block* stored(const float* x, std::size_t count) {
  auto* blocks = static_cast<typename F::Block*>(call_memory(count / F::group * F::block_bytes));
  for (std::size_t i = 0; i < count; i += F::group) {
    if constexpr (F::is_float) {
      blocks[i] = F::from_float(x[i]);
    } else {
      F::quantize_block(x + i, blocks[i / F::group]);
    }
  }
  return blocks;
}

void rows(const Recorder& r) {
  const std::size_t n = call_rows * call_cols;
  const float* x = call_floats(n, 1);
  const float* w = call_floats(call_cols, 2);
  float* y = call_floats(n, 0);
  const auto in = matrix(x, call_rows, call_cols);
  const auto out = matrix(y, call_rows, call_cols);
  for (const char* name : {"softmax", "softmax at once"})
    r.floats(name, softmax<B>({in, out, 3.0f}), y, n);
  r.floats("softmax of scale 1", softmax<B>({in, out, {}}), y, n);
  r.floats("rms_norm", rms_norm<B>({in, w, out, {}}), y, n);
  const auto x_heads = heads_of(x, 1, call_rows, call_cols);
  const auto y_heads = heads_of(y, 1, call_rows, call_cols);
  r.floats("l2_norm", l2_norm<B>({x_heads, y_heads, {}}), y, n);
  r.floats("gated_rms_norm",
           gated_rms_norm<B>(
               {x_heads, x_heads, matrix(w, 1, call_cols), y_heads, {}, GateOrder::before}),
           y, n);
  r.floats("swiglu", swiglu<B>({in, in, out}), y, n);
  r.floats("activation", softplus<B>({in, out}), y, n);
  r.floats("activation at once", sigmoid<B>({in, out}), y, n);
  r.floats("activation at once", silu<B>({in, out}), y, n);
}

void formats(const Recorder& r) {
  const char* text = message(Status::overlap);
  r.bytes("message", text, std::strlen(text));
  c_interface::compiled_formats::for_each([&]<class F>(Type<F>) {
    if (call_recorded(static_cast<std::uint32_t>(F::id)) == 0) return;
    call_reset();
    const float* x = call_floats(call_outputs * call_k, 3);
    if constexpr (!RowFormat<F>) {
      const auto* blocks = stored<F>(x, call_outputs * call_k);
      r.bytes("quantize", blocks, call_outputs * call_k / F::group * F::block_bytes);
      float* back = call_floats(call_k, 0);
      if constexpr (F::is_float) {
        F::dequantize(blocks, call_k, back);
      } else {
        for (std::size_t i = 0; i < call_k / F::group; ++i)
          F::dequantize_block(blocks[i], back + i * F::group);
      }
      r.floats("dequantize", Status::ok, back, call_k);
    }
    const std::size_t size = packed_size<F, tile::scalar>(call_outputs, call_k);
    auto* image = static_cast<std::byte*>(call_memory(size));
    const Status s = pack_weights<F, tile::scalar>(matrix(x, call_outputs, call_k), {image, size});
    r.record("pack", call_hash(static_cast<std::uint32_t>(s), image, size));
  });
}

/// The arrays that an image of the same floats unpacks to, and their values by the formats' definitions.
template <class F>
void arrays_of(const Recorder& r) {
  using T = tile::scalar;
  constexpr std::size_t n = call_outputs;
  constexpr std::size_t k = call_partial;
  call_reset();
  const float* x = call_floats(n * k, 3);
  float* back = call_floats(n * k, 0);
  const std::size_t size = packed_size<F, T>(n, k);
  const std::span image = {static_cast<std::byte*>(call_memory(size)), size};
  static_cast<void>(pack_weights<F, T>(matrix(x, n, k), image));
  if constexpr (RowFormat<F>) {
    using Code = typename F::Code;
    RowOutput<F> out = {static_cast<Code*>(call_memory(n * k)), call_floats(n, 0),
                        static_cast<Code*>(call_memory(n)), k};
    static_cast<void>(unpack_weights<F, T>(image, n, k, out));
    r.bytes("codes", out.codes, n * k);
    r.bytes("scales", out.scales, n * sizeof(float));
    r.bytes("zero points", out.zero_points, n);
    for (std::size_t i = 0; i < n * k; ++i)
      back[i] =
          out.scales[i / k] * static_cast<float>(int{out.codes[i]} - int{out.zero_points[i / k]});
  } else {
    using Scale = typename F::Scale;
    constexpr std::size_t blocks = (k + F::elements - 1) / F::elements;
    NBitsOutput<F> out = {static_cast<std::uint8_t*>(call_memory(n * blocks * F::elements / 2)),
                          static_cast<Scale*>(call_memory(n * blocks * sizeof(Scale))),
                          static_cast<std::uint8_t*>(call_memory(n * blocks))};
    static_cast<void>(unpack_weights<F, T>(image, n, k, out));
    r.bytes("codes", out.codes, n * blocks * F::elements / 2);
    r.bytes("scales", out.scales, n * blocks * sizeof(Scale));
    r.bytes("zero points", out.zero_points, F::has_zero_points ? n * ((blocks + 1) / 2) : 0);
    for (std::size_t i = 0; i < n * k; ++i) {
      const std::size_t b = i % k / F::elements;
      const std::size_t e = i % k % F::elements;
      const std::size_t row = i / k;
      const int code = out.codes[(row * blocks + b) * F::elements / 2 + e / 2] >> e % 2 * 4 & 15;
      const int zero = F::has_zero_points
                           ? out.zero_points[row * ((blocks + 1) / 2) + b / 2] >> b % 2 * 4 & 15
                           : 8;
      const float scale = to_float(out.scales[row * blocks + b]);
      const float minus_min = scale * static_cast<float>(8 - zero);
      back[i] = scale * static_cast<float>(code - 8);
      if (F::has_zero_points) back[i] += minus_min;
    }
  }
  r.floats("dequantize_arrays", Status::ok, back, n * k);
}

void arrays(const Recorder& r) {
  c_interface::compiled_formats::for_each([&]<class F>(Type<F>) {
    if constexpr (RowFormat<F> || NBitsFormat<F>) arrays_of<F>(r);
  });
}

template <class F>
std::span<std::byte> packed(std::size_t images, std::uint32_t seed) {
  const std::size_t size = packed_size<F, tile::scalar>(call_outputs, call_k);
  auto* image = static_cast<std::byte*>(call_memory(images * size));
  for (std::size_t i = 0; i < images; ++i) {
    const float* w = call_floats(call_outputs * call_k, seed + static_cast<std::uint32_t>(i));
    if (pack_weights<F, tile::scalar>(matrix(w, call_outputs, call_k), {image + i * size, size}) !=
        Status::ok)
      return {};
  }
  return {image, images * size};
}

template <class Args, class... E>
Status multiply(Args args, const E&... e) {
  args.workspace = memory(workspace_size<B>(args));
  return matmul<B>(args, e...);
}

template <class F, class E>
void products(const Recorder& r) {
  using T = tile::scalar;
  using Narrow = typename E::Element;
  call_reset();
  const std::size_t n = call_rows * call_outputs;
  const float* x = call_floats(call_rows * call_k, 5);
  const float* bias = call_floats(call_outputs, 6);
  float* y = call_floats(2 * n, 0);
  const auto a = matrix(x, call_rows, call_k);
  const auto c = matrix(y, call_rows, call_outputs);
  const PackedWeights<F, T> w = {packed<F>(1, 7), call_outputs, call_k};
  for (const char* name : {"matmul", "matmul at once", "matmul at once"})
    r.floats(name, multiply(MatmulArgs<F, T>{a, w, c}), y, n);

  const Narrow* narrow = stored<E>(x, call_rows * call_k);
  auto* narrow_y = reinterpret_cast<Narrow*>(y);
  using namespace epilogue;
  const auto steps =
      Chain{Chain{Chain{Chain{Scale{0.75f}, Bias{bias}}, Silu{}}, RowScale{x}},
            Chain{Chain{Residual<Narrow>{matrix(narrow, call_rows, call_outputs)}, Gelu{}},
                  Chain{Clamp{-0.5f, 0.5f}, Relu{}}}};
  const Status with_steps =
      multiply(MatmulArgs<F, T, Narrow, Narrow>{matrix(narrow, call_rows, call_k), w,
                                                matrix(narrow_y, call_rows, call_outputs)},
               steps);
  r.record("matmul with steps", call_hash(static_cast<std::uint32_t>(with_steps), y, n * 2));

  const PackedPair<F, T> pair = {w.image, packed<F>(1, 9), call_outputs, call_k};
  using PairArgs = MatmulArgs<F, T, float, float, PackedPair<F, T>>;
  r.floats("matmul of a pair", multiply(PairArgs{a, pair, c}), y, n);
  r.floats("matmul of a pair with steps", multiply(PairArgs{a, pair, c}, Gated{Relu{}}), y, n);
  if constexpr (!F::is_float) {
    constexpr auto needs = ActivationNeeds::of<F>();
    const std::size_t size = quantized_size<B>(call_rows, call_k, needs);
    const std::span<std::byte> rows = {static_cast<std::byte*>(call_memory(size)), size};
    r.floats("quantize_rows", quantize_rows<B, float>({a, rows, needs}), y, 0);
    const MatmulArgs<F, T, QuantizedActivations, float, PackedPair<F, T>> args = {
        {rows, call_rows, call_k}, pair, c};
    r.floats("matmul of quantised rows", multiply(args), y, n);
  }
  MatmulArgs<F, T> two = {
      matrix(x, 2, call_k), {packed<F>(2, 7), call_outputs, call_k}, matrix(y, 2, call_outputs)};
  two.batches.outer = two.batches.outer_weights = 2;
  two.batches.a_outer = 2 * call_k;
  two.batches.c_outer = 2 * call_outputs;
  r.floats("matmul", multiply(two), y, 4 * call_outputs);
  if constexpr (!RowFormat<F>) {
    const auto* blocks = stored<F>(call_floats(call_outputs * call_k, 7), call_outputs * call_k);
    const MatmulArgs<F, no_tile, float, float, StoredRows<F>> plain = {
        a,
        {reinterpret_cast<const std::byte*>(blocks), call_outputs, call_k,
         static_cast<std::ptrdiff_t>(call_k / F::group * F::block_bytes)},
        c};
    r.floats("matmul", multiply(plain), y, n);
  }
}

template <class F>
void experts(const Recorder& r) {
  static constexpr std::int32_t chosen[] = {2, 0, 1, 1, 0, 2};
  call_reset();
  const std::size_t n = call_tokens * call_used * call_outputs;
  const float* x = call_floats(call_tokens * call_k, 11);
  float* y = call_floats(n, 0);
  MatmulExpertsArgs<F, tile::scalar> args = {slot_view(x, call_tokens, 1, call_k),
                                             {packed<F>(call_experts, 12), call_outputs, call_k},
                                             call_experts,
                                             slot_view(chosen, call_tokens, call_used, 1),
                                             slot_view(y, call_tokens, call_used, call_outputs)};
  args.workspace = memory(workspace_size<B>(args));
  for (const char* name : {"matmul_experts", "matmul_experts at once"})
    r.floats(name, matmul_experts<B>(args), y, n);
}

template <class K, class V>
void attentions(const Recorder& r) {
  call_reset();
  const std::size_t n = call_heads * call_tokens * call_dim;
  const std::size_t cached = call_key_heads * call_keys * call_dim;
  const float* q = call_floats(n, 21);
  const float* x = call_floats(cached, 22);
  const float* gate = call_floats(n, 23);
  float* y = call_floats(n, 0);
  float* slopes = call_floats(call_heads, 0);
  alibi_slopes(8.0f, {slopes, call_heads});
  AttentionArgs<K, V> args = {};
  args.q = heads_of(q, call_heads, call_tokens, call_dim);
  args.k = heads_of<const typename K::Block>(stored<K>(x, cached), call_key_heads, call_keys,
                                             call_dim / K::group);
  args.v = heads_of<const typename V::Block>(stored<V>(x, cached), call_key_heads, call_keys,
                                             call_dim / V::group);
  args.out = heads_of(y, call_heads, call_tokens, call_dim);
  args.scale = 0.25f, args.causal = true, args.causal_offset = call_keys - call_tokens;
  args.before = 100, args.soft_cap = 30.0f;
  args.slopes = {slopes, call_heads};
  args.gate = heads_of(gate, call_heads, call_tokens, call_dim);
  args.workspace = memory(workspace_size<B>(args));
  for (const char* name : {"attention", "attention at once", "attention at once"})
    r.floats(name, attention<B>(args), y, n);
  const std::size_t pairs = call_heads * call_tokens * call_keys;
  float* all = call_floats(pairs, 0);
  ScoresArgs<K> scores_args = {args.q, args.k, heads_of(all, call_heads, call_tokens, call_keys),
                               0.5f};
  scores_args.workspace = memory(workspace_size<B>(scores_args));
  r.floats("scores", scores<B>(scores_args), all, pairs);
}

/// Over rows of q8_0: the same bits as over a cache.
void caches(const Recorder& r) {
  call_reset();
  using F = format::q8_0;
  const std::size_t n = call_heads * call_tokens * call_dim;
  const std::size_t cached = call_key_heads * call_keys * call_dim;
  const float* q = call_floats(n, 21);
  const float* x = call_floats(cached, 22);
  float* y = call_floats(n, 0);
  AttentionArgs<F, F> args = {};
  args.q = heads_of(q, call_heads, call_tokens, call_dim);
  args.k = args.v = heads_of<const F::Block>(stored<F>(x, cached), call_key_heads, call_keys,
                                             call_dim / F::group);
  args.out = heads_of(y, call_heads, call_tokens, call_dim);
  args.scale = 0.25f;
  args.workspace = memory(workspace_size<B>(args));
  for (int tile = 0; tile < 2; ++tile) {
    r.floats("kv_append", Status::ok, y, 0);
    r.floats("attention", attention<B>(args), y, n);
  }
}

void scaled_caches(const Recorder& r) {
  call_reset();
  const std::size_t n = call_heads * call_tokens * call_dim;
  const std::size_t cached = call_key_heads * call_keys * call_dim;
  const std::size_t channels = call_key_heads * call_dim;
  const float scale = 0.01f;
  float* y = call_floats(n, 0);
  float* scales = call_floats(channels, 0);
  auto* codes = static_cast<std::uint8_t*>(call_memory(cached));
  for (std::size_t i = 0; i < cached; ++i) codes[i] = static_cast<std::uint8_t>(i * 73 % 251);
  for (std::size_t i = 0; i < channels; ++i) scales[i] = 0.125f * static_cast<float>(i % 7 + 1);
  AttentionArgs<ScaledInt8, ScaledInt4> args = {};
  args.q = heads_of<const float>(call_floats(n, 21), call_heads, call_tokens, call_dim);
  args.k =
      heads_of(reinterpret_cast<const std::int8_t*>(codes), call_key_heads, call_keys, call_dim);
  args.v = heads_of<const std::uint8_t>(codes, call_key_heads, call_keys, call_dim / 2);
  args.k_scales = {&scale, 1}, args.v_scales = {scales, channels};
  args.out = heads_of(y, call_heads, call_tokens, call_dim);
  args.scale = 0.25f;
  args.workspace = memory(workspace_size<B>(args));
  r.floats("attention", attention<B>(args), y, n);
}

void ropes(const Recorder& r) {
  static constexpr std::int32_t positions[] = {0, 7, 70000};
  call_reset();
  const std::size_t pairs = call_dim / 2;
  const std::size_t n = call_heads * call_tokens * call_dim;
  const float* x = call_floats(n, 31);
  float* y = call_floats(n, 0);
  float* cosine = call_floats(2 * call_tokens * pairs, 0);
  float* sine = cosine + call_tokens * pairs;
  RopeTableArgs table;
  table.positions = positions;
  table.cosine = matrix(cosine, call_tokens, pairs);
  table.sine = matrix(sine, call_tokens, pairs);
  r.floats("rope_table", rope_table(table), cosine, 2 * call_tokens * pairs);
  const auto x_heads = heads_of(x, call_heads, call_tokens, call_dim);
  const auto y_heads = heads_of(y, call_heads, call_tokens, call_dim);
  r.floats(
      "rope",
      rope<B, float, float>({x_heads, y_heads, table.cosine, table.sine, Pairing::interleaved}), y,
      n);
  const BFloat16* narrow = stored<format::bf16>(x, n);
  const RopeArgs<BFloat16, float> inverse = {
      heads_of(narrow, call_heads, call_tokens, call_dim),
      heads_of(reinterpret_cast<BFloat16*>(y), call_heads, call_tokens, call_dim),
      table.cosine,
      table.sine,
      Pairing::half,
      0,
      true};
  r.record("rope of bf16",
           call_hash(static_cast<std::uint32_t>(rope<B>(inverse)), y, n * sizeof(BFloat16)));
  auto* cache = stored<format::q8_0>(x, n);
  RopeShiftArgs<format::q8_0> shift = {heads_of(cache, call_heads, call_tokens, call_dim / 32),
                                       table.cosine, table.sine, Pairing::half};
  shift.workspace = memory(workspace_size<B>(shift));
  r.floats("rope_shift", rope_shift<B>(shift), y, 0);
  r.bytes("rope_shift", cache, n / 32 * 34);
  HadamardArgs transform = {x_heads, y_heads};
  transform.workspace = memory(workspace_size(transform));
  r.floats("hadamard", hadamard<B>(transform), y, n);
}

/// Twice from the same state, as calls.c does.
template <class Args, class Run>
void carried(const Recorder& r, const char* name, const char* state_name, Args args, float* state,
             std::size_t size, const float* out, std::size_t count, Run run) {
  args.workspace = memory(workspace_size(args));
  call_fill(state, size, 47);
  r.floats(name, run(args), out, count);
  r.floats(state_name, Status::ok, state, size);
  call_fill(state, size, 47);
  r.floats(name, run(args), out, count);
}

void recurrences(const Recorder& r) {
  constexpr std::size_t wide = call_heads * call_dim + 2 * call_states;
  static constexpr Sequence all[] = {{0, call_tokens, 0}};
  static constexpr Sequence one[] = {{call_tokens - 1, 1, 0}};
  call_reset();
  const std::size_t n = call_heads * call_tokens * call_dim;
  const std::size_t keys = call_heads * call_tokens * call_states;
  const std::size_t size = call_heads * call_dim * call_states;
  const float* x = call_floats(n, 41);
  const float* k = call_floats(keys, 42);
  const float* g = call_floats(keys, 43);
  const float* q = call_floats(keys, 44);
  const float* dt = call_floats(call_tokens * call_heads, 45);
  const float* a = call_floats(call_heads, 46);
  float* y = call_floats(n, 0);
  float* state = call_floats(size, 47);
  const float* input = call_floats(call_tokens * wide, 48);
  const float* taps = call_floats(call_width * wide, 49);
  float* rows = call_floats(call_tokens * wide, 0);
  float* tail = call_floats((call_width - 1) * wide, 47);
  const States states = {state, 1, static_cast<std::ptrdiff_t>(size)};
  const auto x_heads = heads_of(x, call_heads, call_tokens, call_dim);
  const auto y_heads = heads_of(y, call_heads, call_tokens, call_dim);
  const auto keys_of = [&](const float* data, std::size_t heads) {
    return heads_of(data, heads, call_tokens, call_states);
  };

  SsmConvArgs conv = {};
  conv.x = time_major(input, call_tokens, wide);
  conv.weight = time_major(taps, call_width, wide);
  conv.y = time_major(rows, call_tokens, wide);
  conv.silu = true, conv.sequences = all;
  conv.states = {tail, 1, (call_width - 1) * wide, wide};
  carried(r, "ssm_conv", "ssm_conv state", conv, tail, (call_width - 1) * wide, rows,
          call_tokens * wide, [](const auto& args) { return ssm_conv<B>(args); });

  SsmScanArgs scan = {};
  scan.x = scan.z = x_heads, scan.y = y_heads;
  scan.dt = time_major(dt, call_tokens, call_heads), scan.a = time_major(a, 1, call_heads);
  scan.b = keys_of(k, 1), scan.c = keys_of(q, 1);
  scan.sequences = all, scan.states = states;
  const auto run_scan = [](const auto& args) { return ssm_scan<B>(args); };
  carried(r, "ssm_scan", "ssm_scan state", scan, state, size, y, n, run_scan);
  scan.algorithm = ScanAlgorithm::chunked;
  carried(r, "ssm_scan", "ssm_scan state", scan, state, size, y, n, run_scan);

  // The convolution's state is what the step before left: only the recurrence begins anew.
  Mamba2StepArgs mamba = {};
  mamba.state_size = call_states, mamba.xbc = conv.x, mamba.weight = conv.weight;
  mamba.conv_states = conv.states, mamba.dt = scan.dt, mamba.a = scan.a, mamba.y = y_heads;
  mamba.sequences = one, mamba.states = states;
  carried(r, "mamba2_step", "mamba2_step state", mamba, state, size, y, n,
          [](const auto& args) { return mamba2_step<B>(args); });

  GatedDeltaNetArgs delta = {.head_map = HeadMap::modulo()};
  delta.q = keys_of(q, call_key_heads), delta.k = keys_of(k, call_key_heads), delta.v = x_heads;
  delta.beta = scan.dt, delta.out = y_heads, delta.scale = 0.5f;
  delta.sequences = all, delta.states = states;
  const auto run_delta = [](const auto& args) { return gated_delta_net<B>(args); };
  carried(r, "gated_delta_net", "gated_delta_net state", delta, state, size, y, n, run_delta);
  delta.head_map = HeadMap::blocks(), delta.algorithm = DeltaNetAlgorithm::chunked;
  carried(r, "gated_delta_net", "gated_delta_net state", delta, state, size, y, n, run_delta);

  call_fill(tail, (call_width - 1) * wide, 47);
  GatedDeltaNetStepArgs step = {.head_map = HeadMap::modulo()};
  step.key_heads = 1, step.key_size = call_states, step.qkv = conv.x, step.weight = conv.weight;
  step.conv_states = conv.states, step.beta = scan.dt, step.out = y_heads;
  step.sequences = one, step.states = states;
  carried(r, "gated_delta_net_step", "gated_delta_net_step state", step, state, size, y, n,
          [](const auto& args) { return gated_delta_net_step<B>(args); });

  GatedLinearAttentionArgs linear;
  linear.q = keys_of(q, call_heads), linear.k = keys_of(k, call_heads), linear.v = x_heads;
  linear.gate = keys_of(g, call_heads), linear.out = y_heads, linear.scale = 0.5f;
  linear.sequences = all, linear.states = states;
  carried(r, "gated_linear_attention", "gated_linear_attention state", linear, state, size, y, n,
          [](const auto& args) { return gated_linear_attention<B>(args); });

  Rwkv6Args rwkv6_args;
  rwkv6_args.receptance = linear.q, rwkv6_args.k = linear.k, rwkv6_args.v = x_heads;
  rwkv6_args.decay = linear.gate, rwkv6_args.bonus = matrix(g, call_heads, call_states);
  rwkv6_args.out = y_heads, rwkv6_args.sequences = all, rwkv6_args.states = states;
  carried(r, "rwkv6", "rwkv6 state", rwkv6_args, state, size, y, n,
          [](const auto& args) { return rwkv6<B>(args); });

  Rwkv7Args rwkv7_args;
  rwkv7_args.receptance = linear.q, rwkv7_args.k = linear.k, rwkv7_args.v = x_heads;
  rwkv7_args.decay = linear.gate, rwkv7_args.a = linear.k, rwkv7_args.b = linear.q;
  rwkv7_args.out = y_heads, rwkv7_args.sequences = all, rwkv7_args.states = states;
  carried(r, "rwkv7", "rwkv7 state", rwkv7_args, state, size, y, n,
          [](const auto& args) { return rwkv7<B>(args); });
}

std::FILE* file = nullptr;
void write(const char* name, std::uint64_t hash) {
  std::fprintf(file, "%016" PRIx64 " %s\n", hash, name);
}

}  // namespace

int main(int argc, char** argv) {
  file = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
  if (file == nullptr) return 2;
  const Recorder r = {write};
  call_reset();
  rows(r);
  formats(r);
  arrays(r);
  products<format::f16, format::bf16>(r);
  products<format::q4_0, format::f16>(r);
  products<format::q4_K, format::bf16>(r);
  products<format::u8_row, format::f16>(r);
  products<format::nbits32_f16z, format::bf16>(r);
  experts<format::bf16>(r);
  experts<format::q8_0>(r);
  experts<format::q2_K>(r);
  experts<format::i8_row>(r);
  attentions<format::f32, format::f16>(r);
  attentions<format::q8_0, format::q4_1>(r);
  caches(r);
  scaled_caches(r);
  ropes(r);
  recurrences(r);
  return std::fclose(file) == 0 ? 0 : 2;
}
