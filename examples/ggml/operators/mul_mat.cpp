// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// MUL_MAT: weights [K, N, a2, a3], activations [K, M, b2, b3], result [N, M, b2, b3]; weights are shared by
// consecutive matrices.
#include "examples/ggml/operator.hpp"
#include "examples/ggml/tensors.hpp"
#include "examples/ggml/weights.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const w = dst.src[0];
  const Tensor* const x = dst.src[1];
  return w != nullptr && (is_format(w->type) || is_decoded(w->type)) &&
         w->nb[0] == block_bytes(*w) && is_float(x) && is_f32(&dst) && x->ne[0] == w->ne[0] &&
         w->ne[2] != 0 && w->ne[3] != 0 && x->ne[2] % w->ne[2] == 0 && x->ne[3] % w->ne[3] == 0 &&
         has_shape(dst, w->ne[1], x->ne[1], x->ne[2], x->ne[3]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor& w = *dst.src[0];
  const Tensor& x = *dst.src[1];
  tsr_matmul_args args = tsr_matmul_init();
  args.a = {x.data, size(x, 1), size(x, 0), stride(x, 1)};
  args.a_type = static_cast<tsr_format>(x.type);
  args.c = {dst.data, size(dst, 1), size(dst, 0), stride(dst, 1)};
  args.batches = {size(x, 3),   size(x, 2),     size(w, 3),     size(w, 2), stride(x, 3),
                  stride(x, 2), stride(dst, 3), stride(dst, 2), 0,          0};
  if (const tsr_status s = weights_of(w, work, &args.b, &args.batches); s != TSR_OK) return s;
  return TESSERA_GGML_RUN(work, matmul, args);
}

}  // namespace

const Operator mul_mat = {ggml::Op::mul_mat, "MUL_MAT", supports, compute};

}  // namespace tessera_ggml
