// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// MUL_MAT_ID: weights [K, N, experts], activations [K, slots, T], ids [used, T], result [N, used, T].
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"
#include "examples/ggml/weights.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const w = dst.src[0];
  const Tensor* const x = dst.src[1];
  const Tensor* const ids = dst.src[2];
  return w != nullptr && ids != nullptr && (is_format(w->type) || is_decoded(w->type)) &&
         w->nb[0] == block_bytes(*w) && w->ne[3] == 1 && is_float(x) && x->ne[3] == 1 &&
         is_f32(&dst) && x->ne[0] == w->ne[0] && x->ne[1] != 0 && ids->type == ggml::i32 &&
         ids->nb[0] % 4 == 0 && ids->nb[1] % 4 == 0 && ids->ne[1] == x->ne[2] && ids->ne[2] == 1 &&
         ids->ne[3] == 1 && ids->ne[0] % x->ne[1] == 0 &&
         has_shape(dst, w->ne[1], ids->ne[0], x->ne[2], 1);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& w = *dst.src[0];
  const Tensor& x = *dst.src[1];
  const Tensor& ids = *dst.src[2];
  tsr_matmul_experts_args args = tsr_matmul_experts_init();
  args.a = {x.data, size(x, 2), size(x, 1), size(x, 0), stride(x, 2), stride(x, 1)};
  args.a_type = static_cast<tsr_format>(x.type);
  args.experts = size(w, 2);
  args.ids = {ids.data,
              size(ids, 1),
              size(ids, 0),
              1,
              static_cast<std::ptrdiff_t>(ids.nb[1] / 4),
              static_cast<std::ptrdiff_t>(ids.nb[0] / 4)};
  args.c = {dst.data, size(dst, 2), size(dst, 1), size(dst, 0), stride(dst, 2), stride(dst, 1)};
  if (const tsr_status s = packed_weights(w, work, &args.b); s != TSR_OK) return s;
  return TESSERA_GGML_RUN(work, matmul_experts, args);
}

}  // namespace

const Operator mul_mat_id = {ggml::Op::mul_mat_id, "MUL_MAT_ID", supports, compute};

}  // namespace tessera_ggml
