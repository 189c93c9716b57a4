// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// FLASH_ATTN_EXT: q [Dk, T, heads, S], k [Dk, keys, key heads, S], v [Dv, ...], mask f16 [keys, T, ., .], sinks
// [heads], result [Dv, heads, T, S]. Parameters: scale, largest bias, cap. The number of finite mask entries that
// may follow them is a hint.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool is_cache(const Tensor* t) {
  if (t == nullptr || !has_rows(*t)) return false;
  tsr_format_facts facts = tsr_format_init();
  return tsr_format_facts_of(static_cast<tsr_format>(t->type), &facts) == TSR_OK &&
         facts.is_cache != 0 && size(*t, 0) % facts.group == 0;
}

bool supports(const Tensor& dst) {
  const Tensor* const q = dst.src[0];
  const Tensor* const k = dst.src[1];
  const Tensor* const v = dst.src[2];
  const Tensor* const mask = dst.src[3];
  const Tensor* const sinks = dst.src[4];
  if (!is_f32(q) || !is_cache(k) || !is_cache(v) || !is_f32(&dst) || is_empty(*k)) return false;
  const float bias = parameter(dst, 1);
  return k->ne[0] == q->ne[0] && k->ne[1] == v->ne[1] && k->ne[2] == v->ne[2] &&
         q->ne[2] % k->ne[2] == 0 && k->ne[3] == q->ne[3] && v->ne[3] == q->ne[3] &&
         has_shape(dst, v->ne[0], q->ne[2], q->ne[1], q->ne[3]) && bias >= 0.0f && bias <= 64.0f &&
         (mask == nullptr ||
          (mask->type == ggml::f16 && has_rows(*mask) && mask->ne[0] == k->ne[1] &&
           mask->ne[1] >= q->ne[1] && mask->ne[2] != 0 && mask->ne[3] != 0)) &&
         (mask != nullptr || bias == 0.0f) &&
         (sinks == nullptr || (is_f32(sinks) && sinks->ne[0] == q->ne[2]));
}

// Blocks of a row.
tsr_const_any_heads cache(const Tensor& t) {
  tsr_format_facts facts = tsr_format_init();
  static_cast<void>(tsr_format_facts_of(static_cast<tsr_format>(t.type), &facts));
  return {t.data, size(t, 2), size(t, 1), size(t, 0) / facts.group, stride(t, 2), stride(t, 1)};
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& q = *dst.src[0];
  const Tensor& k = *dst.src[1];
  const Tensor& v = *dst.src[2];
  tsr_attention_args args = tsr_attention_init();
  args.q = {floats(q), size(q, 2), size(q, 1), size(q, 0), stride(q, 2), stride(q, 1)};
  args.k = cache(k);
  args.k_format = static_cast<tsr_format>(k.type);
  args.v = cache(v);
  args.v_format = static_cast<tsr_format>(v.type);
  args.out = {floats(dst),  size(dst, 1),   size(dst, 2),
              size(dst, 0), stride(dst, 1), stride(dst, 2)};
  args.scale = parameter(dst, 0);
  args.soft_cap = parameter(dst, 2);
  args.sequences.count = size(q, 3);
  args.sequences.q_stride = stride(q, 3);
  args.sequences.k_stride = stride(k, 3);
  args.sequences.v_stride = stride(v, 3);
  args.sequences.out_stride = stride(dst, 3);
  if (const Tensor* const mask = dst.src[3]; mask != nullptr) {
    args.mask.f16 = static_cast<const std::uint16_t*>(mask->data);
    args.mask.heads = size(*mask, 2);
    args.mask.sequences = size(*mask, 3);
    args.mask.query_stride = stride(*mask, 1);
    args.mask.head_stride = stride(*mask, 2);
    args.mask.sequence_stride = stride(*mask, 3);
  }
  if (const float bias = parameter(dst, 1); bias != 0.0f) {
    float* const slopes = work.take_array<float>(size(q, 2));
    if (slopes == nullptr) return TSR_WORKSPACE_TOO_SMALL;
    if (const tsr_status s = tsr_alibi_slopes(bias, slopes, size(q, 2)); s != TSR_OK) return s;
    args.slopes = slopes;
    args.slope_count = size(q, 2);
  }
  if (const Tensor* const sinks = dst.src[4]; sinks != nullptr) {
    args.sinks = floats(*sinks);
    args.sink_count = size(*sinks, 0);
  }
  return TESSERA_GGML_RUN(work, attention, args);
}

}  // namespace

const Operator flash_attn_ext = {ggml::Op::flash_attn_ext, "FLASH_ATTN_EXT", supports, compute};

}  // namespace tessera_ggml
