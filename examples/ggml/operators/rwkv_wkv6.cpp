// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// RWKV_WKV6: k, v, receptance, bonus [S, H], decays, states of key rows over values.
#include "examples/ggml/linear_attention.hpp"
#include "examples/ggml/operator.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  const Tensor* const bonus = dst.src[3];
  const Tensor* const decay = dst.src[4];
  return is_linear_attention(dst, 3, dst.src[5]) && is_f32(bonus) && is_f32(decay) &&
         has_shape(*bonus, dst.src[0]->ne[0], dst.src[0]->ne[1], 1, 1) &&
         same_shape(*decay, *dst.src[0]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  std::vector<tsr_sequence> sequences;
  tsr_rwkv6_args args = tsr_rwkv6_init();
  args.k = all_heads(*dst.src[0]);
  args.v = all_heads(*dst.src[1]);
  args.receptance = all_heads(*dst.src[2]);
  args.bonus = matrix(*dst.src[3], 0, 0);
  args.decay = all_heads(*dst.src[4]);
  set_outputs(args, dst, *dst.src[5], TSR_STATE_OUTPUTS, sequences);
  return TESSERA_GGML_RUN(work, rwkv6, args);
}

}  // namespace

const Operator rwkv_wkv6 = {ggml::Op::rwkv_wkv6, "RWKV_WKV6", supports, compute};

}  // namespace tessera_ggml
