// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// GATED_LINEAR_ATTN: k, v, q, gates, states of key rows over values. Parameter: scale.
#include "examples/ggml/linear_attention.hpp"
#include "examples/ggml/operator.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  return is_linear_attention(dst, 4, dst.src[4]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  std::vector<tsr_sequence> sequences;
  tsr_gated_linear_attention_args args = tsr_gated_linear_attention_init();
  args.k = all_heads(*dst.src[0]);
  args.v = all_heads(*dst.src[1]);
  args.q = all_heads(*dst.src[2]);
  args.gate = all_heads(*dst.src[3]);
  args.scale = parameter(dst, 0);
  set_outputs(args, dst, *dst.src[4], TSR_STATE_OUTPUTS, sequences);
  return TESSERA_GGML_RUN(work, gated_linear_attention, args);
}

}  // namespace

const Operator gated_linear_attn = {ggml::Op::gated_linear_attn, "GATED_LINEAR_ATTN", supports,
                                    compute};

}  // namespace tessera_ggml
