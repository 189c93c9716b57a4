// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
//
// GATED_DELTA_NET: q and k [S, Hk, T, Bq], v [S, H, T, B], log gates [1 or S, H, T, B], beta [1, H, T, B], states
// [S, S, H, B], value rows over keys. Result: outputs [S, H, T, B], then states. Parameter: how many of these.
#include <cmath>

#include "examples/ggml/operator.hpp"
#include "examples/ggml/states.hpp"
#include "examples/ggml/tensors.hpp"

namespace tessera_ggml {
namespace {

bool supports(const Tensor& dst) {
  for (int i = 0; i < 6; ++i)
    if (!is_f32(dst.src[i])) return false;
  const Tensor &q = *dst.src[0], &k = *dst.src[1], &v = *dst.src[2], &g = *dst.src[3],
               &beta = *dst.src[4], &s = *dst.src[5];
  const std::int64_t dim = v.ne[0], heads = v.ne[1], tokens = v.ne[2], sequences = v.ne[3];
  return q.ne[0] == dim && q.ne[1] != 0 && heads % q.ne[1] == 0 && q.ne[2] == tokens &&
         q.ne[3] != 0 && sequences % q.ne[3] == 0 && same_shape(q, k) &&
         (g.ne[0] == 1 || g.ne[0] == dim) && g.ne[1] == heads && g.ne[2] == tokens &&
         g.ne[3] == sequences && has_shape(beta, 1, heads, tokens, sequences) && is_contiguous(s) &&
         s.ne[0] * static_cast<std::int64_t>(row_count(s)) == dim * dim * heads * sequences &&
         dst.op_params[0] >= 1 &&
         holds(dst, dim * heads * tokens * sequences,
               dim * dim * heads * sequences * dst.op_params[0]);
}

tsr_status compute(const Tensor& dst, Work& work) {
  const Tensor &q = *dst.src[0], &k = *dst.src[1], &v = *dst.src[2], &g = *dst.src[3],
               &beta = *dst.src[4], &s = *dst.src[5];
  const std::size_t dim = size(v, 0), heads = size(v, 1), tokens = size(v, 2),
                    sequences = size(v, 3), outputs = dim * heads * tokens,
                    state = dim * dim * heads;
  const StateOutputs states(dst, outputs * sequences, state, sequences,
                            static_cast<std::size_t>(dst.op_params[0]), work);
  if (!states.has_memory()) return TSR_WORKSPACE_TOO_SMALL;
  const tsr_sequence all = {0, tokens, 0};
  tsr_gated_delta_net_args args = tsr_gated_delta_net_init();
  args.head_map = TSR_HEADS_MODULO;
  args.scale = 1.0f / std::sqrt(static_cast<float>(dim));
  args.sequences = &all;
  args.sequence_count = 1;
  for (std::size_t i = 0; i < sequences; ++i) {
    const std::size_t shared = i / (sequences / size(q, 3));
    args.q = heads_of_sequence(q, shared);
    args.k = heads_of_sequence(k, shared);
    args.v = heads_of_sequence(v, i);
    args.log_gate = heads_of_sequence(g, i);
    args.beta = {floats(beta, 0, i), tokens, heads, stride(beta, 2), stride(beta, 1)};
    args.out = {floats(dst) + i * outputs,
                heads,
                tokens,
                dim,
                static_cast<std::ptrdiff_t>(dim),
                static_cast<std::ptrdiff_t>(dim * heads)};
    states.begin(args, i, floats(s) + i * state);
    if (const tsr_status status = TESSERA_GGML_RUN(work, gated_delta_net, args); status != TSR_OK)
      return status;
  }
  return TSR_OK;
}

}  // namespace

const Operator gated_delta_net = {ggml::Op::gated_delta_net, "GATED_DELTA_NET", supports, compute};

}  // namespace tessera_ggml
