// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// RWKV_WKV7: receptance, decays, k, v, a, b, states of value rows over keys.
#include "examples/ggml/linear_attention.hpp"
#include "examples/ggml/operator.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  return is_linear_attention(dst, 6, dst.src[6]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  std::vector<tsr_sequence> sequences;
  tsr_rwkv7_args args = tsr_rwkv7_init();
  args.receptance = all_heads(*dst.src[0]);
  args.decay = all_heads(*dst.src[1]);
  args.k = all_heads(*dst.src[2]);
  args.v = all_heads(*dst.src[3]);
  args.a = all_heads(*dst.src[4]);
  args.b = all_heads(*dst.src[5]);
  set_outputs(args, dst, *dst.src[6], TSR_STATE_REDUCTION, sequences);
  return TESSERA_GGML_RUN(work, rwkv7, args);
}

}  // namespace

const Operator rwkv_wkv7 = {ggml::Op::rwkv_wkv7, "RWKV_WKV7", supports, compute};

}  // namespace tessera_ggml
